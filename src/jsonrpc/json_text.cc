#include "jsonrpc/json_text.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "json/json_reader.h"

namespace cursorwire::jsonrpc {
namespace {

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

absl::Status NotJson() { return InvalidArgument("this is not JSON"); }

absl::Status TooManyValues() {
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat("JSON of more than ", kMaxValues, " values"));
}

absl::StatusOr<Json> ParseAndCut(std::string_view text) {
  CuttingReader reader;
  if (Json::sax_parse(WithoutLoneSurrogates(text), &reader)) return reader.TakeValue();
  return reader.too_many() ? TooManyValues() : NotJson();
}

}  // namespace

absl::StatusOr<Json> ParseJsonText(std::string_view text, DeepValues deep) {
  // The outermost value is one of kMaxValues.
  constexpr JsonBounds kBounds{.max_depth = kMaxDepth, .max_values = kMaxValues - 1};
  Json value;
  const std::optional<JsonFault> fault = ReadJson(text, kBounds, value);
  if (!fault) return value;
  switch (fault->kind) {
    case JsonFault::Kind::kTooDeep:
      if (deep == DeepValues::kCut) return ParseAndCut(text);
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat("JSON nested deeper than ", kMaxDepth));
    case JsonFault::Kind::kTooManyValues:
      return TooManyValues();
    default:
      return NotJson();
  }
}

std::string WriteJsonText(const Json& value) {
  return EscapeLineSeparators(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace cursorwire::jsonrpc
