#include "workspace/fs/link_target.h"

#include <limits.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

namespace cursorwire::workspace {
namespace {

constexpr int kMaxLinksOnAPath = 40;  // the kernel's limit

// What is ahead of a path that is followed: names, the last of which comes first.
using NamesAhead = std::vector<std::string>;

// False: there are more names than are left.
bool PutAhead(std::string_view path, NamesAhead& ahead, size_t& names_left) {
  while (!path.empty()) {
    const size_t slash = path.rfind('/');
    const std::string_view name = path.substr(slash == path.npos ? 0 : slash + 1);
    path = path.substr(0, slash == path.npos ? 0 : slash);
    if (name.empty() || name == ".") continue;
    if (names_left == 0) return false;
    --names_left;
    ahead.emplace_back(name);
  }
  return true;
}

// To the folder above; the root has none.
void GoUp(std::string& reached) {
  const size_t slash = reached.rfind('/');
  reached.resize(slash == reached.npos ? 0 : slash);
}

}  // namespace

std::optional<std::string> WhereItLeads(const std::string& path, size_t& names_left) {
  std::string reached;  // empty: the root
  NamesAhead ahead;
  if (!PutAhead(path, ahead, names_left)) return std::nullopt;
  int links = 0;
  bool is_there = true;
  while (!ahead.empty()) {
    const std::string name = std::move(ahead.back());
    ahead.pop_back();
    if (name == "..") {
      GoUp(reached);
      is_there = true;
      continue;
    }
    reached += "/" + name;
    if (reached == "/proc") return std::nullopt;
    if (!is_there) continue;
    char target[PATH_MAX];  // no link is longer
    const ssize_t bytes = ::readlink(reached.c_str(), target, sizeof(target));
    if (bytes < 0 && errno == EINVAL) continue;  // it is no link
    if (bytes < 0) {
      // The kernel goes further than a path can be written: by links, and from an open folder. And
      // where this process may not go, another may. But no file has a name that is too long.
      const bool is_long_name = errno == ENAMETOOLONG && links == 0 && reached.size() < PATH_MAX;
      if (errno != ENOENT && errno != ENOTDIR && !is_long_name) return std::nullopt;
      is_there = false;
      continue;
    }
    const std::string_view next(target, static_cast<size_t>(bytes));
    if (++links > kMaxLinksOnAPath || !PutAhead(next, ahead, names_left)) return std::nullopt;
    GoUp(reached);
    if (next.starts_with('/')) reached.clear();
  }
  return reached.empty() ? "/" : reached;
}

}  // namespace cursorwire::workspace
