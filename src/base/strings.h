#ifndef CURSORWIRE_SRC_BASE_STRINGS_H_
#define CURSORWIRE_SRC_BASE_STRINGS_H_

#include <absl/strings/string_view.h>

#include <string>
#include <string_view>

namespace cursorwire {

// Conversions between std::string_view, which our API uses, and absl::string_view, which is a type
// of its own if Abseil was built for C++14. Otherwise both are the same type.
inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

std::string ToLower(std::string_view text);

// True for well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// Removes and returns the first character of `text`, which must not be empty. A byte that is not
// UTF-8 counts as a character of its own, 0x110000 + its value, which equals no other character.
char32_t TakeCharacter(std::string_view& text);

// The longest prefix of at most `max_bytes` that does not end within a character.
std::string_view Utf8Prefix(std::string_view text, size_t max_bytes);

// Length of the incomplete character at the end of `text`, which more bytes could complete: 0 to 3.
size_t UnfinishedUtf8Bytes(std::string_view text);

// `text` with U+FFFD in place of every byte that is not UTF-8.
std::string ToUtf8(std::string_view text);

// JSON text with U+2028, U+2029 and U+0085 escaped. They may stand in it as they are, but common
// readers of lines, such as Python's splitlines() and Node's readline, take them for line ends.
std::string EscapeLineSeparators(std::string json);

// Makes a peer's text fit for one line of a message: control characters and non-ASCII bytes become
// '?', and at most `max_bytes` are kept.
std::string Printable(std::string_view text, size_t max_bytes);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_STRINGS_H_
