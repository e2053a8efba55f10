#include "collab/repo/document_id.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/sha256.h"
#include "base/strings.h"

namespace cursorwire::collab {
namespace {

constexpr std::string_view kUrlPrefix = "automerge:";
// Bitcoin's: none of 0, O, I and l.
constexpr std::string_view kAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr unsigned kBase = 58;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kUuidCharacters = 36;
constexpr size_t kIdCharacters = 28;  // of 20 bytes

// The first bytes of SHA-256 of SHA-256.
std::string ChecksumOf(std::string_view bytes) {
  return Sha256(Sha256(bytes)).substr(0, kChecksumBytes);
}

// The number that the bytes are, with a 1 for each zero byte in front.
std::string ToBase58(std::string_view bytes) {
  std::string digits;  // from the lowest
  for (const char byte : bytes) {
    unsigned carry = static_cast<uint8_t>(byte);
    for (char& digit : digits) {
      carry += static_cast<unsigned>(digit) << 8;
      digit = static_cast<char>(carry % kBase);
      carry /= kBase;
    }
    for (; carry > 0; carry /= kBase) digits.push_back(static_cast<char>(carry % kBase));
  }
  const size_t zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
  std::string text(zeros, kAlphabet[0]);
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    text.push_back(kAlphabet[static_cast<size_t>(*digit)]);
  }
  return text;
}

std::optional<std::string> FromBase58(std::string_view text) {
  std::string bytes;  // from the lowest
  for (const char character : text) {
    const size_t value = kAlphabet.find(character);
    if (value == std::string_view::npos) return std::nullopt;
    auto carry = static_cast<unsigned>(value);
    for (char& byte : bytes) {
      carry += kBase * static_cast<uint8_t>(byte);
      byte = static_cast<char>(carry & 0xff);
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push_back(static_cast<char>(carry & 0xff));
  }
  const size_t zeros = std::min(text.find_first_not_of(kAlphabet[0]), text.size());
  bytes.append(zeros, '\0');
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

absl::Status NoId(std::string_view text, std::string_view why) {
  return InvalidArgument(
      absl::StrCat("\"", Printable(text, 60), "\" is no document: ", ToAbsl(why)));
}

}  // namespace

absl::StatusOr<DocumentId> DocumentId::Parse(std::string_view text) {
  std::string_view id = text;
  if (id.starts_with(kUrlPrefix)) id.remove_prefix(kUrlPrefix.size());
  if (id.find('#') != std::string_view::npos) {
    return NoId(text, "former states (#...) cannot be opened, only what is there now");
  }
  if (id.find('/') != std::string_view::npos) {
    return NoId(text, "a part of a document (/...) cannot be opened, only all of it");
  }
  if (id.size() == kUuidCharacters && id.find('-') != std::string_view::npos) {
    return NoId(text, "ids in the old form, a UUID, are not supported");
  }
  std::optional<std::string> bytes;
  if (id.size() <= kIdCharacters) bytes = FromBase58(id);
  Bytes result{};
  if (!bytes || bytes->size() < result.size()) {
    return NoId(text, "an id is automerge: and 27 or 28 letters and digits");
  }
  const std::string_view body = std::string_view(*bytes).substr(0, result.size());
  if (ChecksumOf(body) != std::string_view(*bytes).substr(result.size())) {
    return NoId(text, "its checksum is wrong; is a character missing or mistyped?");
  }
  std::copy(body.begin(), body.end(), result.begin());
  return DocumentId(result);
}

std::string DocumentId::ToString() const {
  const std::string bytes(bytes_.begin(), bytes_.end());
  return ToBase58(bytes + ChecksumOf(bytes));
}

std::string DocumentId::ToUrl() const { return std::string(kUrlPrefix) + ToString(); }

}  // namespace cursorwire::collab
