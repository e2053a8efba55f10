// Compares Glob with a slow matcher that tries everything, and checks that IgnoreRules and brace
// expansion keep their limits.
//
// Input: a pattern, a newline, a path; the whole input is also the text of a .gitignore file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "support/harness.h"
#include "workspace/search/brace_expansion.h"
#include "workspace/search/glob.h"
#include "workspace/search/ignore_rules.h"

namespace {

using cursorwire::TakeCharacter;
using cursorwire::fuzz::Check;
using cursorwire::workspace::ExpandBraces;
using cursorwire::workspace::Glob;
using cursorwire::workspace::IgnoreRules;

constexpr size_t kMaxReferenceBytes = 24;  // the slow matcher takes exponential time

// Matches one character against the class at the start of `pattern`, after its bracket, and removes
// the class. The pattern was parsed before, so the class is closed.
bool TakeClass(std::string_view& pattern, char32_t character) {
  const auto take = [&] {
    const char32_t first = TakeCharacter(pattern);
    return first == '\\' ? TakeCharacter(pattern) : first;
  };
  const bool negated = pattern.starts_with('!') || pattern.starts_with('^');
  if (negated) pattern.remove_prefix(1);
  bool within = false;
  for (bool first = true; first || !pattern.starts_with(']'); first = false) {
    const char32_t low = take();
    char32_t high = low;
    if (pattern.size() > 1 && pattern[0] == '-' && pattern[1] != ']') {
      pattern.remove_prefix(1);
      high = take();
    }
    within = within || (low <= character && character <= high);
  }
  pattern.remove_prefix(1);
  return within != negated && character != '/';
}

// `part_start`: `pattern` is at the start of one of its parts.
bool Reference(std::string_view pattern, std::string_view path, bool part_start) {
  if (part_start && (pattern == "**" || pattern.starts_with("**/"))) {
    if (pattern == "**")
      return Reference("*", path, false) || [&] {
        const size_t slash = path.find('/');
        return slash != path.npos && Reference(pattern, path.substr(slash + 1), true);
      }();
    if (Reference(pattern.substr(3), path, true)) return true;
    const size_t slash = path.find('/');
    return slash != path.npos && Reference(pattern, path.substr(slash + 1), true);
  }
  if (pattern.empty()) return path.empty();
  if (pattern.front() == '*') {
    if (Reference(pattern.substr(1), path, false)) return true;
    if (path.empty() || path.front() == '/') return false;
    TakeCharacter(path);
    return Reference(pattern, path, false);
  }
  if (path.empty()) return false;
  const char32_t wanted = TakeCharacter(pattern);
  const char32_t character = TakeCharacter(path);
  if (wanted == '/') return character == '/' && Reference(pattern, path, true);
  if (wanted == '?') return character != '/' && Reference(pattern, path, false);
  if (wanted == '[') return TakeClass(pattern, character) && Reference(pattern, path, false);
  const char32_t literal = wanted == '\\' ? TakeCharacter(pattern) : wanted;
  return literal == character && character != '/' && Reference(pattern, path, false);
}

bool ReferenceMatches(std::string_view pattern, std::string_view path) {
  const bool anchored = pattern.find('/') != pattern.npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  return Reference(anchored ? std::string(pattern) : "**/" + std::string(pattern), path, true);
}

void CompareWithReference(std::string_view pattern, std::string_view path) {
  const absl::StatusOr<Glob> glob = Glob::Parse(pattern, Glob::Braces::kLiteral);
  if (!glob.ok()) return;
  const bool matches = glob->Matches(path);
  if (pattern.size() + path.size() > kMaxReferenceBytes) return;
  Check(matches == ReferenceMatches(pattern, path));
}

// A glob with braces must match the same paths as the globs to which it expands.
void CompareWithExpansion(std::string_view pattern, std::string_view path) {
  const absl::StatusOr<Glob> glob = Glob::Parse(pattern, Glob::Braces::kAlternatives);
  if (!glob.ok()) return;
  const absl::StatusOr<std::vector<std::string>> texts =
      ExpandBraces(pattern, Glob::kMaxAlternatives);
  Check(texts.ok() && texts->size() <= Glob::kMaxAlternatives);
  bool any = false;
  for (const std::string& text : *texts) {
    const absl::StatusOr<Glob> one = Glob::Parse(text, Glob::Braces::kLiteral);
    Check(one.ok());
    any = any || one->Matches(path);
  }
  Check(glob->Matches(path) == any);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t newline = input.find('\n');
  if (newline == input.npos) return 0;
  const std::string_view pattern = input.substr(0, newline);
  const std::string_view path = input.substr(newline + 1);
  CompareWithReference(pattern, path);
  CompareWithExpansion(pattern, path);
  IgnoreRules::OfGitignore(input).Check(path, size % 2 == 0);
  return 0;
}
