#include "tls/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "cursorwire/connect/tls_options.h"
#include "support/status_matchers.h"
#include "tls/append_to.h"
#include "tls/certificate_authority.h"
#include "tls/client_context.h"
#include "tls/server_context.h"

namespace cursorwire::tls {
namespace {

using test::IsOk;
using test::StatusIs;

// What `from` has for its peer, given to `to`; returns what `to` made of it.
std::string Pass(Transport& from, Transport& to) {
  const std::string bytes(from.PendingOutput());
  from.ConsumeOutput(bytes.size());
  std::string plaintext;
  EXPECT_THAT(to.Receive(bytes, AppendTo(plaintext)), IsOk());
  return plaintext;
}

struct TransportPair {
  Transport client;
  Transport server;
};

TransportPair TlsPair() {
  const auto authority =
      CertificateAuthority::Create(std::chrono::system_clock::now(), std::chrono::hours(1));
  const auto identity = authority->Issue("DNS:api.example.test");
  const auto server_context = ServerContext::Create(*identity);
  const auto context = connect::TlsContext::Create({.ca_pem = authority->certificate_pem()});
  auto client = Engine::Connect(ClientContext::From(**context), "api.example.test");
  auto server = Engine::Accept(*server_context);
  return {.client = Transport(*std::move(client)), .server = Transport(*std::move(server))};
}

TEST(Transport, PassesBytesOnWithoutTls) {
  TransportPair pair;
  EXPECT_TRUE(pair.client.is_ready());
  EXPECT_EQ(pair.client.tls_version(), "");
  EXPECT_THAT(pair.client.Write("ab"), IsOk());
  EXPECT_THAT(pair.client.Write("c"), IsOk());
  EXPECT_EQ(pair.client.PendingOutput(), "abc");
  pair.client.ConsumeOutput(1);
  EXPECT_EQ(Pass(pair.client, pair.server), "bc");
  EXPECT_EQ(pair.client.PendingOutput(), "");
  pair.client.Close();
  EXPECT_EQ(pair.client.PendingOutput(), "");
  EXPECT_FALSE(pair.server.peer_closed());
}

TEST(Transport, EncryptsWithTls) {
  TransportPair pair = TlsPair();
  EXPECT_FALSE(pair.client.is_ready());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Pass(pair.client, pair.server), "");
    EXPECT_EQ(Pass(pair.server, pair.client), "");
  }
  EXPECT_TRUE(pair.client.is_ready());
  EXPECT_EQ(pair.client.tls_version(), "TLSv1.3");
  EXPECT_THAT(pair.client.Write("secret"), IsOk());
  EXPECT_EQ(pair.client.PendingOutput().find("secret"), std::string_view::npos);
  EXPECT_EQ(Pass(pair.client, pair.server), "secret");
  pair.client.Close();
  EXPECT_EQ(Pass(pair.client, pair.server), "");
  EXPECT_TRUE(pair.server.peer_closed());
}

TEST(Transport, GivesWhatCameBeforeAnError) {
  TransportPair pair = TlsPair();
  for (int i = 0; i < 3; ++i) {
    Pass(pair.client, pair.server);
    Pass(pair.server, pair.client);
  }
  EXPECT_THAT(pair.client.Write("last words"), IsOk());
  const std::string bytes = std::string(pair.client.PendingOutput()) + "not a record of TLS";
  std::string plaintext;
  EXPECT_THAT(pair.server.Receive(bytes, AppendTo(plaintext)),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(plaintext, "last words");
}

}  // namespace
}  // namespace cursorwire::tls
