#ifndef CURSORWIRE_SRC_RPC_TIMEOUT_H_
#define CURSORWIRE_SRC_RPC_TIMEOUT_H_

#include <chrono>
#include <string>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"

namespace cursorwire::rpc {

// The value of the header `connect-timeout-ms`: whole milliseconds with at most ten digits.
// A longer timeout (over 115 days) is sent as the largest number that fits.
// Source: Connect protocol, "Timeout".
std::string TimeoutHeader(std::chrono::milliseconds timeout);

// Adds that header if the options say to announce the timeout.
void AddTimeoutHeader(const connect::CallOptions& options, connect::Headers& headers);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_TIMEOUT_H_
