#include "upstream/gzip.h"

#include <zlib.h>

#include <new>

namespace cursorwire::upstream {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16: a gzip header and trailer
constexpr int kMemoryLevel = 8;

}  // namespace

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();  // the only way in which these arguments fail
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  // zlib reads its input and changes nothing; its C structure is not const.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);  // deflateBound() made room for all of it
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace cursorwire::upstream
