#include "cursorwire/connect/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "cursorwire/connect/version.h"
#include "cursorwire/local_upstream.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(Probe, TellsOfEachStep) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  const ProbeReport report = Probe(upstream.url(), {.tls = {.ca_pem = upstream.ca_pem()}});
  ASSERT_TRUE(report.http2.has_value());
  EXPECT_THAT(report.name_resolution->detail,
              AllOf(HasSubstr("localhost: "), HasSubstr("127.0.0.1")));
  EXPECT_THAT(report.tcp->detail, HasSubstr("127.0.0.1 port "));
  EXPECT_THAT(report.tls->detail,
              AllOf(HasSubstr("TLSv1.3, ALPN h2; certificate of "), HasSubstr("signed by ")));
  for (const auto* step : {&report.name_resolution, &report.tcp, &report.tls, &report.http2}) {
    EXPECT_THAT((*step)->status, IsOk());
  }
}

TEST(Probe, GoesWithoutTls) {
  const test::TestServer server;
  const ProbeReport report = Probe(server.url());
  EXPECT_FALSE(report.tls.has_value());
  EXPECT_THAT(report.http2->status, IsOk());
}

TEST(Probe, StopsWhereItFails) {
  const ProbeReport bad = Probe("ftp://localhost");
  EXPECT_THAT(bad.name_resolution->status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_FALSE(bad.tcp.has_value());

  const ProbeReport refused = Probe(test::RefusedUrl());
  EXPECT_THAT(refused.name_resolution->status, IsOk());
  EXPECT_THAT(refused.tcp->status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("refused")));
  EXPECT_FALSE(refused.http2.has_value());

  const LocalUpstream upstream = *LocalUpstream::Start();
  const ProbeReport untrusted = Probe(upstream.url());
  EXPECT_THAT(untrusted.tls->status,
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("certificate")));
  EXPECT_FALSE(untrusted.http2.has_value());
}

TEST(Probe, DoesNotWaitForASilentHostForEver) {
  const test::SilentListener silent;
  const ProbeReport report = Probe(silent.url("https"), {}, 20ms);
  EXPECT_THAT(report.tcp->status, IsOk());
  EXPECT_THAT(report.tls->status, StatusIs(absl::StatusCode::kDeadlineExceeded));
  const ProbeReport plain = Probe(silent.url("http"), {}, 20ms);
  EXPECT_THAT(plain.http2->status, StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(Probe, SaysThatTheServerHangsUp) {
  const test::TestServer server({.connections_closed_at_once = 2});
  const ProbeReport report = Probe(server.url());
  EXPECT_THAT(report.tcp->status, IsOk());
  EXPECT_FALSE(report.http2->status.ok());
}

TEST(Version, TellsOfTheLibraries) {
  EXPECT_THAT(Version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  ASSERT_EQ(LibraryVersions().size(), 2u);
  for (const LibraryVersion& library : LibraryVersions()) EXPECT_NE(library.version, "");
}

}  // namespace
}  // namespace cursorwire::connect
