#ifndef CURSORWIRE_SRC_AGENT_EXEC_UTF8_PIECES_H_
#define CURSORWIRE_SRC_AGENT_EXEC_UTF8_PIECES_H_

#include <string>
#include <string_view>

namespace cursorwire::agent {

// Makes UTF-8 of the bytes of one stream that come piece by piece: the texts together are what
// ToUtf8() makes of all bytes, wherever the pieces were cut.
//
// Order: Next() any number of times, then Last() once. Thread-compatible.
class Utf8Pieces {
 public:
  // Holds back the start of a character whose rest may come, at most three bytes.
  std::string Next(std::string_view bytes);
  // The same, for the end of the stream: holds back nothing.
  std::string Last(std::string_view bytes);

 private:
  std::string held_;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_UTF8_PIECES_H_
