// Room: values
#ifndef CURSORWIRE_CONNECT_UNARY_RESPONSE_H_
#define CURSORWIRE_CONNECT_UNARY_RESPONSE_H_

#include <string>

#include "cursorwire/connect/headers.h"

namespace cursorwire::connect {

// The answer to a call that has just one.
struct UnaryResponse {
  std::string message{};
  Headers headers{};
  Headers trailers{};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_UNARY_RESPONSE_H_
