#ifndef CURSORWIRE_SRC_AGENT_EVENTS_ERROR_DETAILS_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_ERROR_DETAILS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cursorwire/connect/error_info.h"

namespace cursorwire::agent {

// What the service says of an error in a detail of type `aiserver.v1.ErrorDetails`.
// Source: docs/protocol.md, end of a run.
struct ErrorDetails {
  std::string title{};
  std::string detail{};
  uint64_t error = 0;        // a value of the enum aiserver.v1.ErrorDetails.Error
  std::string error_name{};  // the enum value's name, if only the name is known
};

// The first of these details that can be read, from its bytes or else from its JSON.
std::optional<ErrorDetails> FindErrorDetails(const connect::ErrorInfo& info);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_ERROR_DETAILS_H_
