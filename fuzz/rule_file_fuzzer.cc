// Checks what ParseRuleFile() promises of any bytes: the content is the end of the text, and a rule
// has what its use asks for; that a line after the front matter changes nothing before it; and
// that a rule of a subfolder never applies to more than that.
//
// Input: the text of a file; its first line is also the name of a folder.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cursorwire/context/project_layout.h"
#include "cursorwire/context/project_rules.h"
#include "support/harness.h"

namespace {

using cursorwire::AgentRule;
using cursorwire::RuleUse;
using cursorwire::context::ParseRuleFile;
using cursorwire::context::WithinFolder;
using cursorwire::fuzz::Check;

void CheckParts(const AgentRule& rule, std::string_view text) {
  Check(text.ends_with(rule.content));
  Check((rule.use == RuleUse::kForFiles) == !rule.globs.empty());
  Check((rule.use == RuleUse::kOnRequest) == !rule.description.empty());
  Check(rule.use == RuleUse::kAlways || text.starts_with("---"));
  size_t bytes = rule.description.size();
  for (const std::string& glob : rule.globs) {
    Check(!glob.empty() && glob.find('\n') == glob.npos);
    bytes += glob.size();
  }
  Check(bytes + rule.content.size() <= text.size());
}

void CheckMoreContent(const AgentRule& rule, std::string_view text) {
  if (rule.content.empty() || rule.content.size() == text.size()) return;
  const AgentRule longer = ParseRuleFile("/p", std::string(text) + "\n---\nglobs: x\n---\n");
  Check(longer.use == rule.use && longer.globs == rule.globs);
  Check(longer.content == rule.content + "\n---\nglobs: x\n---\n");
}

void CheckWithin(const AgentRule& rule, std::string_view folder) {
  const AgentRule within = WithinFolder(rule, folder);
  Check(within.use != RuleUse::kAlways);
  Check(within.content == rule.content);
  Check(within.globs.size() == (rule.use == RuleUse::kAlways ? 1 : rule.globs.size()));
  const std::string all = WithinFolder({}, folder).globs[0];
  const std::string prefix = all.substr(0, all.size() - std::string_view("**").size());
  Check(std::all_of(within.globs.begin(), within.globs.end(),
                    [&](const std::string& glob) { return glob.starts_with(prefix); }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const AgentRule rule = ParseRuleFile("/p", input);
  // A byte order mark is no part of the text.
  const std::string_view text = input.substr(input.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  CheckParts(rule, text);
  CheckMoreContent(rule, text);
  CheckWithin(rule, input.substr(0, input.find('\n')));
  Check(cursorwire::context::ParseGitHead(input).size() <= size);
  return 0;
}
