#ifndef CURSORWIRE_SRC_TLS_LAZY_BUNDLE_H_
#define CURSORWIRE_SRC_TLS_LAZY_BUNDLE_H_

#include <string>

#include "tls/openssl.h"

namespace cursorwire::tls {

// Makes `store` trust the certificates of a file too, which is read once a certificate is looked
// for that the store does not find: a bundle of all authorities takes some 10 ms to load, and the
// folder that systems have beside it needs none of that. A file that is missing or broken adds
// nothing, or what is before the break. Any thread may verify. Call at most once for a store.
void AddLazyBundle(std::string file, X509_STORE* store);

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_LAZY_BUNDLE_H_
