#ifndef CURSORWIRE_TESTS_SUPPORT_FOR_EACH_SPLIT_H_
#define CURSORWIRE_TESTS_SUPPORT_FOR_EACH_SPLIT_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::test {

// Calls `fn` with a std::vector<std::string_view> of the pieces of `bytes`: the whole in one piece,
// byte by byte, and cut in two at every place. A decoder must give the same result each time.
// A failure inside `fn` names the split.
template <typename Fn>
void ForEachSplit(std::string_view bytes, Fn fn) {
  using Pieces = std::vector<std::string_view>;
  {
    SCOPED_TRACE("in one piece");
    fn(Pieces{bytes});
  }
  {
    SCOPED_TRACE("byte by byte");
    Pieces pieces;
    for (size_t i = 0; i < bytes.size(); ++i) pieces.push_back(bytes.substr(i, 1));
    fn(pieces);
  }
  for (size_t cut = 1; cut < bytes.size(); ++cut) {
    SCOPED_TRACE("cut before byte " + std::to_string(cut));
    fn(Pieces{bytes.substr(0, cut), bytes.substr(cut)});
  }
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_FOR_EACH_SPLIT_H_
