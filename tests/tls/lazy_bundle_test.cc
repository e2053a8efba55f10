#include "tls/lazy_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <chrono>
#include <cstdio>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "tls/certificate_authority.h"
#include "tls/trust.h"

namespace cursorwire::tls {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;

CertificateAuthority AnAuthority() {
  return *CertificateAuthority::Create(system_clock::now(), hours(24));
}

OpenSslPtr<X509> Read(const std::string& pem) {
  return OpenSslPtr<X509>(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
}

int CertificatesIn(X509_STORE* store) { return sk_X509_OBJECT_num(X509_STORE_get0_objects(store)); }

class LazyBundleTest : public testing::Test {
 protected:
  LazyBundleTest() {
    folder_.MakeFolder("certs");
    X509_LOOKUP* const lookup = X509_STORE_add_lookup(store_.get(), X509_LOOKUP_hash_dir());
    X509_LOOKUP_add_dir(lookup, folder_.At("certs").c_str(), X509_FILETYPE_PEM);
    AddLazyBundle(folder_.At("bundle.pem"), store_.get());
  }

  // As systems keep them: found by a hash of the name.
  void AddToFolder(const std::string& pem) {
    const OpenSslPtr<X509> certificate = Read(pem);
    char name[32];
    std::snprintf(
        name, sizeof(name), "certs/%08lx.0",
        X509_NAME_hash_ex(X509_get_subject_name(certificate.get()), nullptr, nullptr, nullptr));
    folder_.Write(name, pem);
  }

  bool Trusts(const CertificateAuthority& authority, unsigned long flags = 0) {
    return Verifies(Read(authority.Issue("DNS:a.test")->certificate_pem).get(), flags);
  }

  bool Verifies(X509* leaf, unsigned long flags = 0) {
    X509_STORE_CTX* const context = X509_STORE_CTX_new();
    X509_STORE_CTX_init(context, store_.get(), leaf, nullptr);
    X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), flags);
    const bool trusted = X509_verify_cert(context) == 1;
    X509_STORE_CTX_free(context);
    return trusted;
  }

  const test::ScratchFolder folder_;
  const OpenSslPtr<X509_STORE> store_{X509_STORE_new()};
  const CertificateAuthority one_ = AnAuthority();
};

TEST_F(LazyBundleTest, IsNotReadForWhatTheFolderHas) {
  AddToFolder(one_.certificate_pem());
  folder_.Write("bundle.pem", AnAuthority().certificate_pem());
  EXPECT_TRUE(Trusts(one_));
  EXPECT_EQ(CertificatesIn(store_.get()), 1);
}

TEST_F(LazyBundleTest, IsReadForWhatTheFolderLacks) {
  const CertificateAuthority other = AnAuthority();
  folder_.Write("bundle.pem", other.certificate_pem() + one_.certificate_pem());
  EXPECT_TRUE(Trusts(one_));
  EXPECT_EQ(CertificatesIn(store_.get()), 2);
  EXPECT_TRUE(Trusts(other));
  EXPECT_FALSE(Trusts(AnAuthority()));
  EXPECT_EQ(CertificatesIn(store_.get()), 2);
}

TEST_F(LazyBundleTest, IsReadForPartialChainsToo) {
  folder_.Write("bundle.pem", one_.certificate_pem());
  EXPECT_TRUE(Trusts(one_, X509_V_FLAG_PARTIAL_CHAIN));
  EXPECT_FALSE(Trusts(AnAuthority(), X509_V_FLAG_PARTIAL_CHAIN));
}

TEST_F(LazyBundleTest, AddsWhatItHas) {
  EXPECT_FALSE(Trusts(one_));  // there is no file
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST_F(LazyBundleTest, AddsWhatIsBeforeABreak) {
  folder_.Write("bundle.pem",
                one_.certificate_pem() +
                    "-----BEGIN CERTIFICATE-----\nnoise\n-----END CERTIFICATE-----\n" +
                    AnAuthority().certificate_pem());
  EXPECT_TRUE(Trusts(one_));
  EXPECT_EQ(CertificatesIn(store_.get()), 1);
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST_F(LazyBundleTest, IsReadByManyThreads) {
  std::string bundle;  // which takes its time
  for (const std::string other = AnAuthority().certificate_pem(); bundle.size() < 1'000'000;) {
    bundle += other;
  }
  folder_.Write("bundle.pem", bundle + one_.certificate_pem());
  const OpenSslPtr<X509> leaf = Read(one_.Issue("DNS:a.test")->certificate_pem);
  std::vector<std::thread> threads;
  std::vector<char> trusted(8);
  std::latch start(8);
  for (char& result : trusted) {
    threads.emplace_back([this, &leaf, &start, &result] {
      start.arrive_and_wait();
      result = Verifies(leaf.get()) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(trusted, testing::Each(1));
}

}  // namespace
}  // namespace cursorwire::tls
