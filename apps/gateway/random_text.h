#ifndef CURSORWIRE_APPS_GATEWAY_RANDOM_TEXT_H_
#define CURSORWIRE_APPS_GATEWAY_RANDOM_TEXT_H_

#include <cstddef>
#include <string>

namespace cursor_gateway {

// So many characters of A-Z, a-z and 0-9 that nobody can guess. Thread-safe.
std::string RandomText(size_t characters);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_RANDOM_TEXT_H_
