#include "agent/trace/visible_bytes.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cstdint>

#include "base/strings.h"
#include "base/unseen.h"

namespace cursorwire::agent {
namespace {

constexpr size_t kMaxShownTextBytes = 200;
constexpr size_t kMaxShownHexBytes = 32;
// How base/strings.h tells of a byte that is not UTF-8.
constexpr char32_t kFirstBadByte = 0x110000;

bool IsShown(char32_t c) { return c < kFirstBadByte && !IsControl(c) && !IsUnseen(c); }

std::string EscapeOf(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  if (c >= kFirstBadByte) return absl::StrFormat("\\x%02x", static_cast<uint32_t>(c) & 0xFF);
  if (c > 0xFFFF) return absl::StrFormat("\\U%08x", static_cast<uint32_t>(c));
  return absl::StrFormat("\\u%04x", static_cast<uint32_t>(c));
}

std::string Escaped(std::string_view text, bool in_quotes) {
  std::string result;
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = TakeCharacter(text);
    if (in_quotes && (c == '"' || c == '\\')) result += '\\';
    if (IsShown(c)) {
      result += before.substr(0, before.size() - text.size());
    } else {
      result += EscapeOf(c);
    }
  }
  return result;
}

bool IsPrintable(std::string_view text) {
  while (!text.empty()) {
    const char32_t c = TakeCharacter(text);
    if (!IsShown(c) && c != '\n' && c != '\t' && c != '\r') return false;
  }
  return true;
}

}  // namespace

std::string VisibleLine(std::string_view text) { return Escaped(text, false); }

std::string VisibleStart(std::string_view text) {
  const std::string_view start = Utf8Prefix(text, kMaxShownTextBytes);
  if (start.size() == text.size()) return VisibleLine(text);
  return absl::StrCat(VisibleLine(start), "... (", text.size(), " bytes)");
}

std::string QuotedText(std::string_view text) {
  const std::string_view start = Utf8Prefix(text, kMaxShownTextBytes);
  if (start.size() == text.size()) return absl::StrCat("\"", Escaped(text, true), "\"");
  return absl::StrCat("\"", Escaped(start, true), "\"... (", text.size(), " bytes)");
}

std::string QuotedBytes(std::string_view bytes) {
  if (bytes.empty()) return "(0 bytes)";
  if (IsPrintable(Utf8Prefix(bytes, kMaxShownTextBytes))) {
    const std::string text = QuotedText(bytes);
    return text.ends_with(')') ? text : absl::StrCat(text, " (", bytes.size(), " bytes)");
  }
  const std::string_view start = bytes.substr(0, kMaxShownHexBytes);
  return absl::StrCat(absl::BytesToHexString(ToAbsl(start)),
                      start.size() < bytes.size() ? "..." : "", " (", bytes.size(), " bytes)");
}

}  // namespace cursorwire::agent
