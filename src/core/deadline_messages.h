#ifndef CURSORWIRE_SRC_CORE_DEADLINE_MESSAGES_H_
#define CURSORWIRE_SRC_CORE_DEADLINE_MESSAGES_H_

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "core/call.h"
#include "cursorwire/connect/time_point.h"
#include "h2/session.h"

namespace cursorwire::core {

// The last messages of calls whose time is over (CallRequest::message_at_deadline). A reset right
// after such a message could make the server overlook it: the stream stays open for a while, so
// that the server can act and end it. Thread-compatible.
class DeadlineMessages {
 public:
  using TimePoint = connect::TimePoint;

  // `session` must outlive it.
  explicit DeadlineMessages(h2::Session& session) : session_(session) {}

  // Sends the last message of the call and half-closes its stream, which is reset at `until` unless
  // the server ends it before. Calls come in the order of `until`. False if there is no message, or
  // it cannot be sent now and whole: nothing was sent.
  bool Say(Call& call, TimePoint until);
  // Whether the call has said its last message and its stream still has time.
  bool contains(const Call& call) const { return streams_.contains(call.id()); }
  bool empty() const { return streams_.empty(); }
  // Whether the server may still act on one: a stream is open.
  bool any_open() const;

  // When the next stream is to be reset.
  std::optional<TimePoint> next() const;
  void OnDeadline(TimePoint now);
  // The connection is gone, and its streams with it.
  void Clear();

 private:
  h2::Session& session_;
  absl::flat_hash_map<connect::CallId, int32_t> streams_;
  std::deque<std::pair<TimePoint, connect::CallId>> order_;  // the same calls
};

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_DEADLINE_MESSAGES_H_
