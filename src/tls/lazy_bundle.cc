#include "tls/lazy_bundle.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <atomic>
#include <mutex>
#include <utility>

namespace cursorwire::tls {
namespace {

class LazyBundle {
 public:
  explicit LazyBundle(std::string file) : file_(std::move(file)) {}

  bool IsLoaded() const { return is_loaded_; }

  // Waits for a thread that is at it.
  void Load(X509_STORE* store) {
    std::call_once(loaded_, [&] {
      ERR_set_mark();  // its end, and a file that is missing, are no errors of who verifies
      AddTo(store);
      ERR_pop_to_mark();
      is_loaded_ = true;
    });
  }

 private:
  void AddTo(X509_STORE* store) const {
    const OpenSslPtr<BIO> bio(BIO_new_file(file_.c_str(), "r"));
    while (bio != nullptr) {
      const OpenSslPtr<X509> certificate(
          PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
      if (certificate == nullptr) return;
      X509_STORE_add_cert(store, certificate.get());
    }
  }

  const std::string file_;
  std::once_flag loaded_;
  std::atomic<bool> is_loaded_ = false;
};

// OpenSSL calls it when the store goes.
void DeleteBundle(void*, void* bundle, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<LazyBundle*>(bundle);
}

int BundleIndex() {
  static const int index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_X509_STORE, 0, nullptr, nullptr,
                                                   nullptr, DeleteBundle);
  return index;
}

// The bundle; nullptr if the store had it before this search began. Otherwise a search that finds
// nothing has to be made again, whichever thread reads the bundle meanwhile.
LazyBundle* BundleToSearch(X509_STORE* store) {
  auto* const bundle = static_cast<LazyBundle*>(X509_STORE_get_ex_data(store, BundleIndex()));
  return bundle == nullptr || bundle->IsLoaded() ? nullptr : bundle;
}

int GetIssuer(X509** issuer, X509_STORE_CTX* context, X509* certificate) {
  X509_STORE* const store = X509_STORE_CTX_get0_store(context);
  LazyBundle* const bundle = BundleToSearch(store);
  const int found = X509_STORE_CTX_get1_issuer(issuer, context, certificate);
  if (found != 0 || bundle == nullptr) return found;
  bundle->Load(store);
  return X509_STORE_CTX_get1_issuer(issuer, context, certificate);
}

STACK_OF(X509) * LookUp(X509_STORE_CTX* context, const X509_NAME* subject) {
  X509_STORE* const store = X509_STORE_CTX_get0_store(context);
  LazyBundle* const bundle = BundleToSearch(store);
  STACK_OF(X509)* const found = X509_STORE_CTX_get1_certs(context, subject);
  if (sk_X509_num(found) > 0 || bundle == nullptr) return found;
  sk_X509_free(found);  // which is empty, or nullptr
  bundle->Load(store);
  return X509_STORE_CTX_get1_certs(context, subject);
}

}  // namespace

void AddLazyBundle(std::string file, X509_STORE* store) {
  X509_STORE_set_ex_data(store, BundleIndex(), new LazyBundle(std::move(file)));
  X509_STORE_set_get_issuer(store, GetIssuer);
  X509_STORE_set_lookup_certs(store, LookUp);
}

}  // namespace cursorwire::tls
