#ifndef CURSORWIRE_SRC_BASE_UTF8_PIECES_H_
#define CURSORWIRE_SRC_BASE_UTF8_PIECES_H_

#include <string>
#include <string_view>

namespace cursorwire {

// Converts the bytes of one stream to UTF-8 piece by piece. The pieces joined are what ToUtf8()
// makes of all the bytes, wherever they were cut.
//
// Order: Next() any number of times, then Last() once. Thread-compatible.
class Utf8Pieces {
 public:
  // Holds back an incomplete character at the end, at most three bytes.
  std::string Next(std::string_view bytes);
  // The last piece: holds back nothing.
  std::string Last(std::string_view bytes);

 private:
  std::string held_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_UTF8_PIECES_H_
