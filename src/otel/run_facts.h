#ifndef CURSORWIRE_SRC_OTEL_RUN_FACTS_H_
#define CURSORWIRE_SRC_OTEL_RUN_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::otel {

// What the messages of one call of AgentService/Run say about it, without any of its texts. A
// value.
struct RunFacts {
  std::string model{};            // empty: not known
  std::string conversation_id{};  // empty: not known
  bool has_request = false;       // the run request was sent
  bool has_text = false;          // text of the answer came
  bool is_cancelled = false;      // the client cancelled the turn before it ended
  bool is_ended = false;          // the service ended the turn
  std::optional<int64_t> input_tokens{};
  std::optional<int64_t> output_tokens{};
};

// Both read fields without parsing the message, and only as far as a fact is still missing. What
// does not decode says nothing.

// An AgentClientMessage that is sent.
void AddSent(std::string_view message, RunFacts& facts);
// An AgentServerMessage that came.
void AddReceived(std::string_view message, RunFacts& facts);

}  // namespace cursorwire::otel

#endif  // CURSORWIRE_SRC_OTEL_RUN_FACTS_H_
