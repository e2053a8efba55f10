#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_SERVER_ERROR_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_SERVER_ERROR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::upstream {

// The content of a detail of type aiserver.v1.ErrorDetails. A value.
struct ServerErrorDetail {
  std::string error_name{};  // for the debug form; empty: no name
  uint32_t error = 0;
  std::string title{};
  std::string detail{};
  std::optional<bool> is_retryable{};
  std::optional<bool> is_expected{};
  bool padded = false;     // whether the base64 is padded
  bool with_value = true;  // false: only the debug form
  bool with_debug = false;
};

// One element of `details`, as JSON.
std::string DetailJson(const ServerErrorDetail& detail);

// {"code":...,"message":...,"details":[...]}; the elements of `details` must be JSON.
std::string ErrorJson(std::string_view code, std::string_view message,
                      const std::vector<std::string>& details);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SERVER_ERROR_H_
