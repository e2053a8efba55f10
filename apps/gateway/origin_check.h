#ifndef CURSORWIRE_APPS_GATEWAY_ORIGIN_CHECK_H_
#define CURSORWIRE_APPS_GATEWAY_ORIGIN_CHECK_H_

#include <absl/status/status.h>

#include <string>

#include "http/http_message.h"

namespace cursor_gateway {

// Refuses requests that a page of another site has a browser send: by a name that was made to lead
// here ("DNS rebinding"), or across sites. `is_loopback`: the gateway listens on this machine
// alone, so that it has no other names than those of this machine.
//   an error of the API: 400 without a Host, 403 for one that is not ours or for a strange Origin
absl::Status CheckOrigin(const HttpHead& head, bool is_loopback);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ORIGIN_CHECK_H_
