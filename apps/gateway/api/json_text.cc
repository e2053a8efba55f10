#include "api/json_text.h"

#include <cmath>
#include <optional>

#include "api/api_error.h"
#include "api/concat.h"
#include "common/json_line.h"
#include "json/json_reader.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

// Whole numbers up to here are exact in a double.
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr cursorwire::JsonBounds kBounds{.max_depth = kMaxJsonDepth, .max_values = kMaxJsonValues};

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
  using Kind = cursorwire::JsonFault::Kind;
  if (text.empty()) return BadRequest("the body is empty", "");
  json value;
  const std::optional<cursorwire::JsonFault> fault = cursorwire::ReadJson(text, kBounds, value);
  if (!fault) return value;
  switch (fault->kind) {
    case Kind::kTooDeep:
      return BadRequest(Concat("the body is nested deeper than ", kMaxJsonDepth), "");
    case Kind::kTooManyValues:
      return BadRequest(Concat("the body has more than ", kMaxJsonValues, " values"), "");
    case Kind::kEndsEarly:
      return BadRequest("the body ends too early for JSON", "");
    case Kind::kLargeNumber:
      return BadRequest("the body has a number that is too large for JSON", "");
    case Kind::kNotJson:
      break;
  }
  return BadRequest(
      Concat("the body is not JSON in UTF-8: byte ", fault->byte, " of ", text.size()), "");
}

size_t CountValues(const json& value) {
  size_t count = 1;
  if (!value.is_structured()) return count;
  for (const json& child : value) count += CountValues(child);
  return count;
}

size_t CountValuesOf(std::string_view text) { return cursorwire::CountJsonValues(text, kBounds); }

std::string CompactJson(const json& value) { return cursor_apps::JsonLine(value); }

std::string CallArguments(const std::string& text) { return Canonical(text, /*rounds=*/false); }
std::string RoundedArguments(const std::string& text) { return Canonical(text, /*rounds=*/true); }

}  // namespace cursor_gateway
