#ifndef CURSORWIRE_APPS_ACP_EDITOR_H_
#define CURSORWIRE_APPS_ACP_EDITOR_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/jsonrpc/peer.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "acp/json.h"

namespace cursor_acp {

// What waits for an editor that does not read. Whoever has more to say waits.
inline constexpr size_t kMaxWaitingBytes = size_t{4} * 1024 * 1024;
// A line to the editor. Longer texts are cut or split before.
inline constexpr size_t kMaxEditorLineBytes = size_t{4} * 1024 * 1024;
// Requests that were given up and whose answers still matter; see Editor::OnLate.
inline constexpr size_t kMaxLateAnswers = 64;

// The connection with the editor, for many threads: messages out in order, answers to their
// callers. Without I/O: one thread gives it what comes and takes what must be sent. Thread-safe.
class Editor {
 public:
  Editor();

  // What the editor sent. Call from one thread: Receive(), then Next() until it returns nullopt.
  void Receive(std::string_view bytes);
  // A request, notification or cancellation; answers go to those who wait in Call().
  std::optional<cursorwire::jsonrpc::PeerEvent> Next();

  // Waits while too much waits to be sent.
  //   kCancelled          `stop` is requested
  //   kUnavailable        Close() was called
  //   kResourceExhausted  the message is too long for a line
  absl::Status Notify(const char* method, const Json& params, const std::stop_token& stop = {});

  // Gets the result of a request that was given up, if it comes after all, on the thread of Next().
  using OnLate = std::function<void(const Json& result)>;
  // Waits for the answer, and gives the request up if it does not come: late answers go to
  // `on_late`, those of the last kMaxLateAnswers such requests.
  //   kCancelled, kUnavailable, kResourceExhausted  as of Notify()
  //   kDeadlineExceeded  no answer within `timeout`
  //   kNotFound          the editor says that there is no such file or terminal
  //   kAborted           the editor refuses with another error, which the message has
  absl::StatusOr<Json> Call(const char* method, const Json& params,
                            std::chrono::milliseconds timeout, const std::stop_token& stop,
                            OnLate on_late = nullptr);
  // Sends a request whose answer nobody needs, and does not wait. Nothing of it is kept.
  void Post(const char* method, const Json& params);

  using Outcome = std::variant<Json, cursorwire::jsonrpc::PeerError>;
  // Does not wait: who sends many requests and reads no answers is not read any more, see
  // AwaitRoom().
  void Respond(const std::string& id_json, const Outcome& outcome);

  // Waits until there is room for answers. False: `stop` is requested, or Close() was called.
  bool AwaitRoom(const std::stop_token& stop);
  // Waits until there is none. Returns at a stop, and when nobody waits for room, too.
  void AwaitNoRoom(const std::stop_token& stop);
  // Waits for lines that must be sent; empty after Close(), once everything is taken. The bytes
  // count as waiting until the next call.
  std::string TakeOutput();
  // From now on nobody waits for room: what finds none is dropped. Nor does anybody wait for
  // answers: Call() sends nothing. For the end of the process.
  void StopWaiting();
  // Nothing more is sent. What waits can still be taken.
  void Close();

 private:
  bool has_room() const { return in_flight_ + peer_.output_bytes() <= kMaxWaitingBytes; }
  absl::Status WaitForRoom(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  // The lock is held in both; TakeAnswer() leaves it for a while.
  void GiveUp(uint64_t request_id, OnLate on_late);
  void TakeAnswer(cursorwire::jsonrpc::PeerAnswer answer, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable_any changed_;  // room, answers, output, the end
  // Guarded by mutex_.
  cursorwire::jsonrpc::Peer peer_;
  size_t in_flight_ = 0;  // bytes that TakeOutput() gave last
  bool closed_ = false;
  bool waits_ = true;  // StopWaiting() was not called
  // Requests that somebody waits for, and their answers.
  using Answer = std::optional<std::variant<std::string, cursorwire::jsonrpc::PeerError>>;
  std::map<uint64_t, Answer> answers_;
  std::map<uint64_t, OnLate> late_;  // that were given up, the oldest first
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_EDITOR_H_
