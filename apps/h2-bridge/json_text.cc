#include "json_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace h2_bridge {
namespace {

using nlohmann::json;

constexpr size_t kEscapeBytes = 6;  // "\uD800"
constexpr std::string_view kReplacement = "\\uFFFD";

json Parse(std::string_view text) { return json::parse(text, nullptr, /*allow_exceptions=*/false); }

// Bytes that are not UTF-8 become U+FFFD.
std::string AsUtf8(std::string_view text) {
  const std::string quoted =
      json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(quoted).get<std::string>();
}

// The code of the escape that `text` begins with; 0: it begins with none.
uint32_t EscapedCode(std::string_view text) {
  if (text.size() < kEscapeBytes || !text.starts_with("\\u")) return 0;
  const std::string digits(text.substr(2, 4));
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) return 0;
  return static_cast<uint32_t>(std::strtoul(digits.c_str(), nullptr, 16));
}

bool IsHighSurrogate(uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
bool IsLowSurrogate(uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

// Takes one escape off the front of `text`, and appends what is to stand for it.
void TakeEscape(std::string_view& text, std::string& out) {
  const uint32_t code = EscapedCode(text);
  size_t bytes = std::min<size_t>(text.size(), 2);
  if (IsHighSurrogate(code) && IsLowSurrogate(EscapedCode(text.substr(kEscapeBytes)))) {
    bytes = 2 * kEscapeBytes;
  } else if (IsHighSurrogate(code) || IsLowSurrogate(code)) {
    out.append(kReplacement);
    text.remove_prefix(kEscapeBytes);
    return;
  }
  out.append(text.substr(0, bytes));
  text.remove_prefix(bytes);
}

// The same for a number.
void TakeNumber(std::string_view& text, std::string& out) {
  const std::string number(text.substr(0, text.find_first_not_of("0123456789+-.eE")));
  text.remove_prefix(number.size());
  if (std::isinf(std::strtod(number.c_str(), nullptr))) {
    out.append(number.front() == '-' ? "-1e308" : "1e308");
  } else {
    out.append(number);
  }
}

std::string Repaired(const std::string& json_text) {
  std::string out;
  bool in_string = false;
  for (std::string_view rest = json_text; !rest.empty();) {
    const char c = rest.front();
    if (in_string && c == '\\') {
      TakeEscape(rest, out);
    } else if (!in_string && (c == '-' || (c >= '0' && c <= '9'))) {
      TakeNumber(rest, out);
    } else {
      in_string = in_string != (c == '"');
      out.push_back(c);
      rest.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace

json ParseJson(std::string_view text) {
  json value = Parse(text);
  if (value.is_discarded()) value = Parse(Repaired(AsUtf8(text)));
  return value;  // moved: to copy a deep one would need as deep a stack
}

}  // namespace h2_bridge
