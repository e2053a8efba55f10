#include "json_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "json/json_reader.h"

namespace h2_bridge {
namespace {

using nlohmann::json;

// Bytes that are not UTF-8 become U+FFFD.
std::string AsUtf8(std::string_view text) {
  const std::string quoted =
      json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(quoted).get<std::string>();
}

// Takes a number off the front of `text`, and appends it, or the nearest that a double holds.
void TakeNumber(std::string_view& text, std::string& out) {
  const std::string number(text.substr(0, text.find_first_not_of("0123456789+-.eE")));
  text.remove_prefix(number.size());
  if (std::isinf(std::strtod(number.c_str(), nullptr))) {
    out.append(number.front() == '-' ? "-1e308" : "1e308");
  } else {
    out.append(number);
  }
}

std::string WithFiniteNumbers(const std::string& json_text) {
  std::string out;
  bool in_string = false;
  for (std::string_view rest = json_text; !rest.empty();) {
    const char c = rest.front();
    if (in_string && c == '\\') {
      out.append(rest.substr(0, 2));
      rest.remove_prefix(std::min<size_t>(2, rest.size()));
    } else if (!in_string && (c == '-' || (c >= '0' && c <= '9'))) {
      TakeNumber(rest, out);
    } else {
      in_string = in_string != (c == '"');
      out.push_back(c);
      rest.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace

json ParseJson(std::string_view text) {
  json value;
  if (!cursorwire::ReadJson(text, {}, value)) return value;
  if (!cursorwire::ReadJson(WithFiniteNumbers(AsUtf8(text)), {}, value)) return value;
  return json(json::value_t::discarded);
}

}  // namespace h2_bridge
