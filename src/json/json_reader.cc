#include "json/json_reader.h"

#include <absl/strings/ascii.h>

#include <cstdint>
#include <utility>

namespace cursorwire {
namespace {

using nlohmann::json;
using Kind = JsonFault::Kind;

constexpr size_t kEscapeBytes = 6;  // \ud800

// The code unit of an escape such as \ud800 at `at`; nullopt: there is none.
std::optional<uint32_t> EscapedUnit(std::string_view text, size_t at) {
  if (text.size() < kEscapeBytes || at > text.size() - kEscapeBytes) return std::nullopt;
  if (text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  uint32_t unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return std::nullopt;
    const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
    unit = unit * 16 + static_cast<uint32_t>(lower <= '9' ? lower - '0' : lower - 'a' + 10);
  }
  return unit;
}

bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Looks over a text before it is parsed: not by a callback of the parser, with which it takes a
// time that is the square of the length.
class JsonScan {
 public:
  JsonScan(std::string_view text, const JsonBounds& bounds) : text_(text), bounds_(bounds) {}

  std::optional<JsonFault> Run() {
    for (size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == '"') {
        in_string_ = !in_string_;
      } else if (in_string_) {
        if (c == '\\') {
          at = SkipEscape(at);
          continue;
        }
      } else if (const std::optional<Kind> fault = Count(c)) {
        return JsonFault{.kind = *fault};
      }
      ++at;
    }
    return std::nullopt;
  }

  // As far as Run() came.
  size_t values() const { return values_; }
  // Has lone surrogates.
  bool repairs() const { return copied_ > 0; }
  // The text without them. Call once.
  std::string TakeRepaired() { return std::move(repaired_.append(text_.substr(copied_))); }

 private:
  std::optional<Kind> Count(char c) {
    if (c == '[' || c == '{') {
      if (++depth_ > bounds_.max_depth) return Kind::kTooDeep;
    } else if ((c == ']' || c == '}') && depth_ > 0) {
      --depth_;
    }
    if (c == ',' || c == '[' || c == '{') ++values_;
    if (values_ > bounds_.max_values) return Kind::kTooManyValues;
    return std::nullopt;
  }

  // Where the escape at `at` ends.
  size_t SkipEscape(size_t at) {
    const std::optional<uint32_t> unit = EscapedUnit(text_, at);
    if (!unit) return at + 2;
    if (IsHighSurrogate(*unit)) {
      const std::optional<uint32_t> next = EscapedUnit(text_, at + kEscapeBytes);
      if (next && IsLowSurrogate(*next)) return at + 2 * kEscapeBytes;
    }
    if (IsHighSurrogate(*unit) || IsLowSurrogate(*unit)) {
      repaired_.append(text_.substr(copied_, at - copied_)).append("\\ufffd");
      copied_ = at + kEscapeBytes;
    }
    return at + kEscapeBytes;
  }

  const std::string_view text_;
  const JsonBounds bounds_;
  bool in_string_ = false;
  size_t depth_ = 0;
  size_t values_ = 0;
  std::string repaired_;  // the text before `copied_`, without lone surrogates
  size_t copied_ = 0;
};

}  // namespace

std::optional<JsonFault> ReadJson(std::string_view text, const JsonBounds& bounds, json& value) {
  // The library takes it for the end of the text.
  if (const size_t end = text.find('\0'); end != std::string_view::npos) {
    return JsonFault{.kind = Kind::kNotJson, .byte = end + 1};
  }
  JsonScan scan(text, bounds);
  if (const std::optional<JsonFault> fault = scan.Run()) return fault;
  std::string repaired;
  if (scan.repairs()) {
    repaired = scan.TakeRepaired();
    text = repaired;
  }
  try {
    value = json::parse(text);
  } catch (const json::parse_error& error) {  // it alone knows the place
    return JsonFault{.kind = error.byte > text.size() ? Kind::kEndsEarly : Kind::kNotJson,
                     .byte = error.byte};
  } catch (const json::out_of_range&) {
    return JsonFault{.kind = Kind::kLargeNumber};
  }
  return std::nullopt;
}

size_t CountJsonValues(std::string_view text, const JsonBounds& bounds) {
  JsonScan scan(text, bounds);
  (void)scan.Run();
  return scan.values();
}

std::string WithoutLoneSurrogates(std::string_view text) {
  JsonScan scan(text, {});
  (void)scan.Run();
  return scan.TakeRepaired();
}

}  // namespace cursorwire
