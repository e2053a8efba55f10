// Room: src/agent/tools
#ifndef CURSORWIRE_QUERY_H_
#define CURSORWIRE_QUERY_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire {

// What the agent asks the user, and what it is told in return: values. Texts are UTF-8. Source:
// docs/protocol.md, interaction queries.

// May the service search the web?
struct WebSearchQuery {
  std::string search_term{};
  std::string call_id{};
};
// May the service read that page?
struct WebFetchQuery {
  std::string url{};
  std::string call_id{};
};
// May the agent go on in another mode?
struct SwitchModeQuery {
  std::string target_mode{};
  std::string explanation{};
  std::string call_id{};
};
struct GenerateImageQuery {
  std::string description{};
  std::string file_path{};  // empty: none was given
  std::vector<std::string> reference_image_paths{};
  std::string call_id{};
};
// May the agent log in to that server of the Model Context Protocol?
struct McpAuthQuery {
  std::string server{};
  std::string call_id{};
};
// Questions with answers to choose from, or to write.
struct AskQuestionQuery {
  struct Option {
    std::string id{};
    std::string label{};
  };
  struct Question {
    std::string id{};
    std::string prompt{};
    std::vector<Option> options{};
    bool allow_multiple = false;
  };
  std::string title{};
  std::vector<Question> questions{};
  std::string call_id{};
};
struct QuestionAnswers {
  struct Answer {
    std::string question_id{};
    std::vector<std::string> option_ids{};
    std::string text{};  // in the user's own words; may be empty
  };
  std::vector<Answer> answers{};
};
enum class TodoStatus { kPending, kInProgress, kCompleted, kCancelled };
// A plan that the user is to see before it is carried out.
struct CreatePlanQuery {
  struct Todo {
    std::string id{};
    std::string content{};
    TodoStatus status = TodoStatus::kPending;
    std::vector<std::string> dependencies{};  // ids
  };
  std::string name{};
  std::string overview{};
  std::string plan{};                // Markdown
  std::vector<std::string> todos{};  // what is to be done, in order
  std::string call_id{};
  // The same as `todos`, with the ids by which later calls name them.
  std::vector<Todo> todo_items{};
};
struct PlanAccepted {
  std::string plan_uri{};  // where it was kept; may be empty
};
// To make or change a pull request.
struct PullRequestQuery {
  bool creates = false;        // else it changes one that exists
  std::string details_json{};  // an object: agent.v1.CreatePrAction or UpdatePrAction
  std::string call_id{};
};
struct PullRequestDone {
  std::string url{};
  int32_t number = 0;
  std::string message{};
};
struct QueryApproved {};

using QueryArgs = std::variant<WebSearchQuery, WebFetchQuery, SwitchModeQuery, GenerateImageQuery,
                               McpAuthQuery, AskQuestionQuery, CreatePlanQuery, PullRequestQuery>;
using QueryOutput = std::variant<QueryApproved, QuestionAnswers, PlanAccepted, PullRequestDone>;

// One question of a Run.
struct QueryRequest {
  uint32_t id = 0;  // within its Run, and no id of an ExecRequest
  QueryArgs args{};
};

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

#endif  // CURSORWIRE_QUERY_H_
