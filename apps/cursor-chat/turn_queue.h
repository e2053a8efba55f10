#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_QUEUE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_QUEUE_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>
#include <cursorwire/chat_observer.h>
#include <cursorwire/connect/credit_hold.h>
#include <cursorwire/query.h>
#include <cursorwire/query_handler.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <variant>

namespace cursor_chat {

// The events of a turn and the questions that the agent asks in it, in one order: an event that
// came before a question stands before it. Memory: events keep their credit until they are taken,
// and a question is answered once it is taken, so that a window of events and as many questions as
// the library lets wait at a time are the most that is here.
//
// Order: give it to the client as its query handler, and to the turn as its observer; Next() until
// it returns the end.
class TurnQueue final : public cursorwire::QueryHandler, public cursorwire::ChatObserver {
 public:
  // Plans are accepted if nothing can come of them (`mode` is plan); what else is asked is answered
  // as if there was no handler.
  explicit TurnQueue(cursorwire::AgentMode mode) : mode_(mode) {}

  // The last one of a turn is its status.
  using Item = std::variant<cursorwire::ChatEvent, cursorwire::QueryArgs, absl::Status>;
  // Waits for the next one. The one before is done with.
  Item Next();

  absl::StatusOr<cursorwire::QuestionAnswers> AskQuestion(const cursorwire::AskQuestionQuery& query,
                                                          std::stop_token stop) override;
  absl::StatusOr<cursorwire::PlanAccepted> CreatePlan(const cursorwire::CreatePlanQuery& query,
                                                      std::stop_token stop) override;
  void OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold hold) override;
  void OnEnd(absl::Status status) override;

 private:
  struct Entry {
    Item item;
    cursorwire::connect::CreditHold credit{};
  };
  void Push(Entry entry);
  // Returns once it is taken, or nobody waits for its answer.
  void PushQuery(cursorwire::QueryArgs query, const std::stop_token& stop);

  const cursorwire::AgentMode mode_;
  cursorwire::connect::CreditHold taken_;  // of the event that Next() gave last
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::condition_variable_any taken_one_;
  // Guarded by mutex_.
  std::deque<Entry> entries_;
  uint64_t pushed_count_ = 0;
  uint64_t taken_count_ = 0;
  bool ended_ = false;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_QUEUE_H_
