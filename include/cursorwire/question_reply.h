// Room: src/agent/tools
#ifndef CURSORWIRE_QUESTION_REPLY_H_
#define CURSORWIRE_QUESTION_REPLY_H_

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <stop_token>

#include "cursorwire/export.h"
#include "cursorwire/query.h"

namespace cursorwire {

// Takes the answer to one question of the agent, now or later and from any thread. Copies answer
// the same question. The first Send() counts. When the last copy is gone without one, the question
// is answered as without a QueryHandler: the agent never waits in vain. Thread-safe.
class CURSORWIRE_EXPORT QuestionReply {
 public:
  using Sink = std::function<void(absl::StatusOr<QueryOutput>)>;

  QuestionReply() = default;  // to no question: nothing has an effect
  // `sink` is called once, on the thread of the Send() or of the last destructor, which gives it
  // `unanswered`.
  QuestionReply(absl::StatusOr<QueryOutput> unanswered, Sink sink, std::stop_token stop);

  // The output that fits the question: QuestionAnswers, PlanAccepted, ..., and QueryApproved for
  // those that only want a yes. A status rejects, and the agent is told its message as the reason.
  void Send(absl::StatusOr<QueryOutput> answer) const;
  // Requested when nobody waits for the answer any more. Its callbacks must not wait.
  const std::stop_token& stop() const { return stop_; }

 private:
  class CURSORWIRE_HIDDEN State;
  std::shared_ptr<State> state_;  // shared by the copies
  std::stop_token stop_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_QUESTION_REPLY_H_
