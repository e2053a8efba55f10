#ifndef CURSORWIRE_TESTS_SUPPORT_ERRORS_H_
#define CURSORWIRE_TESTS_SUPPORT_ERRORS_H_

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "cursorwire/connect/error_info.h"
#include "support/status_matchers.h"

namespace cursorwire::test {

inline std::string OriginText(connect::ErrorOrigin origin) {
  switch (origin) {
    case connect::ErrorOrigin::kServer:
      return "server";
    case connect::ErrorOrigin::kTransport:
      return "transport";
    case connect::ErrorOrigin::kProtocol:
      return "protocol";
    case connect::ErrorOrigin::kLocal:
      return "local";
  }
  return "none of the four";
}

// A Status, or StatusOr, whose ErrorInfo is there and has that origin.
MATCHER_P(HasOrigin, origin,
          (negation ? "has not the origin " : "has the origin ") + OriginText(origin)) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(StatusOf(arg));
  *result_listener << "whose status is " << StatusOf(arg).ToString() << " of "
                   << (info ? "origin " + OriginText(info->origin) : "no origin");
  return info.has_value() && info->origin == origin;
}

// A Status, or StatusOr, whose ErrorInfo is there and has the HTTP status that was given.
MATCHER_P(HasHttpStatus, http_status, "") {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(StatusOf(arg));
  *result_listener << "whose status is " << StatusOf(arg).ToString();
  return info.has_value() && info->http_status == http_status;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_ERRORS_H_
