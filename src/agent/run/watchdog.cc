#include "agent/run/watchdog.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>

namespace cursorwire::agent {
namespace {

using connect::TimePoint;
using std::chrono::milliseconds;

std::string Silence(milliseconds time) {
  return absl::StrCat("not a byte came from the server for ", time.count(), " ms");
}

std::string HeartbeatsOnly(milliseconds time) {
  return absl::StrCat("nothing but heartbeats came from the server for ", time.count(), " ms");
}

std::string InFlight(milliseconds time) {
  return absl::StrCat("not answered by this client for ", time.count(), " ms");
}

}  // namespace

Watchdog::Watchdog(const WatchdogOptions& options, TimePoint now)
    : options_(options), last_received_(now), last_work_(now) {}

void Watchdog::OnReceived(Sign sign, TimePoint now) {
  last_received_ = now;
  if (sign == Sign::kWork) last_work_ = now;
  EndGraceUnlessOverdue(now);
}

void Watchdog::OnAnswer(TimePoint now) {
  last_work_ = now;
  EndGraceUnlessOverdue(now);
}

void Watchdog::EndGraceUnlessOverdue(TimePoint now) {
  if (!grace_until_) return;
  const std::optional<Budget> next = Next();
  if (!next || next->end > now) grace_until_.reset();
}

void Watchdog::SetWaitsFor(WaitsFor whom, TimePoint now) {
  if (whom == waits_for_) return;
  waits_for_ = whom;
  Restart(now);
}

void Watchdog::Restart(TimePoint now) {
  grace_until_.reset();
  last_received_ = now;
  last_work_ = now;
}

std::optional<Watchdog::Budget> Watchdog::Next() const {
  std::optional<Budget> next;
  const auto consider = [&next](TimePoint since, milliseconds time, auto describe) {
    if (time.count() <= 0) return;
    const TimePoint end = connect::After(since, time);
    if (!next || end < next->end) next = Budget{end, describe, time};
  };
  if (waits_for_ == WaitsFor::kHost) {
    consider(last_work_, options_.in_flight_timeout, InFlight);
  } else {
    consider(last_received_, options_.idle_timeout, Silence);
    consider(last_work_, options_.heartbeats_only_timeout, HeartbeatsOnly);
  }
  return next;
}

std::optional<TimePoint> Watchdog::deadline() const {
  const std::optional<Budget> next = Next();
  if (!next) return std::nullopt;
  return grace_until_ ? std::max(*grace_until_, next->end) : next->end;
}

std::optional<std::string> Watchdog::Overdue(TimePoint now) {
  const std::optional<Budget> next = Next();
  if (!next || *deadline() > now) return std::nullopt;
  if (!grace_until_ && now - next->end > kLateHost) {
    grace_until_ = now + kLateHostGrace;
    return std::nullopt;
  }
  return next->describe(next->time);
}

}  // namespace cursorwire::agent
