#include "json/checked_json.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace cursorwire {
namespace {

using nlohmann::json;

constexpr size_t kMaxQuotedBytes = 300;

// Goes through a text without storing it, and records what is wrong with it.
class Checker final : public nlohmann::json_sax<json> {
 public:
  explicit Checker(const JsonBounds& bounds) : bounds_(bounds) {}

  const std::string& error() const { return error_; }

  bool null() override { return Count(); }
  bool boolean(bool) override { return Count(); }
  bool number_integer(json::number_integer_t) override { return Count(); }
  bool number_unsigned(json::number_unsigned_t) override { return Count(); }
  bool number_float(json::number_float_t, const std::string&) override { return Count(); }
  bool string(std::string&) override { return Count(); }
  bool binary(json::binary_t&) override { return false; }  // JSON has none
  bool start_object(size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool key(std::string& name) override {
    if (names_.back().insert(name).second) return true;
    error_ = "there are two fields \"" + name.substr(0, kMaxQuotedBytes) + "\" in one object";
    return false;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at ..."
    const size_t start = what.find("] ");
    error_ = what.substr(start == what.npos ? 0 : start + 2, kMaxQuotedBytes);
    return false;
  }

 private:
  bool Count() {
    if (values_++ <= bounds_.max_values) return true;  // the outermost one is not counted
    error_ = "it has more than " + std::to_string(bounds_.max_values) + " values";
    return false;
  }
  bool Enter() {
    names_.emplace_back();
    if (names_.size() <= bounds_.max_depth) return Count();
    error_ = "it is nested deeper than " + std::to_string(bounds_.max_depth);
    return false;
  }
  bool Leave() {
    names_.pop_back();
    return true;
  }

  const JsonBounds bounds_;
  size_t values_ = 0;
  std::vector<std::set<std::string>> names_;  // of each open object, so far
  std::string error_;
};

}  // namespace

absl::StatusOr<json> ParseCheckedJson(std::string_view text, const JsonBounds& bounds) {
  Checker checker(bounds);
  if (!json::sax_parse(text.begin(), text.end(), &checker)) {
    return InvalidArgument(checker.error());
  }
  return json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace cursorwire
