#ifndef CURSORWIRE_SRC_AGENT_RUN_WATCHDOG_H_
#define CURSORWIRE_SRC_AGENT_RUN_WATCHDOG_H_

#include <chrono>
#include <optional>
#include <string>

#include "cursorwire/connect/time_point.h"
#include "cursorwire/run_options.h"

namespace cursorwire::agent {

// A host that comes to a deadline so late was not running, and has so long to read what waits.
inline constexpr std::chrono::milliseconds kLateHost{1000};
inline constexpr std::chrono::milliseconds kLateHostGrace{5000};

// What a message of the server says of its life.
enum class Sign { kHeartbeat, kWork };

// Who has to do something next: the server, or the host of the Run, which has something in hand.
enum class WaitsFor { kServer, kHost };

// Tells when a turn has been silent for too long, by the three budgets of WatchdogOptions.
// A host that was not running (a stopped process, a laptop that slept) comes late to deadline():
// what the server sent meanwhile waits to be read, so it is given a little time more. Reads no
// clock. Thread-compatible.
class Watchdog {
 public:
  Watchdog(const WatchdogOptions& options, connect::TimePoint now);

  void OnReceived(Sign sign, connect::TimePoint now);
  // The host answered something, or gave a piece of it.
  void OnAnswer(connect::TimePoint now);
  // What follows is silence of that side: the times begin anew if it is another.
  void SetWaitsFor(WaitsFor whom, connect::TimePoint now);
  // All times begin anew.
  void Restart(connect::TimePoint now);

  // When a budget is used up; nullopt: never.
  std::optional<connect::TimePoint> deadline() const;
  // The budget that is used up, in words: "no byte came for 180000 ms".
  std::optional<std::string> Overdue(connect::TimePoint now);

 private:
  struct Budget {
    connect::TimePoint end;
    std::string (*describe)(std::chrono::milliseconds);
    std::chrono::milliseconds time;
  };
  std::optional<Budget> Next() const;
  // The time that a late host was given counts until it was of use: not each sign of life gives it
  // anew.
  void EndGraceUnlessOverdue(connect::TimePoint now);

  const WatchdogOptions options_;
  WaitsFor waits_for_ = WaitsFor::kServer;
  connect::TimePoint last_received_;
  connect::TimePoint last_work_;
  std::optional<connect::TimePoint> grace_until_;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_WATCHDOG_H_
