#include "tls/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/tls_options.h"
#include "support/errors.h"
#include "support/for_each_split.h"
#include "support/sizes.h"
#include "support/status_matchers.h"
#include "tls/certificate_authority.h"
#include "tls/client_context.h"
#include "tls/openssl.h"
#include "tls/server_context.h"

namespace cursorwire::tls {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using connect::TlsContext;
using std::chrono::hours;
using std::chrono::system_clock;
using test::ForEachSplit;
using test::HasOrigin;
using test::IsOk;
using test::kMiB;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr char kApiHost[] = "api.example.test";
constexpr size_t kWhole = std::numeric_limits<size_t>::max();

// Trust and certificate of a client and a server that fit together unless told otherwise.
struct Identities {
  std::string ca_pem;
  ServerIdentity server;
};

Identities MakeIdentities(const std::string& names = std::string("DNS:") + kApiHost,
                          system_clock::time_point now = system_clock::now()) {
  const absl::StatusOr<CertificateAuthority> authority =
      CertificateAuthority::Create(now, hours(24));
  EXPECT_THAT(authority, IsOk());
  const absl::StatusOr<ServerIdentity> identity = authority->Issue(names);
  EXPECT_THAT(identity, IsOk());
  return {authority->certificate_pem(), *identity};
}

std::unique_ptr<Engine> Client(const std::string& ca_pem, const std::string& host = kApiHost) {
  const auto context = TlsContext::Create({.ca_pem = ca_pem});
  EXPECT_THAT(context, IsOk());
  absl::StatusOr<std::unique_ptr<Engine>> engine =
      Engine::Connect(ClientContext::From(**context), host);
  EXPECT_THAT(engine.status(), IsOk());
  return *std::move(engine);
}

std::unique_ptr<Engine> Server(const ServerIdentity& identity) {
  const absl::StatusOr<ServerContext> context = ServerContext::Create(identity);
  EXPECT_THAT(context, IsOk());
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Accept(*context);
  EXPECT_THAT(engine.status(), IsOk());
  return *std::move(engine);
}

std::string TakeOutput(Engine& engine) {
  std::string bytes(engine.PendingOutput());
  engine.ConsumeOutput(bytes.size());
  return bytes;
}

// Two ends of a connection and what each got. An end that failed takes no more.
struct Ends {
  std::unique_ptr<Engine> client;
  std::unique_ptr<Engine> server;
  std::string client_plaintext{};
  std::string server_plaintext{};
  absl::Status client_status{};
  absl::Status server_status{};

  // Carries bytes both ways until no end has any, in pieces of at most `piece_bytes`.
  void Join(size_t piece_bytes = kWhole) {
    for (;;) {
      const std::string to_server = TakeOutput(*client);
      const std::string to_client = TakeOutput(*server);
      if (to_server.empty() && to_client.empty()) return;
      Carry(to_server, piece_bytes, *server, server_plaintext, server_status);
      Carry(to_client, piece_bytes, *client, client_plaintext, client_status);
    }
  }

  static void Carry(std::string_view bytes, size_t piece_bytes, Engine& to, std::string& plaintext,
                    absl::Status& status) {
    while (!bytes.empty() && status.ok()) {
      const std::string_view piece = bytes.substr(0, piece_bytes);
      status = to.Receive(piece, plaintext);
      bytes.remove_prefix(piece.size());
    }
  }
};

Ends MakeEnds(const Identities& identities, const std::string& host = kApiHost) {
  return {.client = Client(identities.ca_pem, host), .server = Server(identities.server)};
}

Ends JoinedEnds() {
  Ends ends = MakeEnds(MakeIdentities());
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_TRUE(ends.client->handshake_done());
  EXPECT_TRUE(ends.server->handshake_done());
  return ends;
}

std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
  return bytes;
}

