#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

AskQuestionQuery ToAskQuestion(const pb::AskQuestionInteractionQuery& query) {
  AskQuestionQuery ask{.title = query.args().title(), .call_id = query.tool_call_id()};
  for (const pb::AskQuestionArgs::Question& question : query.args().questions()) {
    AskQuestionQuery::Question& to = ask.questions.emplace_back();
    to = {.id = question.id(),
          .prompt = question.prompt(),
          .allow_multiple = question.allow_multiple()};
    for (const pb::AskQuestionArgs::Option& option : question.options()) {
      to.options.push_back({.id = option.id(), .label = option.label()});
    }
  }
  return ask;
}

void AnswerAskQuestion(const pb::AskQuestionInteractionQuery& /*query*/, const QueryAnswer& answer,
                       pb::AskQuestionInteractionResponse& response) {
  pb::AskQuestionResult& result = *response.mutable_result();
  const auto* yes = YesOf<QuestionAnswers>(answer);
  if (yes == nullptr) return result.mutable_error()->set_error_message(ReasonOf(answer));
  result.mutable_success();
  for (const QuestionAnswers::Answer& given : yes->answers) {
    pb::AskQuestionSuccess::Answer& to = *result.mutable_success()->add_answers();
    to.set_question_id(ToUtf8(given.question_id));
    for (const std::string& id : given.option_ids) to.add_selected_option_ids(ToUtf8(id));
    to.set_freeform_text(ToUtf8(given.text));
  }
}

}  // namespace

const QueryKind kAskQuestionQuery =
    MakeQueryKind<&pb::InteractionQuery::ask_question_interaction_query,
                  &pb::InteractionResponse::mutable_ask_question_interaction_response,
                  ToAskQuestion, AnswerAskQuestion>(
        pb::InteractionQuery::kAskQuestionInteractionQuery);

}  // namespace cursorwire::agent
