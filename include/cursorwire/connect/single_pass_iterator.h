// Room: values
#ifndef CURSORWIRE_CONNECT_SINGLE_PASS_ITERATOR_H_
#define CURSORWIRE_CONNECT_SINGLE_PASS_ITERATOR_H_

#include <cstddef>
#include <iterator>
#include <optional>

namespace cursorwire::connect {

// Makes a range of a source whose Next() gives std::optional<Element>, nullopt at the end. Making
// one, and each increment, takes the next element and may block; the elements cannot be read twice,
// and each is destroyed before the next one is waited for.
// The source must outlive it and stay where it is.
template <typename Source, typename Element>
class SinglePassIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using pointer = const Element*;
  using reference = const Element&;

  explicit SinglePassIterator(Source* source) : source_(source), current_(source->Next()) {}

  reference operator*() const { return *current_; }
  pointer operator->() const { return &*current_; }
  SinglePassIterator& operator++() {
    current_.reset();  // what the source may wait for is let go first
    current_ = source_->Next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const SinglePassIterator& it, std::default_sentinel_t) {
    return !it.current_.has_value();
  }

 private:
  Source* source_;
  std::optional<Element> current_;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_SINGLE_PASS_ITERATOR_H_
