#ifndef CURSORWIRE_TESTS_AGENT_TOOLS_TOOL_ANSWERS_H_
#define CURSORWIRE_TESTS_AGENT_TOOLS_TOOL_ANSWERS_H_

#include <absl/status/statusor.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/tools.h"

namespace cursorwire::test {

// What was answered to one call of a tool, in order.
using Answers = std::vector<absl::StatusOr<ToolResult>>;

inline ToolReply ReplyInto(Answers& answers) {
  return ToolReply(
      [&answers](absl::StatusOr<ToolResult> result) { answers.push_back(std::move(result)); });
}

// The text of the only item of the only answer.
inline std::string TextOf(const Answers& answers) {
  if (answers.size() != 1) return "not one answer";
  if (!answers[0].ok()) return answers[0].status().ToString();
  if (answers[0]->content.size() != 1) return "not one item";
  return std::get<std::string>(answers[0]->content[0]);
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_AGENT_TOOLS_TOOL_ANSWERS_H_
