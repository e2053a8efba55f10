#include "documents/approvals.h"

#include <algorithm>
#include <utility>

#include "openai/api_error.h"
#include "openai/concat.h"
#include "random_text.h"

namespace cursor_gateway {
namespace {

constexpr size_t kApprovalIdLength = 24;

absl::Status Denied(const std::string& reason) {
  return absl::PermissionDeniedError(Concat("the user was asked and said no",
                                            reason.empty() ? "" : ": ", reason,
                                            "; do not try it in another way, ask what to do"));
}

}  // namespace

std::string Approvals::Open(const std::string& client_key) {
  std::string id = Concat("appr_", RandomText(kApprovalIdLength));
  const std::lock_guard lock(mutex_);
  questions_[id].client_key = client_key;
  order_.push_back(id);
  if (order_.size() > kMaxApprovals) MakeRoom();
  return id;
}

void Approvals::MakeRoom() {
  std::map<std::string, size_t> counts;
  for (const auto& [id, question] : questions_) ++counts[question.client_key];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto oldest = std::find_if(order_.begin(), order_.end(), [&](const std::string& id) {
    return questions_.at(id).client_key == most->first;
  });
  questions_.erase(*oldest);
  order_.erase(oldest);
  changed_.notify_all();
}

absl::Status Approvals::Wait(const std::string& id, std::chrono::milliseconds time,
                             std::stop_token stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, time, [this, &id] {
    const auto it = questions_.find(id);
    return ended_ || it == questions_.end() || it->second.decision;
  });
  const auto it = questions_.find(id);
  if (it == questions_.end()) return Denied("too many questions");
  if (!it->second.decision) {
    // A later answer comes too late.
    it->second.decision = ApprovalDecision{};
    if (stop.stop_requested()) return absl::CancelledError("no longer wanted");
    if (ended_) {
      return absl::PermissionDeniedError(
          "the gateway is ending, and the user cannot be asked any more; say what is to be done");
    }
    return absl::PermissionDeniedError("the user was asked and did not answer");
  }
  if (it->second.decision->approve) return absl::OkStatus();
  return Denied(it->second.decision->reason);
}

absl::Status Approvals::Decide(const std::string& id, const std::string& client_key,
                               const ApprovalDecision& decision) {
  const std::lock_guard lock(mutex_);
  const auto it = questions_.find(id);
  if (it == questions_.end() || it->second.client_key != client_key) {
    return ToStatus(
        {.status = 404, .type = "invalid_request_error", .message = "there is no such approval"});
  }
  if (it->second.decision) {
    return ToStatus({.status = 409,
                     .type = "invalid_request_error",
                     .message = "this approval was answered before, or nobody waits for it"});
  }
  it->second.decision = decision;
  changed_.notify_all();
  return absl::OkStatus();
}

void Approvals::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace cursor_gateway
