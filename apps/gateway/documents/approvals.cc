#include "documents/approvals.h"

#include <algorithm>
#include <map>

#include "api/api_error.h"
#include "api/concat.h"
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
  questions_.push_back({id, client_key});
  if (questions_.size() > kMaxApprovals) MakeRoom();
  return id;
}

Approvals::Question* Approvals::Find(const std::string& id) {
  const auto it = std::find_if(questions_.begin(), questions_.end(),
                               [&id](const Question& question) { return question.id == id; });
  return it == questions_.end() ? nullptr : &*it;
}

void Approvals::MakeRoom() {
  std::map<std::string, size_t> counts;
  for (const Question& question : questions_) ++counts[question.client_key];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  questions_.erase(std::find_if(
      questions_.begin(), questions_.end(),
      [&most](const Question& question) { return question.client_key == most->first; }));
  changed_.notify_all();
}

absl::Status Approvals::Wait(const std::string& id, std::chrono::milliseconds time,
                             std::stop_token stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, time, [this, &id] {
    const Question* question = Find(id);
    return ended_ || question == nullptr || question->decision;
  });
  Question* question = Find(id);
  if (question == nullptr) return Denied("too many questions");
  if (!question->decision) {
    // A later answer comes too late.
    question->decision = ApprovalDecision{};
    if (stop.stop_requested()) return absl::CancelledError("no longer wanted");
    if (ended_) {
      return absl::PermissionDeniedError(
          "the gateway is ending, and the user cannot be asked any more; say what is to be done");
    }
    return absl::PermissionDeniedError("the user was asked and did not answer");
  }
  return question->decision->approve ? absl::OkStatus() : Denied(question->decision->reason);
}

absl::Status Approvals::Decide(const std::string& id, const std::string& client_key,
                               const ApprovalDecision& decision) {
  const std::lock_guard lock(mutex_);
  Question* question = Find(id);
  if (question == nullptr || question->client_key != client_key) {
    return RequestError(404, "there is no such approval");
  }
  if (question->decision) {
    return RequestError(409, "this approval was answered before, or nobody waits for it");
  }
  question->decision = decision;
  changed_.notify_all();
  return absl::OkStatus();
}

void Approvals::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace cursor_gateway
