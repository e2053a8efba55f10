#include "workspace/fs/allow_look.h"

#include <absl/status/status.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/fs/file_entry.h"
#include "workspace/fs/permission.h"

namespace cursorwire::workspace {
namespace {

absl::StatusOr<std::string> ShownPathOf(const OpenFile& file) {
  absl::StatusOr<std::string> path = PathOf(file);
  if (path.ok() && !IsUtf8(*path)) return InvalidArgument("the path is no UTF-8");
  return path;
}

// The rest of `path`, if it is `folder` or below it. Both are absolute and have no links.
std::optional<std::string> PlaceIn(std::string_view folder, std::string_view path) {
  if (path == folder) return "";
  const size_t start = folder == "/" ? 0 : folder.size();
  if (!path.starts_with(folder) || path[start] != '/') return std::nullopt;
  return std::string(path.substr(start + 1));
}

}  // namespace

absl::StatusOr<Look> AllowLook(const Workspace& workspace, const LookPolicy& policy,
                               const std::string& place, const MakeLook& make,
                               const ActionContext& context) {
  if (!policy) return Look{.workspace = workspace, .place = place};
  const absl::StatusOr<OpenFile> found = workspace.OpenPath(place);
  if (!found.ok()) return found.status();
  const absl::StatusOr<OpenFile> root = workspace.OpenPath("");
  if (!root.ok()) return root.status();
  absl::StatusOr<std::string> path = ShownPathOf(*found);
  if (!path.ok()) return path.status();
  const absl::StatusOr<std::string> folder = PathOf(*root);
  if (!folder.ok()) return folder.status();
  std::optional<std::string> real = PlaceIn(*folder, *path);
  if (!real) return LocalError(absl::StatusCode::kAborted, "it was moved meanwhile; try again");
  if (absl::Status status = AskPolicy(policy, make(*std::move(path)), context); !status.ok()) {
    return status;
  }
  return Look{.workspace = workspace.WithoutLinks(), .place = *std::move(real)};
}

absl::Status AllowReading(const LookPolicy& policy, const OpenFile& file,
                          const ActionContext& context) {
  if (!policy) return absl::OkStatus();
  absl::StatusOr<std::string> path = ShownPathOf(file);
  if (!path.ok()) return path.status();
  return AskPolicy(policy, ReadAction{.path = *std::move(path)}, context);
}

}  // namespace cursorwire::workspace
