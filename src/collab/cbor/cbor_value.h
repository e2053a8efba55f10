#ifndef CURSORWIRE_SRC_COLLAB_CBOR_CBOR_VALUE_H_
#define CURSORWIRE_SRC_COLLAB_CBOR_CBOR_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cursorwire::collab {

// An item of CBOR (RFC 8949) as programs exchange it that think in JavaScript: text, bytes,
// numbers, and a value for what is not defined.
class CborValue {
 public:
  struct Undefined {
    friend bool operator==(const Undefined&, const Undefined&) = default;
  };
  struct Null {
    friend bool operator==(const Null&, const Null&) = default;
  };
  struct Bytes {
    std::string bytes;
    friend bool operator==(const Bytes&, const Bytes&) = default;
  };
  using Array = std::vector<CborValue>;
  // In the order in which they came; of a key that came twice, the last one counts.
  using Map = std::vector<std::pair<CborValue, CborValue>>;

  CborValue() = default;  // undefined
  explicit CborValue(Null null) : value_(null) {}
  explicit CborValue(bool boolean) : value_(boolean) {}
  explicit CborValue(int64_t integer) : value_(integer) {}
  explicit CborValue(double number) : value_(number) {}
  explicit CborValue(std::string text) : value_(std::move(text)) {}
  explicit CborValue(std::string_view text) : value_(std::string(text)) {}
  explicit CborValue(const char* text) : value_(std::string(text)) {}
  explicit CborValue(Bytes bytes) : value_(std::move(bytes)) {}
  explicit CborValue(Array array) : value_(std::move(array)) {}
  explicit CborValue(Map map) : value_(std::move(map)) {}

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&value_);
  }
  template <typename T>
  T* As() {
    return std::get_if<T>(&value_);
  }
  bool is_undefined() const { return As<Undefined>() != nullptr; }

  // The value of a key of a map; nullptr where there is none, and where this is no map.
  const CborValue* Find(std::string_view key) const;
  // A whole number, also one that was sent as a float; nothing for all else.
  std::optional<int64_t> AsInteger() const;
  // Any number.
  std::optional<double> AsNumber() const;

  friend bool operator==(const CborValue&, const CborValue&) = default;

 private:
  std::variant<Undefined, Null, bool, int64_t, double, std::string, Bytes, Array, Map> value_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_CBOR_CBOR_VALUE_H_
