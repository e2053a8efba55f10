#include "acp/question_handler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "acp/tool_call.h"

namespace cursor_acp {
namespace {

using cursorwire::ActionContext;

// One question of the agent as a property of a form. Source: schema of version 1, elicitation.
Json PropertyOf(const cursorwire::AskQuestionQuery::Question& question) {
  Json choices = Json::array();
  for (const auto& option : question.options) {
    choices.push_back({{"const", option.id}, {"title", option.label}});
  }
  if (question.options.empty()) return {{"type", "string"}, {"title", question.prompt}};
  if (!question.allow_multiple) {
    return {{"type", "string"}, {"title", question.prompt}, {"oneOf", std::move(choices)}};
  }
  return {
      {"type", "array"}, {"title", question.prompt}, {"items", {{"anyOf", std::move(choices)}}}};
}

cursorwire::QuestionAnswers::Answer AnswerTo(const cursorwire::AskQuestionQuery::Question& question,
                                             const Json& value) {
  cursorwire::QuestionAnswers::Answer answer{.question_id = question.id};
  const auto is_offered = [&question](const Json& id) {
    return std::any_of(question.options.begin(), question.options.end(),
                       [&id](const auto& option) { return id == option.id; });
  };
  const Json values = value.is_array() ? value : Json::array({value});
  for (const Json& one : values) {
    if (!one.is_string()) continue;
    if (is_offered(one)) {
      answer.option_ids.push_back(one.get<std::string>());
    } else {
      answer.text = one.get<std::string>();
    }
  }
  return answer;
}

}  // namespace

absl::Status Refusal(const std::string& message) { return absl::PermissionDeniedError(message); }
absl::Status NoTurn() { return absl::CancelledError("no turn is under way"); }
absl::Status TooLargeToShow() {
  return Refusal("the user is only asked about what can be shown whole; do it in smaller parts");
}

QuestionHandler::QuestionHandler(Editor& editor, Options options)
    : editor_(editor),
      options_(std::move(options)),
      permissions_(editor, options_.session_id, options_.max_question_time) {}

void QuestionHandler::SetTurn(std::shared_ptr<Turn> turn) {
  const std::lock_guard lock(mutex_);
  turn_ = std::move(turn);
}

std::shared_ptr<Turn> QuestionHandler::turn() const {
  const std::lock_guard lock(mutex_);
  return turn_;
}

absl::Status QuestionHandler::AskAbout(Json members, const std::string& text,
                                       const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (!options_.may_ask) return Refusal("the user does not want to be asked; do without it");
  std::optional<Json> content = WholeTextItem(text);
  if (!content) return TooLargeToShow();
  members["content"] = Json::array({*std::move(content)});
  const Turn::Action counted(*turn);
  const std::string id = turn->updates().ShowOwnCall(members);
  members["toolCallId"] = id;
  absl::Status answer = permissions_.Ask(std::move(members), {}, context.stop);
  turn->updates().EndOwnCall(id, answer.ok());
  return answer;
}

absl::Status QuestionHandler::WebSearch(const cursorwire::WebSearchQuery& query,
                                        const ActionContext& context) {
  const std::string title = QuestionTitle("search the web: " + query.search_term);
  return AskAbout({{"title", title}, {"kind", "fetch"}}, query.search_term, context);
}

absl::Status QuestionHandler::WebFetch(const cursorwire::WebFetchQuery& query,
                                       const ActionContext& context) {
  return AskAbout({{"title", QuestionTitle("read " + query.url)}, {"kind", "fetch"}}, query.url,
                  context);
}

absl::Status QuestionHandler::SwitchMode(const cursorwire::SwitchModeQuery& query,
                                         const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  const Turn::Action counted(*turn);  // the turn waits for the switch, too
  absl::Status answer =
      AskAbout({{"title", QuestionTitle("go on in " + query.target_mode + " mode")},
                {"kind", "switch_mode"}},
               query.explanation, context);
  if (!answer.ok()) return answer;
  if (options_.switch_mode && options_.switch_mode(query.target_mode)) return absl::OkStatus();
  return absl::InvalidArgumentError("there is no such mode here");
}

absl::StatusOr<cursorwire::PlanAccepted> QuestionHandler::CreatePlan(
    const cursorwire::CreatePlanQuery& query, const ActionContext& context) {
  std::string plan = query.plan;
  for (const std::string& todo : query.todos) plan += "\n- [ ] " + todo;
  absl::Status answer =
      AskAbout({{"title", QuestionTitle("plan: " + query.name)}, {"kind", "think"}}, plan, context);
  if (!answer.ok()) return answer;
  return cursorwire::PlanAccepted{};
}

absl::StatusOr<cursorwire::QuestionAnswers> QuestionHandler::AskQuestion(
    const cursorwire::AskQuestionQuery& query, const ActionContext& context) {
  const std::shared_ptr<Turn> turn = this->turn();
  if (turn == nullptr) return NoTurn();
  if (!options_.forms || !options_.may_ask) {
    return Refusal("the user cannot be asked so; ask in your answer, and end your turn");
  }
  const Turn::Action counted(*turn);
  Json properties = Json::object();
  for (const auto& question : query.questions) properties[question.id] = PropertyOf(question);
  const absl::StatusOr<Json> answer = editor_.Call(
      "elicitation/create",
      {{"sessionId", options_.session_id},
       {"message", query.title.empty() ? "The agent has questions" : query.title},
       {"mode", "form"},
       {"requestedSchema", {{"type", "object"}, {"properties", std::move(properties)}}}},
      options_.max_question_time, context.stop);
  if (!answer.ok()) return answer.status();
  if (TextOf(*answer, "action") != "accept") return Refusal("the user does not answer this");
  const Json& content = MemberOf(*answer, "content");
  cursorwire::QuestionAnswers answers;
  for (const auto& question : query.questions) {
    answers.answers.push_back(AnswerTo(question, MemberOf(content, question.id.c_str())));
  }
  return answers;
}

}  // namespace cursor_acp
