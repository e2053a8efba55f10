#include "base/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cursorwire {
namespace {

// Longer words are not compared: they are not options.
constexpr size_t kMaxWordBytes = 64;
constexpr size_t kMinPrefixBytes = 4;  // for "--to" and the like

// How many letters must be added, removed, replaced or swapped with their neighbour to turn `a`
// into `b` (Damerau-Levenshtein, each place changed once).
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // distances from the letters of `a` so far to each prefix
                                          // of `b`
  std::iota(row.begin(), row.end(), size_t{0});
  std::vector<size_t> before;  // the row before the last one
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<size_t> next(b.size() + 1, i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = row[j] + (a[i] == b[j] ? 0 : 1);
      next[j + 1] = std::min({replaced, next[j] + 1, row[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(row, std::move(next));
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

}  // namespace cursorwire
