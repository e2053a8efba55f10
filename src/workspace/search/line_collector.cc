#include "workspace/search/line_collector.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/strings.h"

namespace cursorwire::workspace {

bool ResultPage::Take() {
  if (to_skip_ > 0) {
    --to_skip_;
    return false;
  }
  if (limit_ && taken_ == *limit_) return false;
  ++taken_;
  return true;
}

void LineCollector::Add(int64_t number, std::string_view text, bool cut, bool matches) {
  if (matches) ++file_.count;
  if (matches && page_.Take()) {
    for (GrepLine& line : before_) Show(std::move(line));
    before_.clear();
    Show(Make(number, text, cut, false));
    after_left_ = options_.after;
  } else if (after_left_ > 0) {
    --after_left_;
    Show(Make(number, text, cut, true));
  } else if (options_.before > 0 && !truncated_) {
    if (before_.size() == options_.before) before_.pop_front();
    before_.push_back(Make(number, text, cut, true));
  }
}

GrepFile LineCollector::TakeFile() { return std::move(file_); }

GrepLine LineCollector::Make(int64_t number, std::string_view text, bool cut,
                             bool is_context) const {
  const std::string_view start = Utf8Prefix(text, options_.max_line_bytes);
  return {.number = number,
          .text = ToUtf8(start),
          .truncated = cut || start.size() < text.size(),
          .is_context = is_context};
}

void LineCollector::Show(GrepLine line) {
  if (lines_left_ == 0) {
    truncated_ = true;
    return;
  }
  --lines_left_;
  file_.lines.push_back(std::move(line));
}

}  // namespace cursorwire::workspace
