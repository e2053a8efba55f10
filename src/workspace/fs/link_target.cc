#include "workspace/fs/link_target.h"

#include <deque>
#include <filesystem>
#include <system_error>

namespace cursorwire::workspace {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinksOnAPath = 40;  // the kernel's limit

// The names of a path; of an absolute one, without the root.
std::deque<fs::path> NamesOf(const fs::path& path) {
  const fs::path names = path.relative_path();
  return {names.begin(), names.end()};
}

bool IsInProc(const fs::path& path) {
  const std::deque<fs::path> names = NamesOf(path);
  return !names.empty() && names.front() == "proc";
}

}  // namespace

std::optional<std::string> WhereItLeads(const std::string& path) {
  fs::path reached = "/";
  std::deque<fs::path> ahead = NamesOf(path);
  for (int links = 0; !ahead.empty();) {
    const fs::path name = ahead.front();
    ahead.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      reached = reached.parent_path();
      continue;
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(reached / name, error);
    if (error) {  // it is no link, or not there
      reached /= name;
      if (IsInProc(reached)) return std::nullopt;
      continue;
    }
    if (++links > kMaxLinksOnAPath) return std::nullopt;
    if (target.is_absolute()) reached = "/";
    const std::deque<fs::path> names = NamesOf(target);
    ahead.insert(ahead.begin(), names.begin(), names.end());
  }
  return reached.string();
}

}  // namespace cursorwire::workspace
