// What TlsOptions say beyond `ca_pem`: certificates of clients, more authorities, versions.

#include "cursorwire/connect/tls_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ui.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "support/errors.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "tls/append_to.h"
#include "tls/certificate_authority.h"
#include "tls/engine.h"
#include "tls/server_context.h"

namespace cursorwire::tls {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using connect::TlsContext;
using connect::TlsOptions;
using connect::TlsVersion;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHost[] = "api.example.test";
constexpr char kServerName[] = "DNS:api.example.test";
constexpr char kClientName[] = "DNS:client.example.test";

CertificateAuthority AnyAuthority() {
  absl::StatusOr<CertificateAuthority> authority =
      CertificateAuthority::Create(std::chrono::system_clock::now(), std::chrono::hours(24));
  EXPECT_THAT(authority, IsOk());
  return *std::move(authority);
}

ServerIdentity Issue(const CertificateAuthority& authority, const char* name) {
  absl::StatusOr<ServerIdentity> identity = authority.Issue(name);
  EXPECT_THAT(identity, IsOk());
  return *std::move(identity);
}

// How a handshake and a word after it went.
struct Meeting {
  absl::Status client{};
  absl::Status server{};
  std::string version{};
  std::string heard{};  // by the server
};

// With TLS 1.3 the client's handshake is done before the server has looked at its certificate: an
// alert tells the client.
Meeting Meet(const TlsOptions& options, const ServerContext& server_context) {
  Meeting meeting;
  const auto context = TlsContext::Create(options);
  EXPECT_THAT(context, IsOk());
  if (!context.ok()) return meeting;
  auto client = *Engine::Connect(ClientContext::From(**context), kHost);
  auto server = *Engine::Accept(server_context);
  bool spoken = false;
  for (;;) {
    const std::string to_server(client->PendingOutput());
    client->ConsumeOutput(to_server.size());
    const std::string to_client(server->PendingOutput());
    server->ConsumeOutput(to_client.size());
    if (to_server.empty() && to_client.empty()) break;
    std::string ignored;
    if (meeting.server.ok()) meeting.server = server->Receive(to_server, AppendTo(meeting.heard));
    if (meeting.client.ok()) meeting.client = client->Receive(to_client, AppendTo(ignored));
    if (meeting.client.ok() && client->handshake_done() && !std::exchange(spoken, true)) {
      EXPECT_THAT(client->Write("hello"), IsOk());
    }
  }
  meeting.version = client->version();
  return meeting;
}

// A client, a server that asks for its certificate, and their authorities.
struct Parties {
  CertificateAuthority server_authority = AnyAuthority();
  CertificateAuthority client_authority = AnyAuthority();
  ServerIdentity server = Issue(server_authority, kServerName);
  ServerIdentity client = Issue(client_authority, kClientName);

  ServerContext AskingServer() const {
    auto context = ServerContext::Create(server, client_authority.certificate_pem());
    EXPECT_THAT(context, IsOk());
    return *std::move(context);
  }
  TlsOptions Options() const { return {.ca_pem = server_authority.certificate_pem()}; }
  TlsOptions OptionsWith(const ServerIdentity& identity) const {
    TlsOptions options = Options();
    options.client_certificate_pem = identity.certificate_pem;
    options.client_key_pem = identity.private_key_pem;
    return options;
  }
};

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

enum class KeyForm { kPkcs8, kTraditional };

// The key of `identity` under a passphrase.
std::string Encrypted(const ServerIdentity& identity, KeyForm form) {
  const OpenSslPtr<BIO> in = ReadBio(identity.private_key_pem);
  const OpenSslPtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  const OpenSslPtr<BIO> out(BIO_new(BIO_s_mem()));
  char passphrase[] = "secret";
  const int length = sizeof(passphrase) - 1;
  auto* const bytes = reinterpret_cast<unsigned char*>(passphrase);
  const int written =
      form == KeyForm::kPkcs8
          ? PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(), passphrase,
                                          length, nullptr, nullptr)
          : PEM_write_bio_PrivateKey_traditional(out.get(), key.get(), EVP_aes_128_cbc(), bytes,
                                                 length, nullptr, nullptr);
  EXPECT_EQ(written, 1);
  return TextOf(out.get());
}

