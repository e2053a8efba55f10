#include "sandbox/protected_names.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/strings.h"
#include "base/unseen.h"

namespace cursorwire::sandbox {
namespace {

// In lower case. docs/workspace.md, "Files that run code", gives the reasons. Of names that have a
// rule below, the usual ones stand here, too: these are looked for as links.
constexpr std::string_view kNames[] = {
    // Hooks, and commands of their settings, which version control runs.
    ".git", ".hg", ".jj", ".sl", ".husky", ".pre-commit-config.yaml", ".pre-commit-config.yml",
    "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml",
    ".lefthook-local.yml", "prek.toml", "captainhook.json",
    // Tasks and language servers, which an editor starts.
    ".vscode", ".vs", ".idea", ".fleet", ".zed", ".helix", ".devcontainer", ".devcontainer.json",
    // Hooks and servers of tools, which an agent starts.
    ".cursor", ".claude", ".codex", ".gemini", ".qwen", ".kiro", ".roo", ".kilocode", ".windsurf",
    ".cline", ".clinerules", ".continue", ".amazonq", ".factory", ".junie", ".trae", ".opencode",
    "opencode.json", "opencode.jsonc", ".aider.conf.yml", "crush.json", ".crush.json", ".mcp.json",
    // What a shell reads on the way into the folder.
    ".envrc", ".mise", "mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml",
    // Programs and registries, which tools of building take from there.
    ".cargo", ".npmrc", ".pnpmfile.cjs", ".yarnrc", ".yarnrc.yml"};
// The ends of such names.
constexpr std::string_view kEnds[] = {".code-workspace"};

// The name in lower case, without ignored characters, and without dots and spaces at its end, which
// FAT and NTFS remove.
std::string PlainName(std::string_view name) {
  std::string plain;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(name.begin(), name.end(), is_ascii)) {  // no character of ASCII is ignored
    plain = name;
    name = {};
  }
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

// "lefthook.yml" in all its forms: with a dot before, the word "-local", another format.
bool IsConfigOfLefthook(std::string_view plain) {
  if (plain.starts_with('.')) plain.remove_prefix(1);
  constexpr std::string_view kStart = "lefthook";
  if (!plain.starts_with(kStart)) return false;
  plain.remove_prefix(kStart.size());
  constexpr std::string_view kLocal = "-local";
  if (plain.starts_with(kLocal)) plain.remove_prefix(kLocal.size());
  constexpr std::string_view kFormats[] = {".yml", ".yaml", ".toml", ".json", ".jsonc"};
  return std::find(std::begin(kFormats), std::end(kFormats), plain) != std::end(kFormats);
}

// "mise.toml", also of an environment ("mise.dev.toml"), with or without a dot before.
bool IsConfigOfMise(std::string_view plain) {
  if (plain.starts_with('.')) plain.remove_prefix(1);
  return plain.starts_with("mise.") && plain.ends_with(".toml");
}

// What all protected names begin with, but for the ends: most names of a walk go no further.
bool MayBegin(char first) {
  return std::string_view(".gclmop").find(first) != std::string_view::npos;
}

}  // namespace

std::span<const std::string_view> ProtectedNames() { return kNames; }

bool IsProtectedName(std::string_view part) {
  const std::string plain = PlainName(part);
  if (plain.empty()) return false;
  if (std::any_of(std::begin(kEnds), std::end(kEnds),
                  [&plain](std::string_view end) { return plain.ends_with(end); })) {
    return true;
  }
  if (!MayBegin(plain.front())) return false;
  return IsShortNameOfGit(plain) || IsConfigOfLefthook(plain) || IsConfigOfMise(plain) ||
         std::find(std::begin(kNames), std::end(kNames), plain) != std::end(kNames);
}

bool IsProtectedPlace(std::string_view folder, std::string_view name) {
  const std::string plain = PlainName(name);
  if (plain == "mise") return PlainName(folder) == ".config";
  return (plain == "conf.d" || (plain.starts_with("config.") && plain.ends_with(".toml"))) &&
         PlainName(folder) == "mise";
}

bool HasProtectedName(std::string_view path) {
  std::string_view former;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, slash);
    if (IsProtectedName(name) || IsProtectedPlace(former, name)) return true;
    former = name;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

bool IsNameOfGit(std::string_view name) {
  const std::string plain = PlainName(name);
  return plain == ".git" || IsShortNameOfGit(plain);
}

bool IsNameOfHead(std::string_view name) { return PlainName(name) == "head"; }

}  // namespace cursorwire::sandbox
