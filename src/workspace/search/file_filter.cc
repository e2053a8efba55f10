#include "workspace/search/file_filter.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/search/file_types.h"

namespace cursorwire::workspace {

absl::StatusOr<FileFilter> FileFilter::Make(std::string_view glob, const std::string& type) {
  FileFilter filter;
  if (glob.starts_with('!')) {
    absl::Status status = filter.excluded_.Add(glob.substr(1), Glob::Braces::kAlternatives);
    if (!status.ok()) return status;
  } else if (!glob.empty()) {
    const std::string all_below = glob.ends_with('/') ? absl::StrCat(ToAbsl(glob), "**") : "";
    absl::StatusOr<Glob> parsed =
        Glob::Parse(all_below.empty() ? glob : all_below, Glob::Braces::kAlternatives);
    if (!parsed.ok()) return parsed.status();
    filter.glob_ = *std::move(parsed);
  }
  if (!type.empty()) {
    const std::string_view glob_of_type = GlobOfType(type);
    if (glob_of_type.empty()) {
      return LocalError(absl::StatusCode::kInvalidArgument,
                        "the type of file is not known; give a glob such as *.cc in its place");
    }
    absl::StatusOr<Glob> parsed = Glob::Parse(glob_of_type, Glob::Braces::kAlternatives);
    if (!parsed.ok()) return parsed.status();
    filter.type_ = *std::move(parsed);
  }
  return filter;
}

bool FileFilter::Passes(std::string_view place, size_t start_bytes) const {
  const std::string_view relative = place.substr(start_bytes);
  if (type_ && !type_->Matches(relative)) return false;
  return !glob_ || glob_->Matches(relative) || glob_->Matches(place);
}

}  // namespace cursorwire::workspace
