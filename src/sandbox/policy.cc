#include "sandbox/policy.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "sandbox/path_order.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxShownPaths = 3;
constexpr size_t kMaxShownPathBytes = 200;

// Without slashes at the end.
std::string_view Bare(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// `..` would make another path of it than its words say.
bool IsPlainPath(std::string_view path) {
  return path.starts_with('/') && path.find("/../") == path.npos && !path.ends_with("/..");
}

bool Names(const std::vector<std::string>& paths, std::string_view path) {
  return std::any_of(paths.begin(), paths.end(),
                     [path](std::string_view one) { return Bare(one) == Bare(path); });
}

bool Covers(const std::vector<std::string>& folders, std::string_view path) {
  return std::any_of(folders.begin(), folders.end(), [path](std::string_view folder) {
    return IsPlainPath(folder) && IsPlainPath(path) && IsAtOrBelow(Bare(path), Bare(folder));
  });
}

std::string PathList(const std::vector<std::string>& paths) {
  std::vector<std::string> shown;
  for (const std::string& path : paths) {
    if (shown.size() == kMaxShownPaths) break;
    shown.push_back(Printable(path, kMaxShownPathBytes));
  }
  std::string list = absl::StrJoin(shown, ", ");
  if (paths.size() > shown.size()) {
    absl::StrAppend(&list, " and ", paths.size() - shown.size(), " more");
  }
  return list;
}

std::string DescribeWritable(const SandboxPolicy& policy) {
  const bool workspace = policy.workspace == WorkspaceAccess::kWrite;
  std::string text;
  if (workspace) text = policy.tmp_write ? "workspace and /tmp" : "workspace";
  if (!workspace && policy.tmp_write) text = "/tmp alone";
  if (!policy.writable.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : ", and ", PathList(policy.writable));
  }
  return text.empty() ? "nothing may be changed" : text + " may be changed";
}

}  // namespace

SandboxPolicy Narrow(const SandboxPolicy& user, const SandboxPolicy& wish) {
  SandboxPolicy both = user;
  if (wish.workspace == WorkspaceAccess::kRead) both.workspace = WorkspaceAccess::kRead;
  both.network = user.network && wish.network;
  both.git_write = user.git_write && wish.git_write;
  both.tmp_write = user.tmp_write && wish.tmp_write;
  both.writable.clear();
  for (const std::string& path : user.writable) {
    if (Names(wish.writable, path) || Covers(wish.writable, path)) both.writable.push_back(path);
  }
  for (const std::string& path : wish.hidden) {
    if (!Names(both.hidden, path)) both.hidden.push_back(path);
  }
  return both;
}

std::vector<std::string> WidensBeyond(const SandboxPolicy& user, const SandboxPolicy& wanted) {
  std::vector<std::string> names;
  if (wanted.workspace == WorkspaceAccess::kWrite && user.workspace == WorkspaceAccess::kRead) {
    names.emplace_back("workspace");
  }
  if (wanted.network && !user.network) names.emplace_back("network");
  if (wanted.git_write && !user.git_write) names.emplace_back("git_write");
  if (wanted.tmp_write && !user.tmp_write) names.emplace_back("tmp");
  for (const std::string& path : wanted.writable) {
    if (!Names(user.writable, path)) names.push_back("write:" + path);
  }
  for (const std::string& path : user.hidden) {
    if (!Names(wanted.hidden, path) && !Covers(wanted.hidden, path)) names.push_back("see:" + path);
  }
  return names;
}

std::string Describe(const SandboxPolicy& policy) {
  std::string text = DescribeWritable(policy);
  absl::StrAppend(&text, policy.network ? ", network" : ", no network",
                  policy.git_write ? ", .git may be changed" : ", .git is read-only");
  if (!policy.hidden.empty()) {
    absl::StrAppend(&text, ", ", policy.hidden.size(), " hidden");
  }
  return text;
}

}  // namespace cursorwire::sandbox
