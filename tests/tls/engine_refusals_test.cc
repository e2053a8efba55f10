#include "tls/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/for_each_split.h"
#include "support/status_matchers.h"
#include "tls/engine_ends.h"
#include "tls/openssl.h"

namespace cursorwire::tls {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Engine, RefusesAServerThatDoesNotSpeakHttp2) {
  const Identities identities = MakeIdentities();
  const struct {
    const char* name;
    bool knows_alpn;
    const char* choice;
    const char* message;
  } kCases[] = {
      {"does not know ALPN", false, nullptr, "HTTP/2"},
      {"refuses with an alert", true, nullptr, "HTTP/2"},
      {"chooses what was not offered", true, "\10http/1.1", "extension"},
  };
  for (const auto& c : kCases) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      SCOPED_TRACE(c.name);
      SCOPED_TRACE(version == TLS1_2_VERSION ? "TLS 1.2" : "TLS 1.3");
      RawServer server(identities.server);
      SSL_CTX_set_min_proto_version(server.context(), version);
      SSL_CTX_set_max_proto_version(server.context(), version);
      if (c.knows_alpn) server.ChooseAlpn(c.choice);
      const std::unique_ptr<Engine> client = Client(identities.ca_pem);
      const absl::Status status = server.Join(*client);
      EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable,
                                   AllOf(HasSubstr(c.message), HasSubstr(kApiHost))));
      EXPECT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
    }
  }
}

// A client of other settings than ours; its hello, and its answer to what the server said to that.
class RawClient {
 public:
  explicit RawClient(std::string_view alpn)
      : context_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(context_.get())) {
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ssl_.get());
    // 0 is success.
    EXPECT_EQ(SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(alpn.data()),
                                  static_cast<unsigned int>(alpn.size())),
              0);
  }

  std::string Answer(std::string_view from_server) {
    BIO_write(SSL_get_rbio(ssl_.get()), from_server.data(), static_cast<int>(from_server.size()));
    SSL_do_handshake(ssl_.get());
    TakeOpenSslErrors();
    char* data = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &data);
    std::string bytes(data, static_cast<size_t>(size));
    BIO_reset(SSL_get_wbio(ssl_.get()));
    return bytes;
  }

 private:
  OpenSslPtr<SSL_CTX> context_;
  OpenSslPtr<SSL> ssl_;
};

TEST(Engine, RefusesAClientThatDoesNotOfferHttp2) {
  const Identities identities = MakeIdentities();
  std::string plaintext;
  {
    SCOPED_TRACE("offers another");
    const std::unique_ptr<Engine> server = Server(identities.server);
    const absl::Status status =
        server->Receive(RawClient("\10http/1.1").Answer(""), AppendTo(plaintext));
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
  }
  {
    SCOPED_TRACE("offers nothing");
    const std::unique_ptr<Engine> server = Server(identities.server);
    RawClient client("");
    EXPECT_THAT(server->Receive(client.Answer(""), AppendTo(plaintext)), IsOk());
    const absl::Status status =
        server->Receive(client.Answer(TakeOutput(*server)), AppendTo(plaintext));
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("HTTP/2")));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
  }
}

TEST(Engine, RefusesTls11) {
  const Identities identities = MakeIdentities();
  {
    SCOPED_TRACE("a server that knows nothing newer, and refuses");
    RawServer server(identities.server);
    SSL_CTX_set_security_level(server.context(), 0);
    SSL_CTX_set_min_proto_version(server.context(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(server.context(), TLS1_1_VERSION);
    server.ChooseAlpn("\2h2");
    const std::unique_ptr<Engine> client = Client(identities.ca_pem);
    const absl::Status status = server.Join(*client);
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("version")));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
    EXPECT_FALSE(client->handshake_done());
  }
  {
    SCOPED_TRACE("a server that chooses it although it was not offered");
    // ServerHello of RFC 4346: version 3.2, no session, TLS_RSA_WITH_AES_128_CBC_SHA.
    const std::string body = "\x03\x02" + std::string(32, 'r') + std::string("\0\0\x2f\0", 4);
    const std::string message = std::string("\x02\0\0", 3) + static_cast<char>(body.size()) + body;
    const std::string record =
        std::string("\x16\x03\x02\0", 4) + static_cast<char>(message.size()) + message;
    const std::unique_ptr<Engine> client = Client(identities.ca_pem);
    std::string plaintext;
    const absl::Status status = client->Receive(record, AppendTo(plaintext));
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("protocol")));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
    EXPECT_FALSE(client->handshake_done());
  }
}

