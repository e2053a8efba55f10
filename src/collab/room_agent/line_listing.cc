#include "collab/room_agent/line_listing.h"

#include <absl/strings/str_cat.h>

#include "base/strings.h"

namespace cursorwire::room_agent {

bool LineListing::Add(std::optional<uint32_t> number, std::string_view line) {
  if (closed_) return false;
  const std::string label = number ? absl::StrCat(*number, ": ") : "+: ";
  has_new_ |= !number;
  if (count_ < kMaxShownLines && rows_.size() + label.size() + line.size() < kMaxShownBytes) {
    absl::StrAppend(&rows_, label, ToAbsl(line), "\n");
    ++count_;
    return true;
  }
  closed_ = true;
  if (count_ == 0) {
    absl::StrAppend(&rows_, label, ToAbsl(Utf8Prefix(line, kMaxShownBytes)), " (cut)\n");
  }
  return false;
}

void LineListing::Note(Remark remark, uint32_t first, uint32_t last) {
  Lines& lines = remark == Remark::kChanged    ? changed_
                 : remark == Remark::kGone     ? gone_
                 : remark == Remark::kReplaced ? replaced_
                                               : deleted_;
  // Ranges of the run stay apart: each has to be named as it was.
  const bool joins = remark == Remark::kChanged || remark == Remark::kGone;
  if (joins && lines.first != 0 && lines.last + 1 == first) {
    lines.last = last;
    return;
  }
  lines.Close();
  lines.first = first;
  lines.last = last;
}

void LineListing::Lines::Close() {
  if (first == 0) return;
  absl::StrAppend(&text, text.empty() ? "" : ", ", first);
  if (last > first) absl::StrAppend(&text, "-", last);
  first = 0;
}

std::string LineListing::Text() const {
  std::string text = rows_;
  if (left_out_ > 0) absl::StrAppend(&text, "... (", left_out_, " more lines)\n");
  std::string remark;
  for (const auto& [name, noted] :
       {std::pair("changed", &changed_), std::pair("gone", &gone_),
        std::pair("replaced by you", &replaced_), std::pair("deleted by you", &deleted_)}) {
    Lines lines = *noted;
    lines.Close();
    if (lines.text.empty()) continue;
    absl::StrAppend(&remark, remark.empty() ? "" : "; ", name, ": ", lines.text);
  }
  if (has_new_) {
    absl::StrAppend(&remark, remark.empty() ? "" : "; ", "lines marked + are new and unnumbered");
  }
  if (!remark.empty()) absl::StrAppend(&text, "(Since the lines were numbered: ", remark, ".)\n");
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace cursorwire::room_agent
