// Room: src/context
#ifndef CURSORWIRE_CONTEXT_EDITOR_CONTEXT_H_
#define CURSORWIRE_CONTEXT_EDITOR_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/exec.h"

namespace cursorwire::context {

// A place in a text. The numbers are the editor's, which mostly counts from 1: nothing is computed
// from them.
struct TextPosition {
  int64_t line = 0;
  std::optional<int64_t> column{};
};

// A selection in an open file.
struct TextSelection {
  std::optional<TextPosition> start{};
  std::optional<TextPosition> end{};
  std::string text{};  // may be empty
};

// A file that the user has open.
struct OpenFile {
  std::string path{};
  std::optional<TextPosition> cursor{};
  std::optional<TextSelection> selection{};
  std::optional<std::string> content{};  // as it stands in the editor, saved or not
};

// Where the user is.
struct CursorPosition {
  std::string path{};  // empty: the editor does not say
  TextPosition position{};
};

// An error or a warning that the editor shows. Empty texts are left out.
struct LinterError {
  std::string path{};
  std::optional<TextPosition> position{};
  std::string severity{};  // such as "error"
  std::string message{};
  std::string source{};  // the program that says so
  std::string code{};
};

// What the user sees beside the prompt, for AddContext(). A value; all of it may be empty. Texts
// are UTF-8: bytes that are not become U+FFFD.
struct EditorContext {
  // Rules of the project, as ReadProjectRules() reads them.
  std::vector<AgentRule> rules{};
  // Rules in words, without a file.
  std::vector<std::string> instructions{};

  std::string workspace_path{};  // on the user's machine, for the agent to know; nothing opens it
  std::optional<CursorPosition> cursor{};
  std::vector<OpenFile> open_files{};
  std::vector<LinterError> linter_errors{};
  std::vector<std::string> recent_files{};  // paths, the latest first
  // The two in words of the editor, where it has no more than these.
  std::string git_status{};
  std::string project_layout{};

  // As ReadGitHead() and ReadProjectLayout() make them: the service has fields of their own for
  // these.
  std::vector<GitRepository> git_repositories{};
  std::vector<LsFolder> project_layouts{};
};

}  // namespace cursorwire::context

#endif  // CURSORWIRE_CONTEXT_EDITOR_CONTEXT_H_
