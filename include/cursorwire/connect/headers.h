// Room: values
#ifndef CURSORWIRE_CONNECT_HEADERS_H_
#define CURSORWIRE_CONNECT_HEADERS_H_

#include <absl/status/statusor.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire::connect {

struct Header {
  std::string name;
  std::string value;

  friend bool operator==(const Header&, const Header&) = default;
};

// Header or trailer fields in the order they were added or received. A value.
//
// Names are kept in lower case, as HTTP/2 demands (RFC 9113, 8.2), and compared so. A name may
// occur more than once; the values stay separate. Values of names that end in `-bin` are base64 on
// the wire and are passed through as they are.
// Thread-compatible.
class CURSORWIRE_EXPORT Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> fields);

  // Adds a field after those that are there; the name is turned to lower case.
  void Add(std::string_view name, std::string_view value);
  // Removes every field of that name and adds this one.
  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name);

  // The first value of that name. The view is valid until the next change.
  std::optional<std::string_view> Get(std::string_view name) const;
  // All values of that name, in order.
  std::vector<std::string_view> GetAll(std::string_view name) const;

  using value_type = Header;

  bool empty() const { return fields_.empty(); }
  size_t size() const { return fields_.size(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

  friend bool operator==(const Headers&, const Headers&) = default;

 private:
  std::vector<Header> fields_;
};

// Values of headers and trailers whose names end in `-bin`: any bytes, base64 on the wire. Headers
// holds them as they are on the wire.
//
//   options.headers.Add("trace-bin", EncodeBinaryHeader(bytes));
//
// Source: Connect protocol, "Unary-Request", Custom-Metadata.

// Standard base64 without padding.
CURSORWIRE_EXPORT std::string EncodeBinaryHeader(std::string_view bytes);

// Takes base64 with padding, too.
//   kInvalidArgument  `value` is not base64. Several values that a server joined by commas are not:
//                     cut them apart first
CURSORWIRE_EXPORT absl::StatusOr<std::string> DecodeBinaryHeader(std::string_view value);

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_HEADERS_H_
