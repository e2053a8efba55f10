#include "terminal_session/wide_text.h"

#include <bit>
#include <cstdint>

namespace cursor_chat {
namespace {

constexpr wchar_t kReplacement = 0xFFFD;

size_t LengthOf(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool IsCharacter(uint32_t code, size_t bytes) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
  return !(bytes == 3 && code < 0x800) && !(bytes == 4 && code < 0x10000);
}

void Append(uint32_t code, std::string& text) {
  const auto tail = [&text](uint32_t bits) { text += static_cast<char>(0x80 | (bits & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    tail(code);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    tail(code >> 6);
    tail(code);
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    tail(code >> 12);
    tail(code >> 6);
    tail(code);
  }
}

}  // namespace

WideCharacter FirstCharacter(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const size_t length = LengthOf(lead);
  if (length == 0) return {kReplacement, 1};
  if (length == 1) return {static_cast<wchar_t>(lead), 1};
  uint32_t code = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {};
    const auto next = static_cast<unsigned char>(bytes[i]);
    if ((next & 0xC0) != 0x80) return {kReplacement, 1};
    code = (code << 6) | (next & 0x3Fu);
  }
  if (!IsCharacter(code, length)) return {kReplacement, 1};
  return {static_cast<wchar_t>(code), length};
}

std::wstring ToWide(std::string_view text) {
  std::wstring wide;
  while (!text.empty()) {
    WideCharacter next = FirstCharacter(text);
    if (next.bytes == 0) next = {kReplacement, 1};
    wide += next.character;
    text.remove_prefix(next.bytes);
  }
  return wide;
}

std::string ToUtf8(std::wstring_view text) {
  std::string bytes;
  for (const wchar_t c : text) {
    const auto code = std::bit_cast<uint32_t>(c);
    Append(IsCharacter(code, 0) ? code : static_cast<uint32_t>(kReplacement), bytes);
  }
  return bytes;
}

}  // namespace cursor_chat
