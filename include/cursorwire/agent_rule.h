// Room: values
#ifndef CURSORWIRE_AGENT_RULE_H_
#define CURSORWIRE_AGENT_RULE_H_

#include <string>
#include <vector>

namespace cursorwire {

// When the agent takes a rule into account. Source: docs/protocol.md, request context.
enum class RuleUse {
  kAlways,
  kForFiles,   // when a file that matches AgentRule::globs plays a part
  kOnRequest,  // when the agent decides so, by AgentRule::description
  kByName,     // when the user names it
};

// A rule of a project, such as a file of `.cursor/rules`. The service is told of it in the request
// context, apart from ChatRequest::system. A value; all texts are UTF-8.
struct AgentRule {
  std::string path{};  // absolute path of its file
  std::string content{};
  RuleUse use = RuleUse::kAlways;
  std::vector<std::string> globs{};  // of RuleUse::kForFiles
  std::string description{};         // of RuleUse::kOnRequest
};

}  // namespace cursorwire

#endif  // CURSORWIRE_AGENT_RULE_H_
