#ifndef CURSORWIRE_SRC_AGENT_HISTORY_SHA256_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_SHA256_H_

#include <string>
#include <string_view>

namespace cursorwire::agent {

// 32 raw bytes.
std::string Sha256(std::string_view bytes);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_SHA256_H_
