#include "turn_queue.h"

#include <utility>

namespace cursor_chat {

using cursorwire::AgentMode;
using cursorwire::QueryHandler;

TurnQueue::Item TurnQueue::Next() {
  taken_ = {};
  std::unique_lock lock(mutex_);
  pushed_.wait(lock, [this] { return !entries_.empty(); });
  Entry entry = std::move(entries_.front());
  entries_.pop_front();
  taken_ = std::move(entry.credit);
  return std::move(entry.item);
}

absl::StatusOr<cursorwire::QuestionAnswers> TurnQueue::AskQuestion(
    const cursorwire::AskQuestionQuery& query, std::stop_token stop) {
  Push({cursorwire::QueryArgs(query)});
  return QueryHandler::AskQuestion(query, std::move(stop));
}

absl::StatusOr<cursorwire::PlanAccepted> TurnQueue::CreatePlan(
    const cursorwire::CreatePlanQuery& query, std::stop_token stop) {
  Push({cursorwire::QueryArgs(query)});
  if (mode_ == AgentMode::kPlan) return cursorwire::PlanAccepted{};
  return QueryHandler::CreatePlan(query, std::move(stop));
}

void TurnQueue::OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold hold) {
  Push({std::move(event), std::move(hold)});
}

void TurnQueue::OnEnd(absl::Status status) { Push({std::move(status)}); }

void TurnQueue::Push(Entry entry) {
  const std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
  pushed_.notify_one();
}

}  // namespace cursor_chat
