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
  ++taken_count_;
  taken_one_.notify_all();
  taken_ = std::move(entry.credit);
  return std::move(entry.item);
}

absl::StatusOr<cursorwire::QuestionAnswers> TurnQueue::AskQuestion(
    const cursorwire::AskQuestionQuery& query, std::stop_token stop) {
  PushQuery(query, stop);
  return QueryHandler::AskQuestion(query, std::move(stop));
}

absl::StatusOr<cursorwire::PlanAccepted> TurnQueue::CreatePlan(
    const cursorwire::CreatePlanQuery& query, std::stop_token stop) {
  PushQuery(query, stop);
  if (mode_ == AgentMode::kPlan) return cursorwire::PlanAccepted{};
  return QueryHandler::CreatePlan(query, std::move(stop));
}

void TurnQueue::OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold hold) {
  Push({std::move(event), std::move(hold)});
}

void TurnQueue::OnEnd(absl::Status status) {
  Push({std::move(status)});
  const std::lock_guard lock(mutex_);
  ended_ = true;
  taken_one_.notify_all();
}

void TurnQueue::Push(Entry entry) {
  const std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
  ++pushed_count_;
  pushed_.notify_one();
}

void TurnQueue::PushQuery(cursorwire::QueryArgs query, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (ended_) return;
  entries_.push_back({std::move(query)});
  const uint64_t place = ++pushed_count_;
  pushed_.notify_one();
  taken_one_.wait(lock, stop, [this, place] { return ended_ || taken_count_ >= place; });
}

}  // namespace cursor_chat