// A server of other settings than ours, straight on OpenSSL.
class RawServer {
 public:
  explicit RawServer(const ServerIdentity& identity) : context_(SSL_CTX_new(TLS_server_method())) {
    const OpenSslPtr<BIO> certificate_bio = ReadBio(identity.certificate_pem);
    const OpenSslPtr<X509> certificate(
        PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr));
    const OpenSslPtr<BIO> key_bio = ReadBio(identity.private_key_pem);
    const OpenSslPtr<EVP_PKEY> key(
        PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), certificate.get()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), key.get()), 1);
  }

  SSL_CTX* context() { return context_.get(); }
  SSL* ssl() { return ssl_.get(); }

  void ChooseAlpn(const char* protocol) {
    // `protocol` in wire form: its length before it. nullptr refuses with an alert.
    SSL_CTX_set_alpn_select_cb(
        context_.get(),
        [](SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char*,
           unsigned int, void* choice) -> int {
          if (choice == nullptr) return SSL_TLSEXT_ERR_ALERT_FATAL;
          const auto* const wire = static_cast<const unsigned char*>(choice);
          *out_size = wire[0];
          *out = wire + 1;
          return SSL_TLSEXT_ERR_OK;
        },
        const_cast<char*>(protocol));
  }

  // Runs the handshake with `client` until one end fails or both are done; the client's status.
  absl::Status Join(Engine& client) {
    ssl_.reset(SSL_new(context_.get()));
    BIO* const input = BIO_new(BIO_s_mem());
    BIO* const output = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), input, output);
    SSL_set_accept_state(ssl_.get());
    for (;;) {
      const std::string to_server = TakeOutput(client);
      if (to_server.empty()) return absl::OkStatus();
      BIO_write(input, to_server.data(), static_cast<int>(to_server.size()));
      SSL_do_handshake(ssl_.get());
      TakeOpenSslErrors();
      char* data = nullptr;
      const long size = BIO_get_mem_data(output, &data);
      const std::string to_client(data, static_cast<size_t>(size));
      BIO_reset(output);
      std::string plaintext;
      if (absl::Status status = client.Receive(to_client, plaintext); !status.ok()) return status;
    }
  }

 private:
  OpenSslPtr<SSL_CTX> context_;
  OpenSslPtr<SSL> ssl_;
};

TEST(Engine, ShakesHandsWithTls13) {
  Ends ends = MakeEnds(MakeIdentities());
  EXPECT_FALSE(ends.client->PendingOutput().empty());
  EXPECT_TRUE(ends.server->PendingOutput().empty());
  EXPECT_FALSE(ends.client->handshake_done());
  EXPECT_FALSE(ends.server->handshake_done());
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_TRUE(ends.client->handshake_done());
  EXPECT_TRUE(ends.server->handshake_done());
  EXPECT_EQ(ends.client->version(), "TLSv1.3");
  EXPECT_EQ(ends.server->version(), "TLSv1.3");
  EXPECT_EQ(ends.client_plaintext, "");
  EXPECT_EQ(ends.server_plaintext, "");
  EXPECT_FALSE(ends.client->peer_closed());
  EXPECT_FALSE(ends.server->peer_closed());
}

TEST(Engine, SpeaksTls12WithAServerThatKnowsNoBetter) {
  const Identities identities = MakeIdentities();
  RawServer server(identities.server);
  SSL_CTX_set_max_proto_version(server.context(), TLS1_2_VERSION);
  server.ChooseAlpn("\2h2");
  const std::unique_ptr<Engine> client = Client(identities.ca_pem);
  EXPECT_THAT(server.Join(*client), IsOk());
  EXPECT_TRUE(client->handshake_done());
  EXPECT_EQ(client->version(), "TLSv1.2");
}

TEST(Engine, CarriesDataBothWays) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("to the "), IsOk());
  ASSERT_THAT(ends.client->Write("server"), IsOk());
  ASSERT_THAT(ends.server->Write(std::string_view("to\0client", 9)), IsOk());
  EXPECT_THAT(std::string(ends.client->PendingOutput()), ::testing::Not(HasSubstr("server")));
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_EQ(ends.server_plaintext, "to the server");
  EXPECT_EQ(ends.client_plaintext, std::string("to\0client", 9));
}

TEST(Engine, WritesNothingForNoBytes) {
  Ends ends = JoinedEnds();
  EXPECT_THAT(ends.client->Write(""), IsOk());
  EXPECT_EQ(ends.client->PendingOutput(), "");
  EXPECT_THAT(ends.server->Receive("", ends.server_plaintext), IsOk());
}

