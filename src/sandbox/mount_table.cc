#include "sandbox/mount_table.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace cursorwire::sandbox {
namespace {

// Takes what stands before the next space.
std::string_view TakeField(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

std::optional<uint32_t> MountId(std::string_view field) {
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), id);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return id;
}

// "\040" is a space: three octal digits.
std::optional<std::string> WithoutEscapes(std::string_view field) {
  std::string path;
  path.reserve(field.size());
  while (!field.empty()) {
    if (field.front() != '\\') {
      if (field.front() == '\0') return std::nullopt;
      path += field.front();
      field.remove_prefix(1);
      continue;
    }
    constexpr size_t kDigits = 3;
    constexpr int kOctal = 8;
    const std::string_view digits = field.substr(1, kDigits);
    unsigned char byte = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, kOctal);
    if (error != std::errc() || end != digits.data() + kDigits || byte == 0) return std::nullopt;
    path += static_cast<char>(byte);
    field.remove_prefix(1 + kDigits);
  }
  return path;
}

// ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS
std::optional<std::pair<uint32_t, TableMount>> ParseMountLine(std::string_view line) {
  const std::optional<uint32_t> id = MountId(TakeField(line));
  const std::optional<uint32_t> parent = MountId(TakeField(line));
  const std::string_view device = TakeField(line);
  std::optional<std::string> root = WithoutEscapes(TakeField(line));
  std::optional<std::string> mount_point = WithoutEscapes(TakeField(line));
  const std::string_view options = TakeField(line);
  if (!id || !parent || !root || !mount_point) return std::nullopt;
  if (device.find(':') == device.npos || root->empty() || options.empty()) return std::nullopt;
  if (!mount_point->starts_with('/')) return std::nullopt;
  while (!line.empty()) {
    const std::string_view field = TakeField(line);
    if (field.empty()) return std::nullopt;
    if (field != "-") continue;
    const std::string_view type = TakeField(line);
    if (type.empty() || line.empty()) return std::nullopt;
    return std::pair(*id, TableMount{.parent = *parent,
                                     .root = *std::move(root),
                                     .mount_point = *std::move(mount_point),
                                     .type = std::string(type)});
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<MountTable> ParseMountTable(std::string_view text) {
  if (text.size() > kMaxMountTableBytes) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("the list of mounts has more than ", kMaxMountTableBytes,
                                   " bytes: there are too many mounts"));
  }
  MountTable table;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    auto mount = end == text.npos ? std::nullopt : ParseMountLine(text.substr(0, end));
    if (!mount || !table.insert(*std::move(mount)).second) {
      return InvalidArgument(absl::StrCat("line ", number, " of the list of mounts is malformed"));
    }
    text.remove_prefix(end + 1);
  }
  return table;
}

}  // namespace cursorwire::sandbox
