#include "collab/oct/msgpack.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;

// Builds the value that the parser goes through, within the limits.
class MsgpackBuilder final : public nlohmann::json_sax<json> {
 public:
  json TakeValue() { return std::move(root_); }
  // Why the parser stopped.
  absl::Status Error() const {
    if (is_over_limit_) {
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat("msgpack: ", ToAbsl(error_)));
    }
    return InvalidArgument(absl::StrCat("msgpack: ", ToAbsl(error_)));
  }

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(json::number_integer_t value) override { return Put(value); }
  bool number_unsigned(json::number_unsigned_t value) override { return Put(value); }
  bool number_float(json::number_float_t value, const std::string&) override { return Put(value); }
  bool string(std::string& value) override {
    if (!IsUtf8(value)) return Stop("text is not UTF-8");
    return Put(std::move(value));
  }
  bool binary(json::binary_t& value) override {
    if (value.has_subtype()) return Put(nullptr);  // an extension type
    return Put(std::move(value));
  }
  bool key(std::string& name) override {
    if (!IsUtf8(name)) return Stop("a name is not UTF-8");
    if (!Count()) return false;
    member_ = &(*open_.back())[std::move(name)];
    return true;
  }
  bool start_object(size_t) override { return Open(json::object()); }
  bool start_array(size_t) override { return Open(json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Stop(absl::StrCat("cannot be read at byte ", position));
  }

 private:
  bool Put(json value) { return Count() && (Place(std::move(value)), true); }

  bool Open(json value) {
    if (open_.size() >= kMaxMsgpackDepth) {
      return StopAtLimit(absl::StrCat("nested deeper than ", kMaxMsgpackDepth));
    }
    if (!Count()) return false;
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  // A pointer stays valid until its list grows, which does not happen while an element is open.
  json* Place(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(value));
    *member_ = std::move(value);
    return member_;
  }

  bool Count() {
    if (++values_ <= kMaxMsgpackValues) return true;
    return StopAtLimit(absl::StrCat("more than ", kMaxMsgpackValues, " values"));
  }
  bool StopAtLimit(std::string what) {
    is_over_limit_ = true;
    return Stop(std::move(what));
  }
  bool Stop(std::string what) {
    error_ = std::move(what);
    return false;
  }

  json root_;
  std::vector<json*> open_;  // lists and maps, outermost first
  json* member_ = nullptr;   // of the innermost map: where the next value goes
  size_t values_ = 0;
  bool is_over_limit_ = false;
  std::string error_;
};

// As a number of either sign.
bool FitsIn32Bits(const json& number) {
  if (number.is_number_unsigned() || number.get<int64_t>() >= 0) {
    return number.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
  }
  return number.get<int64_t>() >= std::numeric_limits<int32_t>::min();
}

void WidenIntegers(json& value) {
  if (value.is_structured()) {
    for (json& element : value) WidenIntegers(element);
  } else if (value.is_number_integer() && !FitsIn32Bits(value)) {
    value = value.get<double>();
  }
}

}  // namespace

absl::StatusOr<json> ReadMsgpack(std::string_view bytes) {
  MsgpackBuilder builder;
  if (!json::sax_parse(bytes.begin(), bytes.end(), &builder, json::input_format_t::msgpack)) {
    return builder.Error();
  }
  return builder.TakeValue();
}

std::string WriteMsgpack(json value) {
  WidenIntegers(value);
  std::string bytes;
  json::to_msgpack(value, bytes);
  return bytes;
}

}  // namespace cursorwire::oct
