#ifndef CURSORWIRE_SRC_DOCUMENTS_LIST_INDENTS_H_
#define CURSORWIRE_SRC_DOCUMENTS_LIST_INDENTS_H_

#include <cstddef>
#include <vector>

namespace cursorwire::documents {

// Where the contents of the open list items begin, in columns from 0, innermost last: a fence may
// be indented by up to three columns from there (CommonMark 0.30, sections 4.5 and 5.2). A value.
class ListIndents {
 public:
  // A line that begins at `column` ends the items whose contents begin further to the right.
  void OnLine(size_t column) {
    while (!columns_.empty() && columns_.back() > column) columns_.pop_back();
  }
  // More items than anybody nests do not count.
  void OnItem(size_t column) {
    if (columns_.size() < kMaxListDepth) columns_.push_back(column);
  }
  void Clear() { columns_.clear(); }
  size_t innermost() const { return columns_.empty() ? 0 : columns_.back(); }

 private:
  static constexpr size_t kMaxListDepth = 64;

  std::vector<size_t> columns_;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_LIST_INDENTS_H_
