// Room: values
#ifndef CURSORWIRE_RUN_OPTIONS_H_
#define CURSORWIRE_RUN_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/headers.h"
#include "cursorwire/export.h"

namespace cursorwire {

// Facts about the user's machine that the agent is told when it asks: it gives better advice then.
// A value; what is empty is not told. Texts are UTF-8. Source: docs/protocol.md, request context.
struct Environment {
  std::string os_version{};  // such as "linux 6.1.0"
  std::string shell{};       // such as "/bin/bash"
  std::string time_zone{};   // a name of the tz database, such as "Europe/Zurich"
  // Absolute path of the folder that the user works in, if an ExecHandler serves it: the agent will
  // want to look there. ExecHandler::Describe() fills it in.
  std::string workspace{};
  // Absolute path of a folder in which `N.txt` is the output of background shell N; empty: there is
  // none.
  std::string terminals_folder{};
  // Whether commands run in a sandbox, and whether this machine has one; nullopt: not told.
  std::optional<bool> sandbox_enabled{};
  std::optional<bool> sandbox_supported{};
};

// How a turn goes on after a lost connection, or an error that the service calls temporary. A
// value. What is tried, and when: docs/conversations.md.
//
// Before each retry the turn waits for a random time of up to `first_delay`, doubled with each
// retry, up to `max_delay` ("full jitter"). If the service says how long to wait (`retry-after`),
// it waits at least so long, and gives up if that is longer than `max_delay`.
struct RetryPolicy {
  // In one turn. 0: the first failure ends the turn.
  int max_retries = 4;
  std::chrono::milliseconds first_delay{250};
  std::chrono::milliseconds max_delay{30'000};
  // Also where the first connection of a turn cannot be made: mostly the address is wrong or there
  // is no network, and it helps more to say so at once.
  bool retry_first_connection = false;
};

// What the service sent that this library does not know: fields, messages and values of enums, each
// by the path of the field and how often it came. None of it is an error; it shows that the schema
// has grown. Paths such as "interaction_update.text_delta.7" (a field) and
// "interaction_update.thinking_delta.thinking_style=9" (a value). Nothing of their content is kept.
//
// Thread-safe. Bounded: kMaxPaths; what is more counts as "(more)".
class CURSORWIRE_EXPORT DriftLog {
 public:
  static constexpr size_t kMaxPaths = 256;

  DriftLog();
  ~DriftLog();
  DriftLog(const DriftLog&) = delete;
  DriftLog& operator=(const DriftLog&) = delete;

  // True when it is the first time.
  bool Add(std::string_view path);
  std::map<std::string, uint64_t> Counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// {"drift":[{"path":"...","count":1}]}, sorted by path.
CURSORWIRE_EXPORT std::string DriftToJson(const std::map<std::string, uint64_t>& counts);

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
