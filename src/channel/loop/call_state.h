#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_CALL_STATE_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_CALL_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "channel/loop/replay_log.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/time_point.h"

namespace cursorwire::connect {

namespace internal {
class InterceptedCall;
class Link;
}  // namespace internal

// What a Call names. Shared by its copies and the driver, which drops its part when the call ends.
struct Call::State {
  State(std::shared_ptr<internal::Driver> owner, std::shared_ptr<const CallRequest> call_request,
        std::shared_ptr<CallObserver> call_observer)
      : driver(std::move(owner)),
        kind(call_request->kind),
        max_send_bytes(call_request->options.max_send_bytes),
        says_farewell(!call_request->message_at_deadline.empty()),
        request(std::move(call_request)),
        observer(std::move(call_observer)) {}

  // From now on the call cannot be made again, and its request is not needed.
  void DropReplay() {
    replay.Drop();
    request.reset();
  }

  const std::shared_ptr<internal::Driver> driver;  // lives as long as a call may be used
  const CallKind kind;
  const size_t max_send_bytes;
  const bool says_farewell;
  bool reserves_role = false;  // written once, before the state is shared
  // Read and written by any thread.
  std::atomic<bool> ended = false;
  std::atomic<bool> cancelled = false;
  std::atomic<bool> send_closed = false;
  std::atomic<bool> over_high_water = false;
  std::atomic<uint64_t> sent_messages = 0;  // ever taken by Send()
  std::atomic<uint64_t> sent_bytes = 0;
  std::atomic<size_t> unsent_bytes = 0;     // in commands, and in the session as far as it is known
  std::atomic<size_t> released_credit = 0;  // that no command has taken yet
  // The driver's.
  std::shared_ptr<const CallRequest>
      request;  // with the path of the channel's URL; see DropReplay()
  std::shared_ptr<CallObserver> observer;
  internal::InterceptedCall* intercepted = nullptr;  // the observer, if there are interceptors
  internal::Link* link = nullptr;
  CallId id = 0;
  uint64_t serial = 0;
  bool in_batch = false;
  bool in_sending = false;
  size_t session_bytes = 0;  // the part of unsent_bytes that is in the session
  TimePoint started{};       // the first time
  bool joined = false;       // began on a link that others had opened
  bool replayed = false;
  internal::ReplayLog replay;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_CALL_STATE_H_
