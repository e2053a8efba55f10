// Inflates bytes under a limit, and the gzip form of these bytes.
//
// Input: bytes 0 and 1 are the limit, low byte first, in steps of 16 bytes; the rest is the data.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/gzip.h"

namespace {

using cursorwire::wire::Gunzip;
using cursorwire::wire::Gzip;

void Check(bool holds) {
  if (!holds) std::abort();
}

// A limit must refuse larger content and change nothing else.
void CheckLimit(std::string_view bytes, size_t limit) {
  const absl::StatusOr<std::string> content = Gunzip(bytes, limit);
  if (content.ok()) {
    Check(content->size() <= limit);
    Check(*Gunzip(bytes, content->size()) == *content);
    if (content->empty()) return;
    Check(Gunzip(bytes, content->size() - 1).status().code() ==
          absl::StatusCode::kResourceExhausted);
  } else if (content.status().code() != absl::StatusCode::kResourceExhausted) {
    Check(content.status().code() == absl::StatusCode::kInternal);
    Check(!Gunzip(bytes, 2 * limit).ok());
  }
}

void CheckTruncations(std::string_view member, std::string_view content) {
  Check(*Gunzip(member, content.size()) == content);
  for (size_t size = 0; size < member.size(); size += 1 + member.size() / 16) {
    Check(!Gunzip(member.substr(0, size), content.size()).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t limit = (data[0] + size_t{256} * data[1]) * 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  CheckLimit(bytes, limit);
  CheckTruncations(Gzip(bytes), bytes);
  // A valid header in front, so that the fuzzer reaches broken deflate data sooner.
  CheckLimit(std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + std::string(bytes), limit);
  return 0;
}
