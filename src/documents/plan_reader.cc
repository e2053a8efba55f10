#include "documents/plan_reader.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace cursorwire::documents {
namespace {

// In the words of agent.v1.TodoStatus or of a client's tool.
TodoStatus ReadStatus(const Json& todo) {
  constexpr std::string_view kPrefix = "TODO_STATUS_";
  constexpr std::pair<std::string_view, TodoStatus> kStatuses[] = {
      {"IN_PROGRESS", TodoStatus::kInProgress}, {"in_progress", TodoStatus::kInProgress},
      {"COMPLETED", TodoStatus::kCompleted},    {"completed", TodoStatus::kCompleted},
      {"CANCELLED", TodoStatus::kCancelled},    {"cancelled", TodoStatus::kCancelled}};
  const std::string text = StringMember(todo, {"status"});
  std::string_view word = text;
  if (word.starts_with(kPrefix)) word.remove_prefix(kPrefix.size());
  for (const auto& [name, status] : kStatuses) {
    if (word == name) return status;
  }
  return TodoStatus::kPending;
}

// One without an id gets its place in the list.
std::string IdOr(const Json& object, size_t place) {
  std::string id = StringMember(object, {"id"});
  return id.empty() ? std::to_string(place) : id;
}

void ReadTodos(const Json& list, std::vector<PlanTodo>& todos) {
  for (const Json& item : list) {
    PlanTodo todo{.id = IdOr(item, todos.size() + 1),
                  .content = StringMember(item, {"content"}),
                  .status = ReadStatus(item)};
    for (const Json& id : ArrayMember(item, "dependencies")) {
      if (id.is_string()) todo.dependencies.push_back(id.get<std::string>());
    }
    todos.push_back(std::move(todo));
  }
}

// In the words of protobuf's JSON, which leaves out what is empty.
Json TodoJson(const CreatePlanQuery::Todo& todo) {
  constexpr const char* kWords[] = {"TODO_STATUS_PENDING", "TODO_STATUS_IN_PROGRESS",
                                    "TODO_STATUS_COMPLETED", "TODO_STATUS_CANCELLED"};
  Json object = {{"content", todo.content}, {"status", kWords[static_cast<size_t>(todo.status)]}};
  if (!todo.id.empty()) object["id"] = todo.id;
  if (!todo.dependencies.empty()) object["dependencies"] = todo.dependencies;
  return object;
}

}  // namespace

std::string ReadPlan(const Json& arguments, PlanMetadata& plan) {
  plan.title = StringMember(arguments, {"name", "title"});
  plan.overview = StringMember(arguments, {"overview"});
  plan.todos.clear();
  ReadTodos(ArrayMember(arguments, "todos"), plan.todos);
  for (const Json& phase : ArrayMember(arguments, "phases")) {
    ReadTodos(ArrayMember(phase, "todos"), plan.todos);
  }
  return StringMember(arguments, {"plan"});
}

std::string ReadQuestions(const Json& arguments, ClarificationMetadata& clarification) {
  clarification.questions.clear();
  for (const Json& item : ArrayMember(arguments, "questions")) {
    Question question{.id = IdOr(item, clarification.questions.size() + 1),
                      .text = StringMember(item, {"prompt", "question", "text"})};
    for (const Json& option : ArrayMember(item, "options")) {
      question.options.push_back({.id = IdOr(option, question.options.size() + 1),
                                  .label = StringMember(option, {"label", "text"})});
    }
    clarification.questions.push_back(std::move(question));
  }
  return StringMember(arguments, {"title"});
}

void ReadTodoChanges(const Json& arguments, TodoUpdateMetadata& update) {
  update.todos.clear();
  for (const Json& item : ArrayMember(arguments, "todos")) {
    update.todos.push_back({IdOr(item, update.todos.size() + 1), ReadStatus(item)});
  }
}

Json ArgumentsOf(const CreatePlanQuery& query) {
  Json todos = Json::array();
  for (const CreatePlanQuery::Todo& todo : query.todo_items) todos.push_back(TodoJson(todo));
  if (todos.empty()) {
    for (const std::string& content : query.todos) todos.push_back({{"content", content}});
  }
  return {{"name", query.name},
          {"overview", query.overview},
          {"plan", query.plan},
          {"todos", std::move(todos)}};
}

Json ArgumentsOf(const AskQuestionQuery& query) {
  Json questions = Json::array();
  for (const AskQuestionQuery::Question& asked : query.questions) {
    Json options = Json::array();
    for (const AskQuestionQuery::Option& option : asked.options) {
      options.push_back({{"id", option.id}, {"label", option.label}});
    }
    questions.push_back({{"id", asked.id},
                         {"prompt", asked.prompt},
                         {"options", std::move(options)},
                         {"allow_multiple", asked.allow_multiple}});
  }
  return {{"title", query.title}, {"questions", std::move(questions)}};
}

}  // namespace cursorwire::documents
