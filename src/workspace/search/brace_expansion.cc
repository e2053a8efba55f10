#include "workspace/search/brace_expansion.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace cursorwire::workspace {
namespace {

using Texts = std::vector<std::string>;

constexpr int kMaxDepth = 16;  // limit of nested braces

class Expander {
 public:
  Expander(std::string_view pattern, size_t max_results)
      : rest_(pattern), max_results_(max_results) {}

  absl::StatusOr<Texts> Sequence(int depth) {
    Texts texts = {""};
    while (!rest_.empty() && !(depth > 0 && (rest_.front() == ',' || rest_.front() == '}'))) {
      if (rest_.front() == '{') {
        const absl::StatusOr<Texts> choices = Choices(depth + 1);
        if (!choices.ok()) return choices.status();
        if (texts.size() * choices->size() > max_results_) return TooMany();
        texts = Product(texts, *choices);
      } else {
        const size_t size = LiteralSize();
        for (std::string& text : texts) text += rest_.substr(0, size);
        rest_.remove_prefix(size);
      }
    }
    return texts;
  }

 private:
  // Reads from an opening brace to just after its closing one.
  absl::StatusOr<Texts> Choices(int depth) {
    if (depth > kMaxDepth) return InvalidArgument("braces within braces, more than 16 deep");
    Texts choices;
    do {
      rest_.remove_prefix(1);  // the brace, or a comma
      absl::StatusOr<Texts> texts = Sequence(depth);
      if (!texts.ok()) return texts.status();
      if (choices.size() + texts->size() > max_results_) return TooMany();
      std::move(texts->begin(), texts->end(), std::back_inserter(choices));
      if (rest_.empty())
        return InvalidArgument("an opening brace { has no closing one; write \\{ for itself");
    } while (rest_.front() == ',');
    rest_.remove_prefix(1);
    return choices;
  }

  // Size of the next literal piece: one byte, an escaped byte, or a whole bracket.
  size_t LiteralSize() const {
    if (rest_.front() == '\\') return std::min<size_t>(2, rest_.size());
    if (rest_.front() != '[') return 1;
    // A closing bracket that comes first is one of the characters.
    size_t at = rest_.size() > 1 && (rest_[1] == '!' || rest_[1] == '^') ? 2 : 1;
    for (size_t first = at; at < rest_.size(); ++at) {
      if (rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == ']' && at != first) {
        return at + 1;
      }
    }
    return 1;  // not closed: the glob's parser reports it
  }

  static Texts Product(const Texts& starts, const Texts& ends) {
    Texts texts;
    texts.reserve(starts.size() * ends.size());
    for (const std::string& start : starts) {
      for (const std::string& end : ends) texts.push_back(start + end);
    }
    return texts;
  }

  absl::Status TooMany() const {
    return InvalidArgument(absl::StrCat("braces that make more than ", max_results_, " patterns"));
  }

  std::string_view rest_;
  const size_t max_results_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandBraces(std::string_view pattern,
                                                      size_t max_results) {
  return Expander(pattern, max_results).Sequence(0);
}

}  // namespace cursorwire::workspace
