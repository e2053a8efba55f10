#include "suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cursor_chat {
namespace {

// Longer words are not compared: they are no option.
constexpr size_t kMaxWordBytes = 64;
constexpr size_t kMinPrefixBytes = 4;  // of "--to" and the like

// How many letters must be added, removed or replaced to make `b` of `a` (Levenshtein).
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // from the letters of `a` so far to each start of `b`
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Suggest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() < kMinPrefixBytes || word.size() > kMaxWordBytes) return "";
  std::string best;
  size_t best_distance = 1 + word.size() / 4;
  for (const std::string& candidate : known) {
    if (candidate.starts_with(word)) return candidate;
    const size_t distance = Distance(word, candidate);
    if (distance > best_distance || (distance == best_distance && !best.empty())) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace cursor_chat