TEST(Engine, ShakesHandsByteByByte) {
  Ends ends = MakeEnds(MakeIdentities());
  ends.Join(1);
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_TRUE(ends.client->handshake_done());
  EXPECT_TRUE(ends.server->handshake_done());
}

TEST(Engine, ShakesHandsCutAtEveryByte) {
  const Identities identities = MakeIdentities();
  for (size_t cut = 1; cut < 2000; ++cut) {
    SCOPED_TRACE(cut);
    Ends ends = MakeEnds(identities);
    bool was_cut = false;
    for (int flight = 0; flight < 4; ++flight) {
      Engine& from = flight % 2 == 0 ? *ends.client : *ends.server;
      Engine& to = flight % 2 == 0 ? *ends.server : *ends.client;
      const std::string bytes = TakeOutput(from);
      const std::string_view view = bytes;
      was_cut = was_cut || cut < bytes.size();
      ASSERT_THAT(to.Receive(view.substr(0, cut), ends.server_plaintext), IsOk());
      if (cut < view.size()) {
        ASSERT_THAT(to.Receive(view.substr(cut), ends.server_plaintext), IsOk());
      }
    }
    ASSERT_TRUE(ends.client->handshake_done());
    ASSERT_TRUE(ends.server->handshake_done());
    if (!was_cut) break;  // behind the end of the longest flight
  }
}

TEST(Engine, DecryptsTheSameAtEverySplit) {
  Ends ends = JoinedEnds();
  const auto write = [&] {
    for (const char* text : {"first ", "second ", "third"}) {
      EXPECT_THAT(ends.server->Write(text), IsOk());
    }
    return TakeOutput(*ends.server);
  };
  // Equal plaintexts have ciphertexts of equal length but never of equal bytes, so that only the
  // borders of the pieces are taken from the split.
  const std::string shape = write();
  EXPECT_THAT(ends.client->Receive(shape, ends.client_plaintext), IsOk());
  EXPECT_EQ(ends.client_plaintext, "first second third");
  ForEachSplit(shape, [&](const std::vector<std::string_view>& pieces) {
    const std::string ciphertext = write();
    ASSERT_EQ(ciphertext.size(), shape.size());
    std::string plaintext;
    size_t at = 0;
    for (std::string_view piece : pieces) {
      ASSERT_THAT(
          ends.client->Receive(std::string_view(ciphertext).substr(at, piece.size()), plaintext),
          IsOk());
      at += piece.size();
    }
    EXPECT_EQ(plaintext, "first second third");
  });
}

TEST(Engine, GivesDataThatComesWithTheEndOfTheHandshake) {
  Ends ends = MakeEnds(MakeIdentities());
  ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), ends.server_plaintext), IsOk());
  ASSERT_THAT(ends.client->Receive(TakeOutput(*ends.server), ends.client_plaintext), IsOk());
  ASSERT_TRUE(ends.client->handshake_done());
  ASSERT_FALSE(ends.server->handshake_done());
  ASSERT_THAT(ends.client->Write("early bird"), IsOk());
  ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), ends.server_plaintext), IsOk());
  EXPECT_TRUE(ends.server->handshake_done());
  EXPECT_EQ(ends.server_plaintext, "early bird");
}

TEST(Engine, AppendsToWhatThePlaintextHolds) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("new"), IsOk());
  std::string plaintext = "old ";
  ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), plaintext), IsOk());
  EXPECT_EQ(plaintext, "old new");
}

TEST(Engine, CarriesALargeWriteWhole) {
  const std::string large = Pattern(kMiB);
  for (const size_t piece_bytes : {kWhole, size_t{1000}, size_t{16 * 1024}}) {
    SCOPED_TRACE(piece_bytes);
    Ends ends = JoinedEnds();
    ASSERT_THAT(ends.client->Write(large), IsOk());
    ASSERT_THAT(ends.server->Write(large), IsOk());
    ends.Join(piece_bytes);
    EXPECT_THAT(ends.client_status, IsOk());
    EXPECT_THAT(ends.server_status, IsOk());
    EXPECT_TRUE(ends.server_plaintext == large);  // no EXPECT_EQ: it would print 1 MiB
    EXPECT_TRUE(ends.client_plaintext == large);
  }
}

