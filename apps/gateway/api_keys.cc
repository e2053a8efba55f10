#include "api_keys.h"

#include <sys/stat.h>

#include <fstream>
#include <string_view>
#include <utility>

#include "api/concat.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cursor_gateway {
namespace {

constexpr size_t kMaxKeyFileBytes = size_t{1024} * 1024;
constexpr size_t kMaxKeyBytes = 4096;
constexpr std::string_view kBearer = "bearer ";

bool SameDigest(std::string_view a, std::string_view b) {
  unsigned difference = 0;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0 && a.size() == b.size();
}

}  // namespace

absl::StatusOr<ApiKeys> ApiKeys::Load(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) return absl::InvalidArgumentError(Concat("cannot read the key file ", file));
  ApiKeys keys;
  size_t bytes = 0;
  for (std::string line; std::getline(stream, line);) {
    bytes += line.size() + 1;
    if (bytes > kMaxKeyFileBytes) {
      return absl::InvalidArgumentError(Concat("the key file ", file, " is over 1 MiB"));
    }
    const std::string_view key = cursorwire::Trim(line);
    if (key.empty() || key.front() == '#') continue;
    if (key.size() > kMaxKeyBytes) {
      return absl::InvalidArgumentError(Concat("a key in ", file, " is over 4096 bytes"));
    }
    keys.digests_.push_back(cursorwire::Sha256(key));
  }
  if (stream.bad() || keys.digests_.empty()) {
    return absl::InvalidArgumentError(Concat("there is no key in the key file ", file));
  }
  return keys;
}

bool ApiKeys::IsReadByOthers(const std::string& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

ApiKeys ApiKeys::Of(const std::string& key) {
  ApiKeys keys;
  keys.digests_.push_back(cursorwire::Sha256(key));
  return keys;
}

std::optional<std::string> ApiKeys::OwnerOf(const HttpHead& head) const {
  if (digests_.empty()) return "";
  const std::string* authorization = head.Find("authorization");
  if (authorization != nullptr &&
      SameWord(std::string_view(*authorization).substr(0, kBearer.size()), kBearer)) {
    auto owner = OwnerOfKey(std::string_view(*authorization).substr(kBearer.size()));
    if (owner) return owner;
  }
  const std::string* key = head.Find("x-api-key");
  return key == nullptr ? std::nullopt : OwnerOfKey(*key);
}

std::optional<std::string> ApiKeys::OwnerOfKey(std::string_view key) const {
  if (key.size() > kMaxKeyBytes) return std::nullopt;
  std::string digest = cursorwire::Sha256(cursorwire::Trim(key));
  bool found = false;
  for (const std::string& known : digests_) found = SameDigest(known, digest) || found;
  if (!found) return std::nullopt;
  return digest;
}

}  // namespace cursor_gateway
