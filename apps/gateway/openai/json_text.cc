#include "openai/json_text.h"

#include <cmath>
#include <optional>

#include "common/json_line.h"
#include "openai/api_error.h"
#include "openai/concat.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

// Whole numbers up to here are exact in a double.
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr size_t kEscapeBytes = 6;                     // \uD800

// The unit of an escape such as \uD800 at `at`; nullopt: there is none.
std::optional<unsigned> UnitAt(std::string_view text, size_t at) {
  if (text.size() < at + kEscapeBytes || text[at] != '\\' || text[at + 1] != 'u') {
    return std::nullopt;
  }
  unsigned unit = 0;
  for (size_t i = at + 2; i < at + kEscapeBytes; ++i) {
    const char c = text[i];
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<unsigned>((c | 0x20) - 'a') + 10;
    } else {
      return std::nullopt;
    }
    unit = unit * 16 + digit;
  }
  return unit;
}

bool IsHighSurrogate(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLowSurrogate(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

// Looks over a JSON text before it is parsed.
class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : text_(text) {}

  absl::Status Run() {
    for (size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == '"') {
        in_string_ = !in_string_;
      } else if (in_string_) {
        if (c == '\\') {
          at = SkipEscape(at);
          continue;
        }
      } else if (absl::Status status = Count(c); !status.ok()) {
        return status;
      }
      ++at;
    }
    return absl::OkStatus();
  }

  // As far as Run() came.
  size_t values() const { return values_; }

  // The text without escapes of lone surrogates.
  std::string TakeFixed() {
    if (copied_ == 0 && fixed_.empty()) return std::string(text_);
    return Concat(fixed_, text_.substr(copied_));
  }

 private:
  absl::Status Count(char c) {
    if (c == '[' || c == '{') {
      if (++depth_ > kMaxJsonDepth) {
        return BadRequest(Concat("the body is nested deeper than ", kMaxJsonDepth), "");
      }
    } else if ((c == ']' || c == '}') && depth_ > 0) {
      --depth_;
    }
    if (c == ',' || c == '[' || c == '{') ++values_;
    if (values_ > kMaxJsonValues) {
      return BadRequest(Concat("the body has more than ", kMaxJsonValues, " values"), "");
    }
    return absl::OkStatus();
  }

  size_t SkipEscape(size_t at) {
    const std::optional<unsigned> unit = UnitAt(text_, at);
    if (!unit) return at + 2;
    if (IsHighSurrogate(*unit)) {
      const std::optional<unsigned> next = UnitAt(text_, at + kEscapeBytes);
      if (next && IsLowSurrogate(*next)) return at + 2 * kEscapeBytes;
    }
    if (IsHighSurrogate(*unit) || IsLowSurrogate(*unit)) {
      Append(fixed_, text_.substr(copied_, at - copied_), "\\ufffd");
      copied_ = at + kEscapeBytes;
    }
    return at + kEscapeBytes;
  }

  std::string_view text_;
  bool in_string_ = false;
  size_t depth_ = 0;
  size_t values_ = 0;
  std::string fixed_;  // the text before `copied_`, without lone surrogates
  size_t copied_ = 0;
};

// Makes whole numbers of those that are written as fractions. `rounds`: others become what a double
// can hold of them.
void MakeWhole(json& value, bool rounds) {
  if (value.is_structured()) {
    for (json& child : value) MakeWhole(child, rounds);
  } else if (value.is_number_float() || (rounds && value.is_number())) {
    const double number = value.get<double>();
    if (std::abs(number) <= kExactIntegers && std::trunc(number) == number) {
      value = static_cast<int64_t>(number);
    } else {
      value = number;
    }
  }
}

std::string Canonical(const std::string& text, bool rounds) {
  if (text.empty()) return "{}";
  absl::StatusOr<json> value = ReadJson(text);
  if (!value.ok()) return text;
  MakeWhole(*value, rounds);
  return CompactJson(*value);
}

}  // namespace

absl::StatusOr<json> ReadJson(std::string_view text) {
  JsonScan scan(text);
  if (absl::Status status = scan.Run(); !status.ok()) return status;
  if (text.empty()) return BadRequest("the body is empty", "");
  try {
    return json::parse(scan.TakeFixed());
  } catch (const json::parse_error& error) {  // it alone knows the place
    if (error.byte > text.size()) return BadRequest("the body ends too early for JSON", "");
    return BadRequest(
        Concat("the body is not JSON in UTF-8: byte ", error.byte, " of ", text.size()), "");
  } catch (const json::out_of_range&) {
    return BadRequest("the body has a number that is too large for JSON", "");
  }
}

size_t CountValues(const json& value) {
  size_t count = 1;
  if (!value.is_structured()) return count;
  for (const json& child : value) count += CountValues(child);
  return count;
}

size_t CountValuesOf(std::string_view text) {
  JsonScan scan(text);
  (void)scan.Run();
  return scan.values();
}

std::string CompactJson(const json& value) { return cursor_apps::JsonLine(value); }

std::string CallArguments(const std::string& text) { return Canonical(text, /*rounds=*/false); }
std::string RoundedArguments(const std::string& text) { return Canonical(text, /*rounds=*/true); }

}  // namespace cursor_gateway
