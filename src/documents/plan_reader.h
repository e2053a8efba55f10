#ifndef CURSORWIRE_SRC_DOCUMENTS_PLAN_READER_H_
#define CURSORWIRE_SRC_DOCUMENTS_PLAN_READER_H_

#include <string>

#include "cursorwire/documents/document.h"
#include "cursorwire/query.h"
#include "documents/tool_json.h"

namespace cursorwire::documents {

// Fill the metadata of plans, questions and todo lists from the arguments of a tool call: of the
// service (create_plan, ask_question, update_todos), or of a client's tool with a well-known name.
// Source: docs/protocol.md, tool calls.

// Returns the text of the plan.
std::string ReadPlan(const Json& arguments, PlanMetadata& plan);
// Returns the title of the questions.
std::string ReadQuestions(const Json& arguments, ClarificationMetadata& clarification);
void ReadTodoChanges(const Json& arguments, TodoUpdateMetadata& update);

// The arguments that a tool call of the same kind would have.
Json ArgumentsOf(const CreatePlanQuery& query);
Json ArgumentsOf(const AskQuestionQuery& query);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_PLAN_READER_H_