TEST(Engine, KeepsTheOutputThatWasNotConsumed) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("one "), IsOk());
  const std::string first(ends.client->PendingOutput());
  ASSERT_GT(first.size(), 10u);
  ends.client->ConsumeOutput(0);
  EXPECT_EQ(ends.client->PendingOutput(), first);
  ends.client->ConsumeOutput(10);
  EXPECT_EQ(ends.client->PendingOutput(), first.substr(10));
  // More is written behind it.
  ASSERT_THAT(ends.client->Write("two"), IsOk());
  const std::string rest(ends.client->PendingOutput());
  EXPECT_EQ(rest.substr(0, first.size() - 10), first.substr(10));
  EXPECT_GT(rest.size(), first.size() - 10);
  EXPECT_THAT(ends.server->Receive(first.substr(0, 10), ends.server_plaintext), IsOk());
  EXPECT_EQ(ends.server_plaintext, "");
  for (const char byte : rest) {
    ASSERT_THAT(ends.server->Receive(std::string_view(&byte, 1), ends.server_plaintext), IsOk());
    ends.client->ConsumeOutput(1);
  }
  EXPECT_EQ(ends.server_plaintext, "one two");
  EXPECT_EQ(ends.client->PendingOutput(), "");
  // Consuming more than there is consumes what there is, and nothing of what comes later.
  ends.client->ConsumeOutput(100);
  ASSERT_THAT(ends.client->Write(" three"), IsOk());
  ends.Join();
  EXPECT_EQ(ends.server_plaintext, "one two three");
}

TEST(Engine, TellsWhenThePeerClosed) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("last words"), IsOk());
  ends.client->Close();
  const std::string bytes = TakeOutput(*ends.client);
  // Not before its last byte.
  ASSERT_THAT(ends.server->Receive(std::string_view(bytes).substr(0, bytes.size() - 1),
                                   ends.server_plaintext),
              IsOk());
  EXPECT_EQ(ends.server_plaintext, "last words");
  EXPECT_FALSE(ends.server->peer_closed());
  ASSERT_THAT(
      ends.server->Receive(std::string_view(bytes).substr(bytes.size() - 1), ends.server_plaintext),
      IsOk());
  EXPECT_TRUE(ends.server->peer_closed());
  EXPECT_FALSE(ends.client->peer_closed());
  ends.server->Close();
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_TRUE(ends.client->peer_closed());
}

TEST(Engine, ClosesOnceAndOnlyBehindTheHandshake) {
  Ends ends = MakeEnds(MakeIdentities());
  const std::string hello(ends.client->PendingOutput());
  ends.client->Close();
  EXPECT_EQ(ends.client->PendingOutput(), hello);
  ends.Join();
  ASSERT_TRUE(ends.client->handshake_done());
  ends.client->Close();
  EXPECT_FALSE(TakeOutput(*ends.client).empty());
  ends.client->Close();
  EXPECT_EQ(ends.client->PendingOutput(), "");
  EXPECT_THAT(ends.client->Write("too late"), StatusIs(StatusCode::kUnavailable));
}

TEST(Engine, AcceptsTheHostsOfTheCertificate) {
  const Identities identities =
      MakeIdentities("DNS:api.example.test,DNS:*.wild.test,IP:127.0.0.1,IP:::1");
  for (const char* host :
       {"api.example.test", "API.Example.TEST", "a.wild.test", "127.0.0.1", "::1"}) {
    SCOPED_TRACE(host);
    Ends ends = MakeEnds(identities, host);
    ends.Join();
    EXPECT_THAT(ends.client_status, IsOk());
    EXPECT_THAT(ends.server_status, IsOk());
    EXPECT_TRUE(ends.client->handshake_done());
  }
}

