#ifndef CURSORWIRE_SRC_RPC_TIMEOUT_H_
#define CURSORWIRE_SRC_RPC_TIMEOUT_H_

#include <chrono>
#include <string>

namespace cursorwire::rpc {

// Value of the header `connect-timeout-ms`: a whole number of milliseconds of at most ten digits.
// A longer timeout (over 115 days) is sent as the largest number that fits.
// Source: Connect protocol, "Timeout".
std::string TimeoutHeader(std::chrono::milliseconds timeout);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_TIMEOUT_H_
