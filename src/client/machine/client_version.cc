#include "client/machine/client_version.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire {
namespace {

constexpr char kVersionVariable[] = "CURSORWIRE_CLIENT_VERSION";
constexpr size_t kMaxVersionBytes = 100;
// Source: docs/protocol.md, request headers.
constexpr char kInstalledVersions[] = "/.local/share/cursor-agent/versions";
constexpr std::string_view kDateForm = "dddd.dd.dd-";
constexpr size_t kMinHashDigits = 7;
constexpr size_t kMaxHashDigits = 40;

// "2026.08.31-4057e58", as the folders of the official CLI are named.
bool IsInstalledVersion(std::string_view name) {
  if (name.size() < kDateForm.size() + kMinHashDigits ||
      name.size() > kDateForm.size() + kMaxHashDigits) {
    return false;
  }
  for (size_t i = 0; i < kDateForm.size(); ++i) {
    const bool fits = kDateForm[i] == 'd' ? absl::ascii_isdigit(static_cast<unsigned char>(name[i]))
                                          : name[i] == kDateForm[i];
    if (!fits) return false;
  }
  const std::string_view hash = name.substr(kDateForm.size());
  return std::all_of(hash.begin(), hash.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

absl::Status CheckClientVersion(std::string_view version, std::string_view name) {
  const bool fits =
      !version.empty() && version.size() <= kMaxVersionBytes &&
      std::all_of(version.begin(), version.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (fits) return absl::OkStatus();
  return InvalidArgument(absl::StrCat(ToAbsl(name), " must be 1 to ", kMaxVersionBytes,
                                      " visible ASCII characters, such as ",
                                      RunOptions{}.client_version));
}

absl::StatusOr<ClientVersion> FindClientVersion(const ProcessEnvironment& process_environment) {
  std::string named = process_environment.variable(kVersionVariable);
  if (!named.empty()) {
    if (absl::Status status = CheckClientVersion(named, kVersionVariable); !status.ok()) {
      return status;
    }
    return ClientVersion{.version = std::move(named), .origin = kVersionVariable};
  }
  const std::string home = process_environment.variable("HOME");
  if (!home.starts_with('/')) return ClientVersion{};
  const std::string folder = home + kInstalledVersions;
  std::string newest;
  for (std::string& name : process_environment.folder(folder)) {
    // By their dates; two of a day by their hashes, so that the choice is always the same.
    if (IsInstalledVersion(name) && name > newest) newest = std::move(name);
  }
  if (newest.empty()) return ClientVersion{};
  return ClientVersion{.version = "cli-" + newest, .origin = folder + "/" + newest};
}

absl::StatusOr<ClientVersion> FindClientVersion() {
  return FindClientVersion(ReadProcessEnvironment());
}

}  // namespace cursorwire