TEST(Engine, RefusesACertificateThatProvesNotTheHost) {
  const system_clock::time_point now = system_clock::now();
  const Identities good =
      MakeIdentities("DNS:api.example.test,DNS:*.wild.test,DNS:f*.partial.test,IP:127.0.0.1");
  const Identities other = MakeIdentities();
  const Identities past = MakeIdentities("DNS:api.example.test", now - hours(24 * 365));
  const Identities future = MakeIdentities("DNS:api.example.test", now + hours(24 * 365));
  const auto host_mismatch = AnyOf(HasSubstr("hostname mismatch"), HasSubstr("Hostname mismatch"));
  const auto address_mismatch = HasSubstr("IP address mismatch");
  const struct {
    const char* name;
    const char* host;
    std::string ca_pem;
    ServerIdentity server;
    ::testing::Matcher<const std::string&> reason;
  } kCases[] = {
      {"another name", "other.example.test", good.ca_pem, good.server, host_mismatch},
      {"the name's parent", "example.test", good.ca_pem, good.server, host_mismatch},
      {"a name below it", "x.api.example.test", good.ca_pem, good.server, host_mismatch},
      {"two labels for a wildcard", "a.b.wild.test", good.ca_pem, good.server, host_mismatch},
      {"no label for a wildcard", "wild.test", good.ca_pem, good.server, host_mismatch},
      {"part of a label for a wildcard", "foo.partial.test", good.ca_pem, good.server,
       host_mismatch},
      {"the common name", "cursorwire local server", good.ca_pem, good.server, host_mismatch},
      {"another address", "127.0.0.2", good.ca_pem, good.server, address_mismatch},
      {"an address of the other family", "::1", good.ca_pem, good.server, address_mismatch},
      {"a CA that is not trusted", "api.example.test", other.ca_pem, good.server,
       AnyOf(HasSubstr("issuer certificate"), HasSubstr("signature"))},
      {"expired", "api.example.test", past.ca_pem, past.server, HasSubstr("has expired")},
      {"not yet valid", "api.example.test", future.ca_pem, future.server,
       HasSubstr("not yet valid")},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Ends ends = MakeEnds({c.ca_pem, c.server}, c.host);
    ends.Join();
    EXPECT_THAT(ends.client_status,
                StatusIs(StatusCode::kUnavailable, AllOf(HasSubstr(c.host), c.reason)));
    EXPECT_THAT(ends.client_status, HasOrigin(ErrorOrigin::kTransport));
    EXPECT_FALSE(ends.client->handshake_done());
    EXPECT_EQ(ends.client_plaintext, "");
    // The alert says so to the server.
    EXPECT_THAT(ends.server_status, StatusIs(StatusCode::kUnavailable, HasSubstr("alert")));
    EXPECT_THAT(ends.server_status, HasOrigin(ErrorOrigin::kTransport));
  }
}

std::string PemOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

// Signed by itself, so that who trusts it trusts its issuer. `alternative_names` may be empty: then
// there is no such extension.
Identities SelfSigned(const std::string& common_name, const std::string& alternative_names) {
  const OpenSslPtr<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const OpenSslPtr<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key.get());
  if (!alternative_names.empty()) {
    const OpenSslPtr<X509_EXTENSION> names(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alternative_names.c_str()));
    X509_add_ext(certificate.get(), names.get(), -1);
  }
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const OpenSslPtr<BIO> certificate_pem(BIO_new(BIO_s_mem()));
  const OpenSslPtr<BIO> key_pem(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_pem.get(), certificate.get());
  PEM_write_bio_PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {
      PemOf(certificate_pem.get()),
      {.certificate_pem = PemOf(certificate_pem.get()), .private_key_pem = PemOf(key_pem.get())}};
}

