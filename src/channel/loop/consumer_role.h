#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_CONSUMER_ROLE_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_CONSUMER_ROLE_H_

#include <absl/functional/function_ref.h>

#include "cursorwire/connect/call.h"
#include "cursorwire/export.h"

namespace cursorwire::connect::internal {

class PollRole;

// What a thread that waits for something of a call has to do with the poll role of its channel: it
// drives the channel itself where it can, and counts as waiting where it cannot. A value; the seam
// by which layers above the channel wait as its own ways to call do. The call must outlive it.
class CURSORWIRE_EXPORT ConsumerRole {
 public:
  ConsumerRole() = default;  // without a call: others drive
  explicit ConsumerRole(const Call& call);

  // True if the calling thread holds the role now: DriveUntil() is next. If not, it counts as
  // waiting until EndWait(), which the one who serves it calls.
  bool TakeOrWait() const;
  // Runs the loop of the channel until `done` or until its own thread is needed, and leaves the
  // role.
  void DriveUntil(absl::FunctionRef<bool()> done) const;
  // For a thread that waits, but does not drive. Balanced by EndWait().
  void BeginWait() const;
  // No effect the second time.
  void EndWait();

 private:
  const Call* call_ = nullptr;
  PollRole* role_ = nullptr;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_CONSUMER_ROLE_H_
