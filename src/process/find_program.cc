#include "process/find_program.h"

#include <absl/status/status.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::process {
namespace {

constexpr size_t kMaxQuotedBytes = 200;

enum class Found { kNo, kForbidden, kYes };

Found LookAt(const std::string& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return Found::kNo;
  return ::access(file.c_str(), X_OK) == 0 ? Found::kYes : Found::kForbidden;
}

}  // namespace

absl::StatusOr<std::string> FindProgram(std::string_view name, std::string_view path,
                                        std::string_view folder) {
  std::vector<std::string> files;
  if (name.find('/') != name.npos) {
    files.push_back(name.starts_with('/') ? std::string(name)
                                          : absl::StrCat(ToAbsl(folder), "/", ToAbsl(name)));
  } else if (!name.empty()) {
    for (const absl::string_view part : absl::StrSplit(ToAbsl(path), ':')) {
      if (absl::StartsWith(part, "/")) files.push_back(absl::StrCat(part, "/", ToAbsl(name)));
    }
  }
  bool forbidden = false;
  for (std::string& file : files) {
    const Found found = LookAt(file);
    if (found == Found::kYes) return std::move(file);
    forbidden = forbidden || found == Found::kForbidden;
  }
  const std::string quoted = Printable(name, kMaxQuotedBytes);
  if (forbidden) {
    return LocalError(absl::StatusCode::kPermissionDenied,
                      absl::StrCat("the user may not run ", quoted));
  }
  return LocalError(
      absl::StatusCode::kNotFound,
      absl::StrCat("there is no program ", quoted, name.find('/') == name.npos ? " in PATH" : ""));
}

}  // namespace cursorwire::process
