#include "upstream/script/json_fields.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::upstream {
namespace {

using nlohmann::json;

bool IsHex(const std::string& text) {
  return text.size() % 2 == 0 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

}  // namespace

JsonFields::JsonFields(const json& json, std::string where)
    : json_(json), where_(std::move(where)) {
  if (!json_.is_object()) Fail("must be an object");
}

const json* JsonFields::Find(std::string_view name) {
  known_.emplace(name);
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(std::string(name));
  return found == json_.end() ? nullptr : &*found;
}

bool JsonFields::Has(std::string_view name) const {
  return json_.is_object() && json_.contains(std::string(name));
}

std::string JsonFields::String(std::string_view name, std::string_view otherwise) {
  const json* value = Find(name);
  if (value == nullptr) return std::string(otherwise);
  if (value->is_string()) return value->get<std::string>();
  FailAt(name, "must be a string");
  return "";
}

std::string JsonFields::RequiredString(std::string_view name) {
  if (Find(name) == nullptr) FailAt(name, "is missing");
  return String(name, "");
}

std::optional<bool> JsonFields::Bool(std::string_view name) {
  const json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  FailAt(name, "must be true or false");
  return std::nullopt;
}

std::optional<int64_t> JsonFields::Integer(std::string_view name, int64_t min, int64_t max) {
  const json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_integer()) {
    // A number above the signed range becomes negative here.
    const auto number = value->get<int64_t>();
    if (number >= min && number <= max) return number;
  }
  FailAt(name, absl::StrCat("must be an integer from ", min, " to ", max));
  return std::nullopt;
}

std::optional<std::string> JsonFields::Bytes() {
  std::optional<std::string> bytes;
  int forms = 0;
  for (const char* name : {"text", "hex", "base64"}) {
    if (Find(name) == nullptr) continue;
    ++forms;
    const std::string form = name;
    const std::string text = String(name, "");
    bytes = text;
    if (form == "hex" && !IsHex(text)) FailAt(name, "must be pairs of hex digits");
    if (form == "hex" && IsHex(text)) bytes = absl::HexStringToBytes(text);
    if (form == "base64" && !absl::Base64Unescape(text, &*bytes)) FailAt(name, "must be base64");
  }
  if (forms > 1) Fail("has more than one of text, hex and base64");
  return bytes;
}

std::string JsonFields::RequiredBytes() {
  std::optional<std::string> bytes = Bytes();
  if (!bytes) Fail("wants one of text, hex and base64");
  return bytes.value_or("");
}

void JsonFields::Fail(std::string_view what) {
  if (!error_.ok()) return;
  error_ = LocalError(absl::StatusCode::kInvalidArgument, absl::StrCat(where_, " ", ToAbsl(what)));
}

void JsonFields::FailAt(std::string_view name, std::string_view what) {
  if (!error_.ok()) return;
  error_ =
      LocalError(absl::StatusCode::kInvalidArgument, absl::StrCat(Where(name), " ", ToAbsl(what)));
}

std::string JsonFields::Where(std::string_view name) const {
  return absl::StrCat(where_, ".", ToAbsl(name));
}

absl::Status JsonFields::Finish() const {
  if (!error_.ok()) return error_;
  for (const auto& [name, value] : json_.items()) {
    if (known_.contains(name)) continue;
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat(where_, " has the unknown member '", name, "'",
                                   known_.empty() ? "" : "; known: ", absl::StrJoin(known_, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::upstream
