#include "tls/certificate_authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <chrono>
#include <ctime>
#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/status_matchers.h"
#include "tls/trust.h"

namespace cursorwire::tls {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using std::chrono::hours;
using std::chrono::system_clock;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

// 2021-01-01, 00:00:00 UTC.
constexpr std::time_t kNow = 1609459200;

OpenSslPtr<X509> Parse(const std::string& pem) {
  const OpenSslPtr<BIO> bio = ReadBio(pem);
  OpenSslPtr<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  EXPECT_NE(certificate, nullptr);
  return certificate;
}

CertificateAuthority MakeAuthority() {
  absl::StatusOr<CertificateAuthority> authority =
      CertificateAuthority::Create(system_clock::from_time_t(kNow), hours(24));
  EXPECT_THAT(authority, IsOk());
  return *std::move(authority);
}

// X509_V_OK or why `certificate` is no server's at `time` for one who trusts `authority_pem`.
int Verify(const std::string& authority_pem, X509* certificate, std::time_t time) {
  const absl::StatusOr<OpenSslPtr<X509_STORE>> store = TrustOnly(authority_pem);
  EXPECT_THAT(store.status(), IsOk());
  X509_STORE_CTX* const context = X509_STORE_CTX_new();
  EXPECT_EQ(X509_STORE_CTX_init(context, store->get(), certificate, nullptr), 1);
  X509_STORE_CTX_set_time(context, 0, time);
  X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), X509_V_FLAG_X509_STRICT);
  X509_verify_cert(context);
  const int error = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  return error;
}

TEST(CertificateAuthority, IssuesWhatVerifiesAgainstItAlone) {
  const CertificateAuthority authority = MakeAuthority();
  const CertificateAuthority other = MakeAuthority();
  const absl::StatusOr<ServerIdentity> identity = authority.Issue("DNS:localhost");
  ASSERT_THAT(identity, IsOk());
  const OpenSslPtr<X509> certificate = Parse(identity->certificate_pem);
  EXPECT_EQ(Verify(authority.certificate_pem(), certificate.get(), kNow), X509_V_OK);
  EXPECT_NE(Verify(other.certificate_pem(), certificate.get(), kNow), X509_V_OK);
}

TEST(CertificateAuthority, IsValidFromAnHourBeforeItsTimeToTheEndOfItsValidity) {
  const CertificateAuthority authority = MakeAuthority();
  const absl::StatusOr<ServerIdentity> identity = authority.Issue("DNS:localhost");
  ASSERT_THAT(identity, IsOk());
  const OpenSslPtr<X509> certificate = Parse(identity->certificate_pem);
  const struct {
    const char* name;
    std::time_t time;
    int error;
  } kCases[] = {
      {"before", kNow - 3601, X509_V_ERR_CERT_NOT_YET_VALID},
      {"first second", kNow - 3600, X509_V_OK},
      {"now", kNow, X509_V_OK},
      {"last second", kNow + 86400 - 1, X509_V_OK},
      {"behind", kNow + 86400 + 1, X509_V_ERR_CERT_HAS_EXPIRED},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Verify(authority.certificate_pem(), certificate.get(), c.time), c.error);
  }
}

TEST(CertificateAuthority, PutsTheAlternativeNamesIntoTheCertificate) {
  const absl::StatusOr<ServerIdentity> identity =
      MakeAuthority().Issue("DNS:localhost,DNS:*.example.test,IP:127.0.0.1,IP:::1");
  ASSERT_THAT(identity, IsOk());
  const OpenSslPtr<X509> certificate = Parse(identity->certificate_pem);
  const auto has_host = [&](std::string_view host) {
    return X509_check_host(certificate.get(), host.data(), host.size(), 0, nullptr) == 1;
  };
  EXPECT_TRUE(has_host("localhost"));
  EXPECT_TRUE(has_host("a.example.test"));
  EXPECT_FALSE(has_host("example.test"));
  EXPECT_FALSE(has_host("other.test"));
  EXPECT_FALSE(has_host("cursorwire local server"));
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 0);
}

TEST(CertificateAuthority, MakesNoServerAnAuthority) {
  const CertificateAuthority authority = MakeAuthority();
  const absl::StatusOr<ServerIdentity> identity = authority.Issue("DNS:localhost");
  ASSERT_THAT(identity, IsOk());
  EXPECT_EQ(X509_check_ca(Parse(identity->certificate_pem).get()), 0);
  EXPECT_EQ(X509_check_ca(Parse(authority.certificate_pem()).get()), 1);
}

TEST(CertificateAuthority, MakesANewKeyAndSerialEachTime) {
  const CertificateAuthority authority = MakeAuthority();
  const absl::StatusOr<ServerIdentity> one = authority.Issue("DNS:localhost");
  const absl::StatusOr<ServerIdentity> two = authority.Issue("DNS:localhost");
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(two, IsOk());
  EXPECT_NE(one->private_key_pem, two->private_key_pem);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(Parse(one->certificate_pem).get()),
                             X509_get0_serialNumber(Parse(two->certificate_pem).get())),
            0);
  EXPECT_NE(authority.certificate_pem(), MakeAuthority().certificate_pem());
}

TEST(CertificateAuthority, RefusesNamesThatAreNoAlternativeNames) {
  const CertificateAuthority authority = MakeAuthority();
  for (const char* names : {"", "localhost", "IP:not-an-address", "DNS:a,IP:1.2.3", "NOPE:x"}) {
    SCOPED_TRACE(names);
    const absl::StatusOr<ServerIdentity> identity = authority.Issue(names);
    EXPECT_THAT(identity, StatusIs(StatusCode::kInternal, HasSubstr("certificate")));
    EXPECT_THAT(identity, HasOrigin(ErrorOrigin::kLocal));
  }
}

TEST(ServerContext, RefusesAnIdentityThatIsBrokenOrDoesNotBelongTogether) {
  const CertificateAuthority authority = MakeAuthority();
  const absl::StatusOr<ServerIdentity> one = authority.Issue("DNS:localhost");
  const absl::StatusOr<ServerIdentity> two = authority.Issue("DNS:localhost");
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(two, IsOk());
  EXPECT_THAT(ServerContext::Create(*one), IsOk());
  const struct {
    const char* name;
    ServerIdentity identity;
  } kCases[] = {
      {"nothing", {}},
      {"no key", {.certificate_pem = one->certificate_pem}},
      {"no certificate", {.private_key_pem = one->private_key_pem}},
      {"the key of another",
       {.certificate_pem = one->certificate_pem, .private_key_pem = two->private_key_pem}},
      {"swapped",
       {.certificate_pem = one->private_key_pem, .private_key_pem = one->certificate_pem}},
      {"a cut key",
       {.certificate_pem = one->certificate_pem,
        .private_key_pem = one->private_key_pem.substr(0, one->private_key_pem.size() / 2)}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = ServerContext::Create(c.identity).status();
    EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("server certificate")));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kLocal));
    EXPECT_THAT(std::string(status.message()), ::testing::Not(HasSubstr("PRIVATE KEY")));
  }
}

}  // namespace
}  // namespace cursorwire::tls
