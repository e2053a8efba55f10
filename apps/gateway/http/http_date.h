#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_DATE_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_DATE_H_

#include <string>

namespace cursor_gateway {

// The time now, as the header Date has it. Source: RFC 9110, 5.6.7.
std::string HttpDateNow();

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_DATE_H_
