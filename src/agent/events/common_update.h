#ifndef CURSORWIRE_SRC_AGENT_EVENTS_COMMON_UPDATE_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_COMMON_UPDATE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace cursorwire::agent {

// One of the updates that most messages of a turn are.
struct CommonUpdate {
  enum class Kind { kText, kThinking, kTokens, kHeartbeat };

  Kind kind = Kind::kHeartbeat;
  std::string_view text{};  // of kText and kThinking: UTF-8, within the message
  int32_t tokens = 0;       // of kTokens
};

// The update that an agent.v1.AgentServerMessage consists of. nullopt: it is another one, holds
// more than that, is broken, or is written in an unusual way: then it is to be parsed. What this
// finds is what a parser finds, and nothing in it is drift; a parser takes several times as long
// (docs/performance.md). Source: docs/protocol.md, interaction updates.
std::optional<CommonUpdate> FindCommonUpdate(std::string_view message);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_COMMON_UPDATE_H_
