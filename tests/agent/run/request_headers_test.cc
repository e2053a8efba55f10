#include "agent/run/request_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "cursorwire/connect/headers.h"
#include "cursorwire/run.h"

namespace cursorwire::agent {
namespace {

using connect::Header;
using ::testing::ElementsAre;
using ::testing::Eq;

constexpr char kRequestId[] = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d";

TEST(RequestHeaders, AreThoseOfTheProtocolInOrder) {
  // docs/protocol.md, request headers; the others are Connect's own.
  EXPECT_THAT(
      RequestHeaders({.token = "secret"}, kRequestId),
      ElementsAre(Header{"te", "trailers"}, Header{"authorization", "Bearer secret"},
                  Header{"x-ghost-mode", "true"},
                  Header{"x-cursor-client-version", "cli-2026.08.31-4057e58"},
                  Header{"x-cursor-client-type", "cli"}, Header{"x-request-id", kRequestId}));
}

TEST(RequestHeaders, TakeTheOptionsAndEndWithTheUsersOwn) {
  EXPECT_THAT(
      RequestHeaders({.token = "t",
                      .client_version = "cli-2026.01.09-231024f",
                      .ghost_mode = false,
                      .extra_headers = {{"X-One", "1"}, {"x-one", "2"}, {"traceparent", "00"}}},
                     kRequestId),
      ElementsAre(Header{"te", "trailers"}, Header{"authorization", "Bearer t"},
                  Header{"x-ghost-mode", "false"},
                  Header{"x-cursor-client-version", "cli-2026.01.09-231024f"},
                  Header{"x-cursor-client-type", "cli"}, Header{"x-request-id", kRequestId},
                  Header{"x-one", "1"}, Header{"x-one", "2"}, Header{"traceparent", "00"}));
}

TEST(RequestHeaders, HaveNoChecksum) {
  EXPECT_THAT(RequestHeaders({.token = "t"}, kRequestId).Get("x-cursor-checksum"),
              Eq(std::nullopt));
}

}  // namespace
}  // namespace cursorwire::agent