TEST(Engine, RefusesGarbageInPlaceOfTls) {
  const Identities identities = MakeIdentities();
  const struct {
    const char* name;
    std::string bytes;
  } kCases[] = {
      {"HTTP/1.1", "HTTP/1.1 400 Bad Request\r\n\r\n"},
      {"HTTP/2 settings", std::string("\0\0\0\4\0\0\0\0\0", 9)},
      {"SSH", "SSH-2.0-OpenSSH_9.2\r\n"},
      {"zeros", std::string(64, '\0')},
      {"ones", std::string(64, '\xff')},
      {"a record too large", std::string("\x16\x03\x03\xff\xff", 5) + std::string(70000, 'x')},
      {"data before any hello", std::string("\x17\x03\x03\0\x02hi", 7)},
      {"an empty handshake message", std::string("\x16\x03\x03\0\0", 5) + std::string(64, '\0')},
      {"a hello request of another age",
       std::string("\x80\x2e\x01\x03\x01", 5) + std::string(64, '\0')},
      {"an alert", std::string("\x15\x03\x03\0\x02\x02\x28", 7)},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    std::string plaintext;
    const absl::Status at_client = Client(identities.ca_pem)->Receive(c.bytes, AppendTo(plaintext));
    EXPECT_THAT(at_client, StatusIs(StatusCode::kUnavailable, HasSubstr("TLS")));
    EXPECT_THAT(at_client, HasOrigin(ErrorOrigin::kTransport));
    const absl::Status at_server = Server(identities.server)->Receive(c.bytes, AppendTo(plaintext));
    EXPECT_THAT(at_server, StatusIs(StatusCode::kUnavailable, HasSubstr("TLS")));
    EXPECT_THAT(at_server, HasOrigin(ErrorOrigin::kTransport));
    EXPECT_EQ(plaintext, "");
  }
}

TEST(Engine, RefusesGarbageAtEveryTruncationOfAHandshake) {
  const Identities identities = MakeIdentities();
  // More than a record, so that one that was cut is complete.
  const std::string garbage(20000, 'x');
  size_t cuts = 0;
  for (size_t cut = 0;; ++cut) {
    SCOPED_TRACE(cut);
    Ends ends = MakeEnds(identities);
    ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), AppendTo(ends.server_plaintext)),
                IsOk());
    const std::string flight = TakeOutput(*ends.server);
    // Its length differs by some bytes each time, as that of an ECDSA signature does.
    if (cut >= flight.size()) break;
    ++cuts;
    ASSERT_THAT(ends.client->Receive(std::string_view(flight).substr(0, cut),
                                     AppendTo(ends.client_plaintext)),
                IsOk());
    ASSERT_FALSE(ends.client->handshake_done());
    const absl::Status status = ends.client->Receive(garbage, AppendTo(ends.client_plaintext));
    ASSERT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("TLS")));
    ASSERT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
    ASSERT_FALSE(ends.client->handshake_done());
    ASSERT_EQ(ends.client_plaintext, "");
  }
  EXPECT_GT(cuts, 500u);
  const std::string hello = TakeOutput(*Client(identities.ca_pem));
  for (size_t cut = 0; cut < hello.size(); ++cut) {
    SCOPED_TRACE(cut);
    const std::unique_ptr<Engine> server = Server(identities.server);
    std::string plaintext;
    ASSERT_THAT(server->Receive(std::string_view(hello).substr(0, cut), AppendTo(plaintext)),
                IsOk());
    const absl::Status status = server->Receive(garbage, AppendTo(plaintext));
    ASSERT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("TLS")));
    ASSERT_FALSE(server->handshake_done());
    ASSERT_EQ(plaintext, "");
  }
}

TEST(Engine, RefusesARecordWithAnyByteChanged) {
  Ends shape = JoinedEnds();
  ASSERT_THAT(shape.server->Write("money"), IsOk());
  const size_t size = shape.server->PendingOutput().size();
  for (size_t i = 0; i < size; ++i) {
    SCOPED_TRACE(i);
    Ends ends = JoinedEnds();
    ends.client_plaintext.clear();
    ASSERT_THAT(ends.server->Write("money"), IsOk());
    std::string record = TakeOutput(*ends.server);
    record[i] = static_cast<char>(record[i] ^ 0x10);
    // What follows completes a record whose length was changed.
    const absl::Status status =
        ends.client->Receive(record + std::string(20000, 'x'), AppendTo(ends.client_plaintext));
    ASSERT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("TLS")));
    ASSERT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
    ASSERT_EQ(ends.client_plaintext, "");
  }
}

TEST(Engine, TellsThePeerOfABrokenRecord) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.server->Write("first"), IsOk());
  ASSERT_THAT(ends.server->Write("second"), IsOk());
  std::string records = TakeOutput(*ends.server);
  records.back() = static_cast<char>(records.back() ^ 1);
  ends.client_status = ends.client->Receive(records, AppendTo(ends.client_plaintext));
  EXPECT_THAT(ends.client_status, StatusIs(StatusCode::kUnavailable, HasSubstr("record")));
  // What came whole before it is given.
  EXPECT_EQ(ends.client_plaintext, "first");
  ends.Join();
  EXPECT_THAT(ends.server_status, StatusIs(StatusCode::kUnavailable, HasSubstr("alert")));
  EXPECT_FALSE(ends.server->peer_closed());
}

}  // namespace
}  // namespace cursorwire::tls
