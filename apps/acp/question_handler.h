#ifndef CURSORWIRE_APPS_ACP_QUESTION_HANDLER_H_
#define CURSORWIRE_APPS_ACP_QUESTION_HANDLER_H_

#include <absl/status/status.h>
#include <cursorwire/exec.h>
#include <cursorwire/query_handler.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "acp/editor.h"
#include "acp/permissions.h"
#include "acp/turn.h"

namespace cursor_acp {

// Asks the user of the editor what the agent asks in one session. Thread-safe.
class QuestionHandler : public cursorwire::QueryHandler {
 public:
  struct Options {
    std::string session_id{};
    bool may_ask = false;  // the user wants to be asked
    bool forms = false;    // the editor has forms
    std::chrono::milliseconds max_question_time = kMaxQuestionTime;
    // The agent wants to go on in another mode, and the user has agreed. False: there is no such
    // mode.
    std::function<bool(const std::string& mode)> switch_mode{};
  };

  // `editor` must outlive it.
  QuestionHandler(Editor& editor, Options options);

  // The turn that goes on; nullptr: none does, and all is refused.
  void SetTurn(std::shared_ptr<Turn> turn);

  absl::Status WebSearch(const cursorwire::WebSearchQuery& query,
                         const cursorwire::ActionContext& context) override;
  absl::Status WebFetch(const cursorwire::WebFetchQuery& query,
                        const cursorwire::ActionContext& context) override;
  absl::Status SwitchMode(const cursorwire::SwitchModeQuery& query,
                          const cursorwire::ActionContext& context) override;
  absl::StatusOr<cursorwire::QuestionAnswers> AskQuestion(
      const cursorwire::AskQuestionQuery& query, const cursorwire::ActionContext& context) override;
  absl::StatusOr<cursorwire::PlanAccepted> CreatePlan(
      const cursorwire::CreatePlanQuery& query, const cursorwire::ActionContext& context) override;

 protected:
  std::shared_ptr<Turn> turn() const;
  Editor& editor() { return editor_; }
  Permissions& permissions() { return permissions_; }

 private:
  // OK: yes. `members` are those of a tool call, without the content, which is `text`; what cannot
  // be shown whole is refused.
  absl::Status AskAbout(Json members, const std::string& text,
                        const cursorwire::ActionContext& context);

  Editor& editor_;
  const Options options_;
  Permissions permissions_;
  mutable std::mutex mutex_;
  std::shared_ptr<Turn> turn_;  // guarded by mutex_
};

// What the agent is told if the user is not asked or says no; if no turn goes on; and if a question
// would not show all that it is about.
absl::Status Refusal(const std::string& message);
absl::Status NoTurn();
absl::Status TooLargeToShow();

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_QUESTION_HANDLER_H_
