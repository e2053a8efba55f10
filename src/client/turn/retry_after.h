#ifndef CURSORWIRE_SRC_CLIENT_TURN_RETRY_AFTER_H_
#define CURSORWIRE_SRC_CLIENT_TURN_RETRY_AFTER_H_

#include <chrono>
#include <optional>
#include <string_view>

namespace cursorwire {

// How long the value of `retry-after` says to wait: a number of seconds, or a date, whose past is
// 0. nullopt: it is neither. Source: RFC 9110, 10.2.3 and 5.6.7.
std::optional<std::chrono::milliseconds> ReadRetryAfter(std::string_view value,
                                                        std::chrono::system_clock::time_point now);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_RETRY_AFTER_H_
