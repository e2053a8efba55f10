#include "tls/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/tls_options.h"
#include "support/errors.h"
#include "support/for_each_split.h"
#include "support/status_matchers.h"
#include "tls/certificate_authority.h"
#include "tls/client_context.h"
#include "tls/engine_ends.h"
#include "tls/openssl.h"
#include "tls/server_context.h"

namespace cursorwire::tls {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using connect::TlsContext;
using std::chrono::hours;
using std::chrono::system_clock;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

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

TEST(Engine, RefusesAHostNameThatIsEmptyOrTooLong) {
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

}  // namespace
}  // namespace cursorwire::tls