TEST(ClientCertificate, IsShownToAServerThatAsks) {
  const Parties parties;
  const Meeting meeting = Meet(parties.OptionsWith(parties.client), parties.AskingServer());
  EXPECT_THAT(meeting.client, IsOk());
  EXPECT_THAT(meeting.server, IsOk());
  EXPECT_EQ(meeting.heard, "hello");
}

TEST(ClientCertificate, IsNoHindranceWhereNobodyAsks) {
  const Parties parties;
  const auto server = ServerContext::Create(parties.server);
  ASSERT_THAT(server, IsOk());
  const Meeting meeting = Meet(parties.OptionsWith(parties.client), *server);
  EXPECT_THAT(meeting.client, IsOk());
  EXPECT_EQ(meeting.heard, "hello");
}

TEST(ClientCertificate, IsRefusedWithAnAlertWhereItIsMissingOrNotTrusted) {
  const Parties parties;
  const struct {
    const char* name;
    TlsOptions options;
    const char* alert;
  } kCases[] = {
      {"none", parties.Options(), "certificate required"},
      {"of another authority", parties.OptionsWith(Issue(parties.server_authority, kClientName)),
       "unknown ca"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Meeting meeting = Meet(c.options, parties.AskingServer());
    EXPECT_THAT(meeting.server, StatusIs(StatusCode::kUnavailable));
    EXPECT_EQ(meeting.heard, "");
    EXPECT_THAT(meeting.client, StatusIs(StatusCode::kUnavailable, HasSubstr(c.alert)));
    EXPECT_THAT(meeting.client, HasOrigin(ErrorOrigin::kTransport));
  }
}

TEST(ClientCertificate, MayHaveItsChainBehindIt) {
  const Parties parties;
  ServerIdentity with_chain = parties.client;
  with_chain.certificate_pem += parties.client_authority.certificate_pem();
  const Meeting meeting = Meet(parties.OptionsWith(with_chain), parties.AskingServer());
  EXPECT_THAT(meeting.client, IsOk());
  EXPECT_EQ(meeting.heard, "hello");
}

TEST(ClientCertificate, IsRefusedAtOnceIfItCannotBeUsed) {
  const Parties parties;
  const ServerIdentity other = Issue(parties.client_authority, kClientName);
  const std::string& certificate = parties.client.certificate_pem;
  const std::string& key = parties.client.private_key_pem;
  const std::string broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const struct {
    const char* name;
    std::string certificate;
    std::string key;
    const char* why;
  } kCases[] = {
      {"no key", certificate, "", "go together"},
      {"no certificate", "", key, "go together"},
      {"the key of another", certificate, other.private_key_pem, "not that of the certificate"},
      {"swapped", key, certificate, "no certificate"},
      {"no PEM for a certificate", "text", key, "no certificate"},
      {"no PEM for a key", certificate, "text", "no private key"},
      {"a cut certificate", certificate.substr(0, certificate.size() / 2), key, "no certificate"},
      {"a cut key", certificate, key.substr(0, key.size() / 2), "no private key"},
      {"a broken certificate in the chain", certificate + broken, key, "chain"},
      {"a cut certificate in the chain",
       certificate + certificate.substr(0, certificate.size() / 2), key, "chain"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    TlsOptions options = parties.Options();
    options.client_certificate_pem = c.certificate;
    options.client_key_pem = c.key;
    const absl::Status status = TlsContext::Create(options).status();
    EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.why)));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kLocal));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("PRIVATE KEY")));
    EXPECT_EQ(TakeOpenSslErrors(), "unknown error") << "an error is left behind";
  }
}

bool terminal_was_asked = false;

// OpenSSL's own way to get a passphrase is a question on the terminal, which would hang a service.
TEST(ClientCertificate, AsksNobodyForAPassphrase) {
  const Parties parties;
  const std::unique_ptr<UI_METHOD, void (*)(UI_METHOD*)> terminal(UI_create_method("none"),
                                                                  UI_destroy_method);
  UI_method_set_opener(terminal.get(), [](UI*) {
    terminal_was_asked = true;
    return 0;
  });
  const UI_METHOD* const before = UI_get_default_method();
  UI_set_default_method(terminal.get());
  for (const KeyForm form : {KeyForm::kPkcs8, KeyForm::kTraditional}) {
    TlsOptions options = parties.OptionsWith(parties.client);
    options.client_key_pem = Encrypted(parties.client, form);
    ASSERT_THAT(options.client_key_pem, HasSubstr("ENCRYPTED"));
    EXPECT_THAT(TlsContext::Create(options),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("without a passphrase")));
  }
  UI_set_default_method(before);
  EXPECT_FALSE(terminal_was_asked);
}

