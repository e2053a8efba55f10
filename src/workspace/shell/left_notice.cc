#include "workspace/shell/left_notice.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>

#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

constexpr size_t kMaxLeftNameBytes = 100;

std::string NameOf(const process::LeftProcesses::Process& process) {
  if (process.is_part) return "(a part of the command)";
  std::string_view arguments = process.arguments;
  if (arguments.ends_with('\0')) arguments.remove_suffix(1);
  std::string name(arguments);
  std::replace(name.begin(), name.end(), '\0', ' ');
  return Printable(name, kMaxLeftNameBytes);
}

}  // namespace

std::string LeftNotice(const process::LeftProcesses& left, ShellPlace place) {
  if (left.count == 0) return "";
  std::string names;
  for (const process::LeftProcesses::Process& process : left.first) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", process.id, " ", NameOf(process));
  }
  if (left.count > left.first.size()) {
    absl::StrAppend(&names, ", and ", left.count - left.first.size(), " more");
  }
  return absl::StrCat("\n[ended with the command: ", names,
                      place == ShellPlace::kForeground
                          ? "; use is_background for what is to go on"
                          : "; let the command wait for what is to go on",
                      "]\n");
}

}  // namespace cursorwire::workspace
