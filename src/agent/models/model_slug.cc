#include "agent/models/model_slug.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/strings.h"

namespace cursorwire::agent {
namespace {

// In the order of trying: `extra-high` before `high`.
constexpr std::string_view kEffortSuffixes[] = {"extra-high", "minimal", "xhigh", "medium",
                                                "high",       "low",     "max",   "none"};
constexpr std::string_view kEffortsInOrder[] = {"none", "minimal", "low", "medium",
                                                "high", "xhigh",   "max"};

constexpr int64_t kThousand = 1'000;
constexpr int64_t kMillion = 1'000'000;

// Removes "-word" from the end, unless nothing would be left.
bool CutSuffix(std::string_view& text, std::string_view word) {
  if (text.size() < word.size() + 2 || !text.ends_with(word)) return false;
  const std::string_view rest = text.substr(0, text.size() - word.size());
  if (!rest.ends_with('-')) return false;
  text = rest.substr(0, rest.size() - 1);
  return true;
}

std::string_view CutEffort(std::string_view& text) {
  for (const std::string_view word : kEffortSuffixes) {
    if (CutSuffix(text, word)) return word;
  }
  return "";
}

// The efforts of the ids of each base, "" for an id without one. A base whose ids have no effort at
// all is left out.
using Efforts = std::map<std::string, std::set<std::string>>;

Efforts EffortsByBase(const std::vector<SlugParts>& all) {
  Efforts efforts;
  for (const SlugParts& parts : all) efforts[parts.base].insert(parts.effort);
  std::erase_if(efforts,
                [](const auto& entry) { return entry.second == std::set<std::string>{""}; });
  return efforts;
}

bool MayBeName(const SlugParts& parts) {
  return parts.effort == "max" && !parts.effort_behind_thinking;
}

void TakeMaxAsName(SlugParts& parts) {
  parts.base += "-max";
  parts.effort.clear();
}

}  // namespace

SlugParts ParseSlug(std::string_view id) {
  SlugParts parts;
  parts.fast = CutSuffix(id, "fast");
  parts.thinking = CutSuffix(id, "thinking");
  parts.effort = CutEffort(id);
  if (!parts.thinking && !parts.effort.empty()) {
    parts.thinking = parts.effort_behind_thinking = CutSuffix(id, "thinking");
  }
  parts.base = id;
  return parts;
}

std::string BuildSlug(const SlugParts& parts) {
  std::string id = parts.base;
  const std::string effort = parts.effort.empty() ? "" : "-" + parts.effort;
  if (!parts.effort_behind_thinking) id += effort;
  if (parts.thinking) id += "-thinking";
  if (parts.effort_behind_thinking) id += effort;
  if (parts.fast) id += "-fast";
  return id;
}

std::vector<SlugParts> ParseSlugs(const std::vector<std::string>& ids) {
  std::vector<SlugParts> all;
  all.reserve(ids.size());
  for (const std::string& id : ids) all.push_back(ParseSlug(id));
  const Efforts first = EffortsByBase(all);
  for (SlugParts& parts : all) {
    if (MayBeName(parts) && first.contains(parts.base + "-max")) TakeMaxAsName(parts);
  }
  const Efforts second = EffortsByBase(all);
  for (SlugParts& parts : all) {
    if (MayBeName(parts) && second.at(parts.base).size() == 1) TakeMaxAsName(parts);
  }
  return all;
}

std::string EffortWord(std::string_view text) {
  std::string word = ToLower(text);
  if (word == "extra-high") return "xhigh";
  if (word == "off") return "none";
  return word;
}

int EffortRank(std::string_view word) {
  const auto* found = std::find(std::begin(kEffortsInOrder), std::end(kEffortsInOrder), word);
  return static_cast<int>(found - std::begin(kEffortsInOrder));
}

int EffortDistance(std::string_view word) {
  constexpr std::string_view kOrder[] = {"", "medium", "high", "low", "xhigh", "minimal", "max"};
  const auto* found = std::find(std::begin(kOrder), std::end(kOrder), word);
  return static_cast<int>(found - std::begin(kOrder));
}

int64_t TokensOfWord(std::string_view word) {
  if (word.size() < 2 || word.size() > 7) return 0;
  const char unit = word.back();
  const int64_t factor = unit == 'k' || unit == 'K'   ? kThousand
                         : unit == 'm' || unit == 'M' ? kMillion
                                                      : 0;
  const std::string_view digits = word.substr(0, word.size() - 1);
  int64_t number = 0;
  if (factor == 0 || digits.find_first_not_of("0123456789") != std::string_view::npos ||
      !absl::SimpleAtoi(ToAbsl(digits), &number)) {
    return 0;
  }
  return number * factor;
}

std::string WordOfTokens(int64_t tokens) {
  if (tokens > 0 && tokens % kMillion == 0) return absl::StrCat(tokens / kMillion, "m");
  if (tokens > 0 && tokens % kThousand == 0) return absl::StrCat(tokens / kThousand, "k");
  return absl::StrCat(tokens);
}

int64_t GuessContextTokens(std::string_view id_or_name) {
  constexpr int64_t kUsual = 200'000;
  const std::string text = ToLower(id_or_name);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789.";
  for (size_t begin = 0; begin < text.size();) {
    begin = text.find_first_of(kLetters, begin);
    if (begin == std::string::npos) break;
    const size_t end = std::min(text.find_first_not_of(kLetters, begin), text.size());
    const std::string_view word = std::string_view(text).substr(begin, end - begin);
    if (word == "1m" || word == "272k") return TokensOfWord(word);
    begin = end;
  }
  return kUsual;
}

}  // namespace cursorwire::agent
