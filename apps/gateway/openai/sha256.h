#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_SHA256_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_SHA256_H_

#include <string>
#include <string_view>

namespace cursor_gateway {

// 32 bytes.
std::string Sha256(std::string_view bytes);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_SHA256_H_
