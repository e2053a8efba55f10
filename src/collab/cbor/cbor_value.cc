#include "collab/cbor/cbor_value.h"

#include <cmath>

namespace cursorwire::collab {
namespace {

// Whole numbers up to here are the same as floats.
constexpr double kLargestExact = 9007199254740992.0;  // 2^53

}  // namespace

const CborValue* CborValue::Find(std::string_view key) const {
  const Map* const map = As<Map>();
  if (map == nullptr) return nullptr;
  for (auto member = map->rbegin(); member != map->rend(); ++member) {
    const auto* const text = member->first.As<std::string>();
    if (text != nullptr && *text == key) return &member->second;
  }
  return nullptr;
}

std::optional<int64_t> CborValue::AsInteger() const {
  if (const auto* integer = As<int64_t>()) return *integer;
  const auto* const number = As<double>();
  if (number == nullptr || std::abs(*number) > kLargestExact || std::trunc(*number) != *number) {
    return std::nullopt;
  }
  return static_cast<int64_t>(*number);
}

std::optional<double> CborValue::AsNumber() const {
  if (const auto* integer = As<int64_t>()) return static_cast<double>(*integer);
  if (const auto* number = As<double>()) return *number;
  return std::nullopt;
}

}  // namespace cursorwire::collab
