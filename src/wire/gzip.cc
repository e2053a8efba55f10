#include "wire/gzip.h"

#include <absl/strings/str_cat.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::wire {
namespace {

// What zlib calls window bits: which header and trailer stand around the deflated data.
enum class Form : int { kGzip = 15 + 16, kRaw = -15 };
constexpr int kMemoryLevel = 8;
constexpr size_t kStepBytes = size_t{64} * 1024;
constexpr size_t kRunBytes = std::numeric_limits<uInt>::max();  // limit for one call of zlib

// zlib only reads its input, but its C structure is not const.
Bytef* InputOf(std::string_view bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

class Deflater {
 public:
  explicit Deflater(Form form) {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, static_cast<int>(form),
                     kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();  // with these arguments only memory can be missing
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::string Run(std::string_view bytes) {
    std::string out;
    char step[kStepBytes];
    do {
      const std::string_view piece = bytes.substr(0, kRunBytes);
      bytes.remove_prefix(piece.size());
      stream_.next_in = InputOf(piece);
      stream_.avail_in = static_cast<uInt>(piece.size());
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(step);
        stream_.avail_out = sizeof(step);
        deflate(&stream_, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
        out.append(step, sizeof(step) - stream_.avail_out);
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
    return out;
  }

 private:
  z_stream stream_{};
};

class Inflater {
 public:
  Inflater(Form form, size_t max_bytes) : form_(form), max_bytes_(max_bytes) {
    if (inflateInit2(&stream_, static_cast<int>(form)) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  absl::StatusOr<std::string> Run(std::string_view bytes) {
    do {
      if (absl::Status status = TakeMember(bytes); !status.ok()) return status;
      if (form_ == Form::kRaw && !bytes.empty()) return Error("bytes follow the data");
      if (inflateReset(&stream_) != Z_OK) return Error("the state is lost");
    } while (!bytes.empty());
    return std::move(out_);
  }

 private:
  absl::Status TakeMember(std::string_view& bytes) {
    char step[kStepBytes];
    for (;;) {
      const std::string_view piece = bytes.substr(0, kRunBytes);
      stream_.next_in = InputOf(piece);
      stream_.avail_in = static_cast<uInt>(piece.size());
      stream_.next_out = reinterpret_cast<Bytef*>(step);
      stream_.avail_out = sizeof(step);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      bytes.remove_prefix(piece.size() - stream_.avail_in);
      const size_t count = sizeof(step) - stream_.avail_out;
      if (count > max_bytes_ - out_.size()) {
        return MakeError(
            absl::StatusCode::kResourceExhausted,
            absl::StrCat("message is over the limit of ", max_bytes_, " bytes once decompressed"),
            {.origin = connect::ErrorOrigin::kProtocol});
      }
      out_.append(step, count);
      if (result == Z_STREAM_END) return absl::OkStatus();
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result == Z_BUF_ERROR || (result == Z_OK && bytes.empty() && count == 0)) {
        return Error("the data is cut short");
      }
      if (result != Z_OK) return Error("the data is broken");
    }
  }

  absl::Status Error(std::string_view what) const {
    return ProtocolError(absl::StrCat(form_ == Form::kRaw ? "deflate: " : "gzip: ", ToAbsl(what)));
  }

  const Form form_;
  const size_t max_bytes_;
  z_stream stream_{};
  std::string out_;
};

}  // namespace

std::string Gzip(std::string_view bytes) { return Deflater(Form::kGzip).Run(bytes); }

absl::StatusOr<std::string> Gunzip(std::string_view bytes, size_t max_bytes) {
  return Inflater(Form::kGzip, max_bytes).Run(bytes);
}

std::string Deflate(std::string_view bytes) { return Deflater(Form::kRaw).Run(bytes); }

absl::StatusOr<std::string> Inflate(std::string_view bytes, size_t max_bytes) {
  return Inflater(Form::kRaw, max_bytes).Run(bytes);
}

}  // namespace cursorwire::wire
