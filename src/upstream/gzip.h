#ifndef CURSORWIRE_SRC_UPSTREAM_GZIP_H_
#define CURSORWIRE_SRC_UPSTREAM_GZIP_H_

#include <string>
#include <string_view>

namespace cursorwire::upstream {

// `bytes` as a gzip member (RFC 1952).
std::string Gzip(std::string_view bytes);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_GZIP_H_
