#include "workspace/fs/code_file.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

// In lower case. docs/workspace.md, Policy, gives the reasons.
constexpr std::string_view kNames[] = {".git",          ".husky",  ".vscode", ".idea",    ".cursor",
                                       ".devcontainer", ".claude", ".envrc",  ".mcp.json"};
// A folder with this file is a git folder, whatever its name.
constexpr char kHead[] = "HEAD";

struct UnseenRange {
  char32_t first;
  char32_t last;
};

// Characters that a file system may ignore when it compares names. Source: Unicode 15,
// DerivedCoreProperties.txt, Default_Ignorable_Code_Point.
constexpr UnseenRange kUnseen[] = {
    {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},   {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool IsUnseen(char32_t c) {
  return std::any_of(std::begin(kUnseen), std::end(kUnseen),
                     [c](const UnseenRange& range) { return c >= range.first && c <= range.last; });
}

// The name in lower case, without ignored characters, and without dots and spaces at its end, which
// FAT and NTFS remove.
std::string Plain(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const std::string_view rest = name;
    if (IsUnseen(TakeCharacter(name))) continue;
    plain += rest.substr(0, rest.size() - name.size());
  }
  while (plain.ends_with('.') || plain.ends_with(' ')) plain.pop_back();
  return absl::AsciiStrToLower(plain);
}

// "git~1", the short name of ".git" on FAT and NTFS.
bool IsShortNameOfGit(std::string_view plain) {
  constexpr std::string_view kStart = "git~";
  return plain.starts_with(kStart) && plain.size() > kStart.size() &&
         plain.find_first_not_of("0123456789", kStart.size()) == plain.npos;
}

// True inside a bare repository, or a folder made by --separate-git-dir.
bool IsInGitFolder(const Workspace& workspace, std::string place) {
  while (!place.empty()) {
    const size_t slash = place.rfind('/');
    place.resize(slash == place.npos ? 0 : slash);
    if (!absl::IsNotFound(workspace.KindOf(Join(place, kHead)).status())) return true;
  }
  return false;
}

}  // namespace

bool IsNameOfCode(std::string_view part) {
  const std::string plain = Plain(part);
  return IsShortNameOfGit(plain) ||
         std::find(std::begin(kNames), std::end(kNames), plain) != std::end(kNames);
}

bool RunsCode(const Workspace& workspace, const std::string& path) {
  for (std::string_view rest = path; !rest.empty();) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    if (IsNameOfCode(rest.substr(0, slash))) return true;
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  if (Plain(path.substr(path.rfind('/') + 1)) == Plain(kHead)) return true;
  const absl::StatusOr<std::string> place = workspace.Locate(path);
  return !place.ok() || IsInGitFolder(workspace, *place);
}

}  // namespace cursorwire::workspace
