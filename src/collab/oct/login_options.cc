#include "collab/oct/login_options.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "base/unseen.h"

namespace cursorwire::oct {
namespace {

bool IsLoginField(std::string_view text) {
  if (text.size() > kMaxLoginFieldBytes || !IsUtf8(text)) return false;
  while (!text.empty()) {
    const char32_t character = TakeCharacter(text);
    if (IsControl(character) || IsUnseen(character)) return false;
  }
  return true;
}

absl::Status BadLoginField(std::string_view field) {
  return InvalidArgument(absl::StrCat("the ", ToAbsl(field), " must be UTF-8 of at most ",
                                      kMaxLoginFieldBytes, " bytes, without control characters"));
}

}  // namespace

bool IsRoomId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRoomIdCharacters && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

absl::Status CheckLoginOptions(const LoginOptions& options) {
  if (!IsRoomId(options.room)) {
    return InvalidArgument(absl::StrCat("the room must have 1 to ", kMaxRoomIdCharacters,
                                        " printable characters of ASCII, without blanks"));
  }
  if (options.name.empty()) return InvalidArgument("the name must not be empty");
  if (!IsLoginField(options.name)) return BadLoginField("name");
  if (!IsLoginField(options.email)) return BadLoginField("email address");
  const auto first =
      std::min({options.login_timeout, options.join_timeout, options.connect_timeout});
  if (first.count() <= 0) return InvalidArgument("a timeout must be longer than nothing");
  return absl::OkStatus();
}

}  // namespace cursorwire::oct
