#include "cursorwire/connect/headers.h"

#include <algorithm>

#include "base/strings.h"

namespace cursorwire::connect {

Headers::Headers(std::initializer_list<Header> fields) {
  for (const Header& field : fields) Add(field.name, field.value);
}

void Headers::Add(std::string_view name, std::string_view value) {
  fields_.push_back({ToLower(name), std::string(value)});
}

void Headers::Set(std::string_view name, std::string_view value) {
  Remove(name);
  Add(name, value);
}

void Headers::Remove(std::string_view name) {
  const std::string lower = ToLower(name);
  std::erase_if(fields_, [&](const Header& field) { return field.name == lower; });
}

std::optional<std::string_view> Headers::Get(std::string_view name) const {
  const std::string lower = ToLower(name);
  for (const Header& field : fields_) {
    if (field.name == lower) return field.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::GetAll(std::string_view name) const {
  const std::string lower = ToLower(name);
  std::vector<std::string_view> values;
  for (const Header& field : fields_) {
    if (field.name == lower) values.push_back(field.value);
  }
  return values;
}

}  // namespace cursorwire::connect
