#ifndef CURSORWIRE_SRC_WORKSPACE_FS_TEXT_ENCODING_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_TEXT_ENCODING_H_

#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::workspace {

// How a file holds text, as far as its bytes tell. A mark is U+FEFF at the start.
enum class TextEncoding {
  kUtf8,       // without a mark; also an empty file
  kUtf8Mark,   // with one
  kUtf16Le,    // little-endian, with a mark
  kUtf16Be,    // big-endian, with a mark
  kOtherText,  // no zero byte and no UTF-8: an older encoding, which the bytes do not name
  kNoText,     // a zero byte
};

TextEncoding EncodingOf(std::string_view content);

// The text of a file in UTF-16, as UTF-8 without the mark; nullopt: it has no mark of UTF-16, is
// not well-formed (RFC 2781), or has a zero character.
std::optional<std::string> Utf16ToUtf8(std::string_view content);

// `text`, which is UTF-8, as a file of that encoding holds it: with its mark, once. kOtherText and
// kNoText: as it is.
std::string EncodeText(std::string_view text, TextEncoding encoding);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_TEXT_ENCODING_H_
