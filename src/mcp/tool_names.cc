#include "mcp/tool_names.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <cstddef>
#include <cstdint>

#include "base/strings.h"

namespace cursorwire::mcp {
namespace {

constexpr size_t kMaxModelNameBytes = 64;
constexpr size_t kMaxProviderBytes = 24;
constexpr size_t kHashBytes = 8;

// FNV-1a; the hash of a name must not change with the library or the machine.
std::string HashOf(std::string_view text, uint32_t salt) {
  uint32_t hash = 2166136261U ^ salt;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad8));
}

std::string Cleaned(std::string_view text, std::string_view allowed, char otherwise) {
  std::string result;
  while (!text.empty()) {
    const char c = text.front();
    const bool good =
        absl::ascii_isalnum(static_cast<unsigned char>(c)) || allowed.find(c) != allowed.npos;
    TakeCharacter(text);
    result += good ? c : otherwise;
  }
  return result;
}

// `name` if it fits and is free, else its start and a hash of `whole`.
std::string Unique(const std::string& name, std::string_view whole, bool changed, size_t max_bytes,
                   char separator, std::set<std::string>& taken) {
  if (!changed && !name.empty() && name.size() <= max_bytes && taken.insert(name).second) {
    return name;
  }
  const std::string start = name.substr(0, max_bytes - kHashBytes - 1);
  for (uint32_t salt = 0;; ++salt) {
    std::string candidate = absl::StrCat(start, std::string(1, separator), HashOf(whole, salt));
    if (taken.insert(candidate).second) return candidate;
  }
}

size_t MaxToolBytes(std::string_view provider) {
  constexpr size_t kAround = std::string_view("mcp__").size();
  return kMaxModelNameBytes - kAround - provider.size();
}

constexpr std::string_view kToolCharacters = "_-";

}  // namespace

std::string ProviderName(std::string_view server, std::set<std::string>& taken) {
  // Not with a hash whenever it was changed: people read this one.
  return Unique(Cleaned(server, "-", '-'), server, false, kMaxProviderBytes, '-', taken);
}

bool FitsAsToolName(std::string_view provider, std::string_view tool) {
  return !tool.empty() && tool.size() <= MaxToolBytes(provider) &&
         Cleaned(tool, kToolCharacters, '_') == tool;
}

std::string ToolName(std::string_view provider, std::string_view tool,
                     std::set<std::string>& taken) {
  return Unique(Cleaned(tool, kToolCharacters, '_'), tool, !FitsAsToolName(provider, tool),
                MaxToolBytes(provider), '_', taken);
}

std::string RequestName(std::string_view provider, std::string_view tool,
                        std::set<std::string>& taken) {
  const std::string name = absl::StrCat(ToAbsl(provider), "_", ToAbsl(tool));
  return Unique(name, name, false, kMaxModelNameBytes, '_', taken);
}

}  // namespace cursorwire::mcp
