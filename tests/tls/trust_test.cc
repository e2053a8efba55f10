#include "tls/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/tls_options.h"
#include "support/errors.h"
#include "support/status_matchers.h"
#include "tls/certificate_authority.h"

namespace cursorwire::tls {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

std::string AuthorityPem() {
  const absl::StatusOr<CertificateAuthority> authority =
      CertificateAuthority::Create(std::chrono::system_clock::now(), std::chrono::hours(24));
  EXPECT_THAT(authority, IsOk());
  return authority.ok() ? authority->certificate_pem() : "";
}

int CertificateCount(X509_STORE* store) {
  return sk_X509_OBJECT_num(X509_STORE_get0_objects(store));
}

// The PEM text with its base64 replaced.
std::string Pem(std::string_view base64) {
  return "-----BEGIN CERTIFICATE-----\n" + std::string(base64) + "\n-----END CERTIFICATE-----\n";
}

TEST(TrustOnly, TakesEachCertificateOfTheText) {
  const std::string one = AuthorityPem();
  const std::string two = AuthorityPem();
  const struct {
    const char* name;
    std::string pem;
    int count;
  } kCases[] = {
      {"one", one, 1},
      {"two", one + two, 2},
      {"three", one + two + AuthorityPem(), 3},
      {"text around them", "# one\n" + one + "\nand two:\n" + two + "the end\n", 2},
      {"the same twice", one + one, 1},
      {"no newline at the end", one.substr(0, one.size() - 1), 1},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<OpenSslPtr<X509_STORE>> store = TrustOnly(c.pem);
    ASSERT_THAT(store.status(), IsOk());
    EXPECT_EQ(CertificateCount(store->get()), c.count);
  }
}

TEST(TrustOnly, RefusesATextWithoutACertificateOrWithABrokenOne) {
  const std::string good = AuthorityPem();
  const absl::StatusOr<CertificateAuthority> authority =
      CertificateAuthority::Create(std::chrono::system_clock::now(), std::chrono::hours(24));
  ASSERT_THAT(authority, IsOk());
  const absl::StatusOr<ServerIdentity> identity = authority->Issue("DNS:localhost");
  ASSERT_THAT(identity, IsOk());
  const struct {
    const char* name;
    std::string pem;
  } kCases[] = {
      {"nothing", ""},
      {"white space", " \n\n"},
      {"text", "this is no certificate"},
      {"zero bytes", std::string(100, '\0')},
      {"a key alone", identity->private_key_pem},
      {"no base64", Pem("!!!!")},
      {"base64 of no certificate", Pem("AAAA")},
      {"nothing between the lines", Pem("")},
      {"a broken one after a good one", good + Pem("!!!!")},
      {"no certificate after a good one", good + Pem("AAAA")},
      {"a broken one before a good one", Pem("!!!!") + good},
      {"a cut one", good.substr(0, good.size() / 2)},
      {"a cut one after a good one", good + good.substr(0, good.size() / 2)},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<OpenSslPtr<X509_STORE>> store = TrustOnly(c.pem);
    EXPECT_THAT(store.status(),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("CA certificates")));
    EXPECT_THAT(store.status(), HasOrigin(ErrorOrigin::kLocal));
    // It is what a user sees.
    EXPECT_EQ(c.pem.empty() ? StatusCode::kInvalidArgument
                            : connect::TlsContext::Create({.ca_pem = c.pem}).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(TrustOnly, RefusesEveryPrefixOfACertificate) {
  const std::string pem = AuthorityPem();
  const size_t end_line = pem.find("-----END");
  ASSERT_NE(end_line, std::string::npos);
  for (size_t size = 0; size < end_line; ++size) {
    ASSERT_THAT(TrustOnly(std::string_view(pem).substr(0, size)).status(),
                StatusIs(StatusCode::kInvalidArgument))
        << size;
  }
}

TEST(TrustOnly, LeavesNoErrorBehindAndMindsNoneThatIsThere) {
  ASSERT_THAT(TrustOnly(Pem("!!!!")).status(), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(TakeOpenSslErrors(), "unknown error");
  ASSERT_THAT(TrustOnly(AuthorityPem()).status(), IsOk());
  EXPECT_EQ(TakeOpenSslErrors(), "unknown error");
  // An error of another user of OpenSSL in this thread.
  EXPECT_EQ(EVP_EC_gen("no such curve"), nullptr);
  EXPECT_THAT(TrustOnly(AuthorityPem()).status(), IsOk());
}

}  // namespace
}  // namespace cursorwire::tls
