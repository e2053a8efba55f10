#include "cursorwire/query.h"

#include <utility>

#include "base/single_answer.h"

namespace cursorwire {

class QuestionReply::State : public SingleAnswer<absl::StatusOr<QueryOutput>> {
 public:
  State(absl::StatusOr<QueryOutput> unanswered, Sink sink)
      : SingleAnswer(std::move(sink)), unanswered_(std::move(unanswered)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { Send(std::move(unanswered_)); }

 private:
  absl::StatusOr<QueryOutput> unanswered_;
};

QuestionReply::QuestionReply(absl::StatusOr<QueryOutput> unanswered, Sink sink,
                             std::stop_token stop)
    : state_(std::make_shared<State>(std::move(unanswered), std::move(sink))),
      stop_(std::move(stop)) {}

void QuestionReply::Send(absl::StatusOr<QueryOutput> answer) const {
  if (state_ != nullptr) state_->Send(std::move(answer));
}

}  // namespace cursorwire