TEST(ServerContext, RefusesBrokenAuthoritiesOfClients) {
  const Parties parties;
  EXPECT_THAT(ServerContext::Create(parties.server, "no certificate").status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("CA certificates")));
}

// Sets a variable of the environment for its life.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    const char* const before = std::getenv(name_.c_str());
    if (before != nullptr) before_ = before;
    was_set_ = before != nullptr;
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (was_set_) {
      ::setenv(name_.c_str(), before_.c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const std::string name_;
  std::string before_;
  bool was_set_ = false;
};

TEST(ExtraAuthorities, AreTrustedBesideTheSystems) {
  const CertificateAuthority system = AnyAuthority();
  const CertificateAuthority extra = AnyAuthority();
  const CertificateAuthority stranger = AnyAuthority();
  const test::ScratchFolder folder;
  folder.Write("roots.pem", system.certificate_pem());
  const ScopedVariable roots("SSL_CERT_FILE", folder.At("roots.pem"));
  const TlsOptions with_extra = {.extra_ca_pem = extra.certificate_pem()};
  const struct {
    const char* name;
    TlsOptions options;
    const CertificateAuthority& issuer;
    bool trusted;
  } kCases[] = {
      {"the system's", with_extra, system, true},
      {"the other", with_extra, extra, true},
      {"none of them", with_extra, stranger, false},
      {"the other, not named", {}, extra, false},
      {"the system's, where others are named alone",
       {.ca_pem = extra.certificate_pem()},
       system,
       false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto server = ServerContext::Create(Issue(c.issuer, kServerName));
    ASSERT_THAT(server, IsOk());
    const Meeting meeting = Meet(c.options, *server);
    EXPECT_EQ(meeting.client.ok(), c.trusted) << meeting.client;
    EXPECT_EQ(meeting.heard, c.trusted ? "hello" : "");
  }
}

TEST(ExtraAuthorities, AreRefusedIfBrokenOrTogetherWithOthersAlone) {
  const std::string pem = AnyAuthority().certificate_pem();
  const absl::Status both = TlsContext::Create({.ca_pem = pem, .extra_ca_pem = pem}).status();
  EXPECT_THAT(both, StatusIs(StatusCode::kInvalidArgument, HasSubstr("one of the two")));
  EXPECT_THAT(both, HasOrigin(ErrorOrigin::kLocal));
  const test::ScratchFolder folder;
  folder.Write("roots.pem", pem);
  const ScopedVariable roots("SSL_CERT_FILE", folder.At("roots.pem"));
  EXPECT_THAT(TlsContext::Create({.extra_ca_pem = "no certificate"}).status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("CA certificates")));
}

TEST(MinVersion, RefusesAnOlderServer) {
  const Parties parties;
  const struct {
    const char* name;
    TlsVersion least;
    int server_most;
    const char* version;  // nullptr: none
  } kCases[] = {
      {"1.2 of 1.2", TlsVersion::kTls12, TLS1_2_VERSION, "TLSv1.2"},
      {"1.2 of 1.3", TlsVersion::kTls12, TLS1_3_VERSION, "TLSv1.3"},
      {"1.3 of 1.3", TlsVersion::kTls13, TLS1_3_VERSION, "TLSv1.3"},
      {"1.3 of 1.2", TlsVersion::kTls13, TLS1_2_VERSION, nullptr},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto server = ServerContext::Create(parties.server);
    ASSERT_THAT(server, IsOk());
    SSL_CTX_set_max_proto_version(server->get(), c.server_most);
    TlsOptions options = parties.Options();
    options.min_version = c.least;
    const Meeting meeting = Meet(options, *server);
    if (c.version != nullptr) {
      EXPECT_THAT(meeting.client, IsOk());
      EXPECT_EQ(meeting.version, c.version);
    } else {
      EXPECT_THAT(meeting.client, StatusIs(StatusCode::kUnavailable, HasSubstr("version")));
    }
  }
}

}  // namespace
}  // namespace cursorwire::tls
