#ifndef CURSORWIRE_SRC_AGENT_EVENTS_ERROR_NAMES_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_ERROR_NAMES_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace cursorwire::agent {

// The values of the enum aiserver.v1.ErrorDetails.Error, such as "ERROR_BAD_MODEL_NAME". Source:
// docs/protocol.md, end of a run; the table is from the extraction of August 2026.

// nullopt: no value has that name.
std::optional<uint32_t> ErrorNumber(std::string_view name);
// "": the value is not known.
std::string_view ErrorName(uint64_t number);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_ERROR_NAMES_H_