// RFC 9525, section 2: what stands in the subject is a text for people.
TEST(Engine, RefusesACertificateThatNamesTheHostInItsSubjectAlone) {
  const struct {
    const char* name;
    const char* host;
    const char* alternative_names;
    bool accepted;
  } kCases[] = {
      {"the host as subjectAltName", kApiHost, "DNS:api.example.test", true},
      {"the address as subjectAltName", "127.0.0.1", "IP:127.0.0.1", true},
      {"no subjectAltName", kApiHost, "", false},
      {"a subjectAltName without a name", kApiHost, "email:me@example.test", false},
      {"another name", kApiHost, "DNS:other.example.test", false},
      {"an address", "127.0.0.1", "", false},
      {"an address written as a name", "127.0.0.1", "DNS:127.0.0.1", false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Ends ends = MakeEnds(SelfSigned(c.host, c.alternative_names), c.host);
    ends.Join();
    EXPECT_EQ(ends.client->handshake_done(), c.accepted);
    if (c.accepted) {
      EXPECT_THAT(ends.client_status, IsOk());
    } else {
      EXPECT_THAT(ends.client_status,
                  StatusIs(StatusCode::kUnavailable,
                           AnyOf(HasSubstr("hostname mismatch"), HasSubstr("Hostname mismatch"),
                                 HasSubstr("IP address mismatch"))));
    }
  }
}

TEST(Engine, RefusesAHostThatIsNone) {
  const Identities identities = MakeIdentities();
  const auto context = TlsContext::Create({.ca_pem = identities.ca_pem});
  ASSERT_THAT(context, IsOk());
  // Without a name, every certificate of a trusted CA would do.
  for (const std::string& host : {std::string(), std::string(300, 'a')}) {
    SCOPED_TRACE(host);
    const auto engine = Engine::Connect(ClientContext::From(**context), host);
    EXPECT_THAT(engine.status(), StatusIs(StatusCode::kInvalidArgument, HasSubstr("host")));
    EXPECT_THAT(engine.status(), HasOrigin(ErrorOrigin::kLocal));
  }
}

TEST(Engine, SendsTheNameOfAHostButNoAddress) {
  const Identities identities = MakeIdentities("DNS:api.example.test,IP:127.0.0.1");
  RawServer server(identities.server);
  server.ChooseAlpn("\2h2");
  const std::unique_ptr<Engine> by_name = Client(identities.ca_pem, "api.example.test");
  EXPECT_THAT(server.Join(*by_name), IsOk());
  EXPECT_STREQ(SSL_get_servername(server.ssl(), TLSEXT_NAMETYPE_host_name), "api.example.test");
  // RFC 6066, section 3: an address is not permitted.
  const std::unique_ptr<Engine> by_address = Client(identities.ca_pem, "127.0.0.1");
  EXPECT_THAT(server.Join(*by_address), IsOk());
  EXPECT_EQ(SSL_get_servername(server.ssl(), TLSEXT_NAMETYPE_host_name), nullptr);
}

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
    const absl::Status status = server->Receive(RawClient("\10http/1.1").Answer(""), plaintext);
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
  }
  {
    SCOPED_TRACE("offers nothing");
    const std::unique_ptr<Engine> server = Server(identities.server);
    RawClient client("");
    EXPECT_THAT(server->Receive(client.Answer(""), plaintext), IsOk());
    const absl::Status status = server->Receive(client.Answer(TakeOutput(*server)), plaintext);
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
    const absl::Status status = client->Receive(record, plaintext);
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
    const absl::Status at_client = Client(identities.ca_pem)->Receive(c.bytes, plaintext);
    EXPECT_THAT(at_client, StatusIs(StatusCode::kUnavailable, HasSubstr("TLS")));
    EXPECT_THAT(at_client, HasOrigin(ErrorOrigin::kTransport));
    const absl::Status at_server = Server(identities.server)->Receive(c.bytes, plaintext);
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
    ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), ends.server_plaintext), IsOk());
    const std::string flight = TakeOutput(*ends.server);
    // Its length differs by some bytes each time, as that of an ECDSA signature does.
    if (cut >= flight.size()) break;
    ++cuts;
    ASSERT_THAT(
        ends.client->Receive(std::string_view(flight).substr(0, cut), ends.client_plaintext),
        IsOk());
    ASSERT_FALSE(ends.client->handshake_done());
    const absl::Status status = ends.client->Receive(garbage, ends.client_plaintext);
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
    ASSERT_THAT(server->Receive(std::string_view(hello).substr(0, cut), plaintext), IsOk());
    const absl::Status status = server->Receive(garbage, plaintext);
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
        ends.client->Receive(record + std::string(20000, 'x'), ends.client_plaintext);
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
  ends.client_status = ends.client->Receive(records, ends.client_plaintext);
  EXPECT_THAT(ends.client_status, StatusIs(StatusCode::kUnavailable, HasSubstr("record")));
  // What came whole before it is given.
  EXPECT_EQ(ends.client_plaintext, "first");
  ends.Join();
  EXPECT_THAT(ends.server_status, StatusIs(StatusCode::kUnavailable, HasSubstr("alert")));
  EXPECT_FALSE(ends.server->peer_closed());
}

}  // namespace
}  // namespace cursorwire::tls
