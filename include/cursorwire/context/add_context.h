// Room: src/context
#ifndef CURSORWIRE_CONTEXT_ADD_CONTEXT_H_
#define CURSORWIRE_CONTEXT_ADD_CONTEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/context/editor_context.h"
#include "cursorwire/export.h"

namespace cursorwire::context {

// Bounds of what one turn is told beside its prompt. A value.
struct ContextLimits {
  // Of the rules of the request, those that it had before included.
  size_t max_rule_bytes = size_t{2} * 1024 * 1024;
  size_t max_rules = 1000;
  size_t max_instruction_bytes = size_t{256} * 1024;
  // Of all that is no rule: the text about the editor, as JSON, and the layouts and repositories
  // that have fields of their own.
  size_t max_information_bytes = size_t{256} * 1024;
};

// The parts of a context. The order says what is left out where the limits do not admit all: among
// the information the last first.
enum class ContextPart {
  kRules,
  kInstructions,
  kWorkspacePath,
  kCursor,
  kGitRepositories,
  kOpenFiles,  // without their texts
  kLinterErrors,
  kGitStatus,
  kSelections,
  kRecentFiles,
  kProjectLayouts,
  kFileContents,
};

// What the agent is not told of one part.
struct LeftOut {
  ContextPart part{};
  size_t count = 0;  // elements that are left out
  size_t total = 0;  // elements that there are

  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

// Such as "content of open files: 2 of 5 left out".
CURSORWIRE_EXPORT std::string ToText(const LeftOut& left_out);

// Puts a context into a request. Nothing of what the request has is replaced, and the prompt stays
// as it is.
//
// Rules go to ChatRequest::rules, layouts and repositories to their fields, instructions to
// ChatRequest::system. What else the editor shows has no field whose effect is known: it is added
// to ChatRequest::system as one text, which says that it is information and no instruction; the
// values are in JSON without "</", so that none of them can end the text or a tag around it. The
// text also says how much of each list is left out.
//
// An element is either told as a whole or left out, and the next that fits is told: a long file
// leaves room for a short one. A layout that does not fit is made smaller: LimitLayout(); that
// counts as left out. Returns what is left out, in the order of ContextPart; empty: nothing is.
// The limits leave room for a request with nothing else in it; what a turn takes in all is checked
// when it begins: docs/limits.md.
CURSORWIRE_EXPORT std::vector<LeftOut> AddContext(const EditorContext& context,
                                                  ChatRequest& request,
                                                  const ContextLimits& limits = {});

}  // namespace cursorwire::context

#endif  // CURSORWIRE_CONTEXT_ADD_CONTEXT_H_
