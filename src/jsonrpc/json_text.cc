#include "jsonrpc/json_text.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::jsonrpc {
namespace {

// Goes through a text without storing it, up to the first thing that is wrong.
class SizeCheck final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Count(); }
  bool boolean(bool /*value*/) override { return Count(); }
  bool number_integer(Json::number_integer_t /*value*/) override { return Count(); }
  bool number_unsigned(Json::number_unsigned_t /*value*/) override { return Count(); }
  bool number_float(Json::number_float_t /*value*/, const std::string& /*text*/) override {
    return Count();
  }
  bool string(std::string& /*value*/) override { return Count(); }
  bool binary(Json::binary_t& /*value*/) override { return Count(); }
  bool key(std::string& /*name*/) override { return true; }
  bool start_object(size_t /*size*/) override { return Descend(); }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(size_t /*size*/) override { return Descend(); }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

  bool too_deep() const { return depth_ > kMaxDepth; }
  bool too_many() const { return values_ > kMaxValues; }

 private:
  bool Count() { return ++values_ <= kMaxValues; }
  bool Descend() { return ++depth_ <= kMaxDepth && Count(); }

  int depth_ = 0;
  size_t values_ = 0;
};

// Makes a value of a text and leaves out what is nested too deep, which takes no memory.
class CuttingReader final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(Json::number_integer_t value) override { return Put(value); }
  bool number_unsigned(Json::number_unsigned_t value) override { return Put(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) override {
    return Put(value);
  }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return false; }  // JSON has none
  bool key(std::string& name) override {
    if (skipped_ == 0) name_ = std::move(name);
    return true;
  }
  bool start_object(size_t /*size*/) override { return Open(Json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(size_t /*size*/) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

  Json TakeValue() { return std::move(root_); }
  bool too_many() const { return values_ > kMaxValues; }

 private:
  bool Put(Json value) {
    if (++values_ > kMaxValues) return false;
    if (skipped_ > 0) return true;
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else if (open_.back()->is_array()) {
      last_ = &open_.back()->emplace_back(std::move(value));
    } else {
      last_ = &((*open_.back())[name_] = std::move(value));
    }
    return true;
  }
  bool Open(Json empty) {
    const bool fits = open_.size() < static_cast<size_t>(kMaxDepth);
    if (!Put(fits ? std::move(empty) : Json(kDeepValue))) return false;
    if (fits && skipped_ == 0) {
      open_.push_back(last_);
    } else {
      ++skipped_;
    }
    return true;
  }
  bool Close() {
    if (skipped_ > 0) {
      --skipped_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // lists and objects, from the root on
  Json* last_ = nullptr;     // what was put last
  std::string name_;         // of the member to come
  size_t skipped_ = 0;       // open lists and objects within the value that is left out
  size_t values_ = 0;
};

// The code unit of an escape such as \ud83d at the start of `text`.
std::optional<uint32_t> EscapedUnit(std::string_view text) {
  constexpr size_t kEscapeBytes = 6;
  if (text.size() < kEscapeBytes || !text.starts_with("\\u")) return std::nullopt;
  uint32_t unit = 0;
  for (const char c : text.substr(2, 4)) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return std::nullopt;
    const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
    unit = unit * 16 + static_cast<uint32_t>(lower <= '9' ? lower - '0' : lower - 'a' + 10);
  }
  return unit;
}

bool IsHighSurrogate(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Backslashes stand in strings alone, else the text is no JSON.
std::string WithoutLoneSurrogates(std::string_view text) {
  constexpr size_t kEscapeBytes = 6;
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t plain = std::min(text.find('\\'), text.size());
    result.append(text.substr(0, plain));
    text.remove_prefix(plain);
    const std::optional<uint32_t> unit = EscapedUnit(text);
    size_t length = unit ? kEscapeBytes : std::min<size_t>(2, text.size());
    bool lone = unit && IsLowSurrogate(*unit);
    if (unit && IsHighSurrogate(*unit)) {
      const std::optional<uint32_t> next = EscapedUnit(text.substr(length));
      lone = !next || !IsLowSurrogate(*next);
      if (!lone) length += kEscapeBytes;
    }
    result.append(lone ? std::string_view("\\ufffd") : text.substr(0, length));
    text.remove_prefix(length);
  }
  return result;
}

absl::Status NotJson() { return InvalidArgument("this is not JSON"); }

absl::Status TooManyValues() {
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat("JSON of more than ", kMaxValues, " values"));
}

absl::StatusOr<Json> ParseAndCut(std::string_view text) {
  CuttingReader reader;
  if (Json::sax_parse(text, &reader)) return reader.TakeValue();
  return reader.too_many() ? TooManyValues() : NotJson();
}

}  // namespace

absl::StatusOr<Json> ParseJsonText(std::string_view text, DeepValues deep) {
  std::string repaired;
  if (text.find("\\u") != text.npos) {
    repaired = WithoutLoneSurrogates(text);
    text = repaired;
  }
  // Not by a callback of the parser: with one it takes a time that is the square of the length.
  SizeCheck check;
  if (!Json::sax_parse(text, &check)) {
    if (check.too_deep() && deep == DeepValues::kCut) return ParseAndCut(text);
    if (check.too_deep()) {
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat("JSON nested deeper than ", kMaxDepth));
    }
    return check.too_many() ? TooManyValues() : NotJson();
  }
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return NotJson();
  return value;
}

std::string WriteJsonText(const Json& value) {
  return EscapeLineSeparators(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

const Json& MemberOf(const Json& object, const char* name) {
  static const Json& none = *new Json();
  if (!object.is_object()) return none;
  const auto member = object.find(name);
  return member == object.end() ? none : *member;
}

std::string TextOf(const Json& object, const char* name) {
  const Json& member = MemberOf(object, name);
  return member.is_string() ? member.get<std::string>() : "";
}

}  // namespace cursorwire::jsonrpc
