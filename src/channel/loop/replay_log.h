#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_REPLAY_LOG_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_REPLAY_LOG_H_

#include <cstddef>
#include <string>
#include <vector>

namespace cursorwire::connect::internal {

// What a call has sent so far, so that it can be sent once more if the server refuses the call
// before it did anything. From Drop() on, and when there is more than is kept, it cannot.
// Thread-compatible.
class ReplayLog {
 public:
  // Each message counts with its bytes and what the object itself takes.
  static constexpr size_t kMaxBytes = size_t{1024} * 1024;

  void AddMessage(std::string message);
  void AddCloseSend() { send_closed_ = true; }
  void Drop();

  // Everything that was sent is here.
  bool whole() const { return whole_; }
  const std::vector<std::string>& messages() const { return messages_; }
  bool send_closed() const { return send_closed_; }

 private:
  bool whole_ = true;
  bool send_closed_ = false;
  size_t bytes_ = 0;
  std::vector<std::string> messages_;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_REPLAY_LOG_H_
