#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_APPROVALS_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_APPROVALS_H_

#include <absl/status/status.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "documents/document_request.h"

namespace cursor_gateway {

// Questions that are remembered, answered ones too; the oldest makes room of the client that has
// most.
inline constexpr size_t kMaxApprovals = 1024;

// Actions that wait for a user's yes or no, by ids that nobody can guess. Thread-safe.
class Approvals {
 public:
  // A new question of this client.
  std::string Open(const std::string& client_key);

  // Waits for the answer. OK: it is a yes.
  //   kPermissionDenied  it is a no, nobody has answered within the time, or End() was called
  //   kCancelled         nobody waits for the action any more
  absl::Status Wait(const std::string& id, std::chrono::milliseconds time, std::stop_token stop);

  //   an error of the API: 404 for an id that there is not, or of another client; 409 for one that
  //   is answered
  absl::Status Decide(const std::string& id, const std::string& client_key,
                      const ApprovalDecision& decision);

  // Nobody can answer any more: all questions get a no that says so, also later ones.
  void End();

 private:
  struct Question {
    std::string id;
    std::string client_key;
    std::optional<ApprovalDecision> decision{};
  };

  // Both with mutex_. nullptr: it is not known any more.
  Question* Find(const std::string& id);
  void MakeRoom();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Question> questions_;  // guarded by mutex_: oldest first
  bool ended_ = false;              // guarded by mutex_
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_APPROVALS_H_
