// Room: values
#ifndef CURSORWIRE_RUN_OPTIONS_H_
#define CURSORWIRE_RUN_OPTIONS_H_

#include <chrono>
#include <memory>
#include <string>

#include "cursorwire/connect/headers.h"
#include "cursorwire/environment.h"

namespace cursorwire {

class DriftLog;

// When a Run gives a turn up for silence, with kDeadlineExceeded. 0: never. A value. Source:
// docs/protocol.md, heartbeats and timers.
struct WatchdogOptions {
  // Not a byte came, while nothing is in the host's hands. ChatRequest::idle_timeout, if there is
  // one, counts in its place.
  std::chrono::milliseconds idle_timeout{180'000};
  // Heartbeats came and nothing else, while nothing is in the host's hands.
  std::chrono::milliseconds heartbeats_only_timeout{600'000};
  // The host has an action, a tool call or a question, and neither it nor the service did anything.
  std::chrono::milliseconds in_flight_timeout{3'600'000};
};

// Who asks. A value.
struct RunOptions {
  // The token of the user's own account: visible ASCII. Run does not check it; a token that HTTP
  // does not allow ends the call with kInvalidArgument.
  std::string token{};
  // Shape `cli-YYYY.MM.DD-<7 hex digits>`. The service refuses old ones from time to time: see
  // FindClientVersion(). Source: docs/protocol.md, request headers.
  std::string client_version = "cli-2026.08.31-4057e58";
  // Privacy mode: the header `x-ghost-mode`.
  bool ghost_mode = true;
  // Between two signs of life of the client. 0: none. Source: docs/protocol.md, heartbeats and
  // timers.
  std::chrono::milliseconds heartbeat_interval{5000};
  // Added after the headers of the protocol.
  connect::Headers extra_headers{};
  // What the agent is told of the machine when it asks.
  Environment environment{};
  // Whether PollExec() hands out the actions that the agent asks for, for AnswerExec(). If not, the
  // Run refuses each. Calls of the request's tools are handed out in any case, as are questions for
  // the resources that they serve.
  bool hand_out_execs = false;
  // Whether PollQuery() hands out the agent's questions, for AnswerQuery(). If not, the Run rejects
  // each.
  bool hand_out_queries = false;
  // Between two signs of life of each action that the host works on. 0: none.
  std::chrono::milliseconds exec_heartbeat_interval{3000};
  WatchdogOptions watchdog{};
  // Where drift is counted; Runs may share it. nullptr: the Run has one of its own.
  std::shared_ptr<DriftLog> drift{};
};

}  // namespace cursorwire

#endif  // CURSORWIRE_RUN_OPTIONS_H_
