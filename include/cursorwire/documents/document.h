// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_DOCUMENT_H_
#define CURSORWIRE_DOCUMENTS_DOCUMENT_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cursorwire/export.h"
#include "cursorwire/query.h"

namespace cursorwire::documents {

// One part of an answer, and what each type of part says about itself. All are values; texts are
// UTF-8; lines count from 1. docs/documents.md has an example of each.

enum class TextFormat { kMarkdown, kPlain };
// What the agent says between the other parts. The content has no blank line at its borders.
struct TextMetadata {
  TextFormat format = TextFormat::kMarkdown;

  friend bool operator==(const TextMetadata&, const TextMetadata&) = default;
};

// Lines of a file that is there, as the agent shows them. The content is the code.
struct CodeReferenceMetadata {
  std::string file_path{};  // as the agent wrote it
  int32_t start_line = 0;
  int32_t end_line = 0;    // the last one shown
  std::string language{};  // by the name of the file; empty: not known

  friend bool operator==(const CodeReferenceMetadata&, const CodeReferenceMetadata&) = default;
};

enum class CodePurpose {
  kNewCode,     // code for the user's project
  kExample,     // commands, output, or text without a language
  kSuggestion,  // a patch; and all code in a mode in which the agent changes nothing (plan, ask)
};
// Any other code. The content is the code, without the line end before the closing fence.
struct CodeBlockMetadata {
  // As the agent tagged it, else by the name of the file; empty: not known.
  std::string language{};
  CodePurpose purpose = CodePurpose::kNewCode;
  // Of a fence that names a file: ```src/main.py, ```python:src/main.py. Empty: it names none.
  std::string file_path{};

  friend bool operator==(const CodeBlockMetadata&, const CodeBlockMetadata&) = default;
};

enum class FileOperation { kCreate, kEdit, kDelete, kRename };
// The part of a file that changed: from its first changed line to its last.
struct FileDiff {
  std::string old_string{};
  std::string new_string{};
  // The lines of `old_string` in the file as it was: those that `new_string` takes the place of.
  // Where `old_string` is empty, `new_string` goes in front of `start_line`, and `end_line` is
  // `start_line` - 1. nullopt: not known.
  std::optional<int32_t> start_line{};
  std::optional<int32_t> end_line{};

  friend bool operator==(const FileDiff&, const FileDiff&) = default;
};
// A change of a file. The content is the new text: of kCreate all of the file; of kEdit what stands
// in the file now in the place of the old text, or what the tool was given for it; nullopt if
// nobody told, and for kDelete. One that failed is followed by an error document, and its content
// is what was to be.
struct FileEditMetadata {
  std::string file_path{};  // never empty: a call that names no file is a ToolCallMetadata
  // kEdit until the result says that the file is new. kCreate also for a tool that is given the
  // whole content, since it does not say whether the file was there.
  FileOperation operation = FileOperation::kEdit;
  std::string language{};          // by the name of the file; empty: not known
  std::optional<FileDiff> diff{};  // nullopt: the tool did not say; always of kCreate

  friend bool operator==(const FileEditMetadata&, const FileEditMetadata&) = default;
};

enum class ToolStatus { kSuccess, kError };
struct ToolOutcome {
  ToolStatus status = ToolStatus::kSuccess;
  // A JSON value: what the tool gave back, or for an error an object that says which error.
  std::string data_json = "{}";

  friend bool operator==(const ToolOutcome&, const ToolOutcome&) = default;
};
// A call of a tool that has no type of its own: of the service's tools those that read, search,
// browse or delegate, and those that it has only in other clients ("pi_bash", "pi_edit",
// "pi_write"). It has no content.
struct ToolCallMetadata {
  // The tool's own name, or the protocol's word for one of the service ("read", "grep", ...);
  // "unknown" for one that this library does not know.
  std::string tool_name{};
  std::string tool_call_id{};
  std::string arguments_json = "{}";                    // a JSON object
  std::optional<ToolOutcome> result{};                  // nullopt: it has not ended
  std::optional<std::chrono::milliseconds> duration{};  // likewise

  friend bool operator==(const ToolCallMetadata&, const ToolCallMetadata&) = default;
};

// A command of a shell. It has no content.
struct TerminalCommandMetadata {
  std::string command{};
  std::string working_directory{};
  // nullopt: it has not ended, was refused, was killed by a signal, or runs in the background.
  std::optional<int32_t> exit_code{};
  std::string output{};  // of both streams; if it was refused: the reason
  // nullopt: it has not ended. An exit code other than 0 is kError, also where the tool itself
  // (ToolResult) calls the run a success.
  std::optional<ToolStatus> status{};
  std::optional<std::chrono::milliseconds> duration{};
  // What the command was allowed, or, until its result says so, what was asked for: "all" (no
  // sandbox), "workspace_readwrite", "workspace_readonly", "network", "git_write", "write:" with a
  // path.
  std::vector<std::string> permissions{};

  friend bool operator==(const TerminalCommandMetadata&, const TerminalCommandMetadata&) = default;
};

using ::cursorwire::TodoStatus;
struct PlanTodo {
  std::string id{};
  std::string content{};
  TodoStatus status = TodoStatus::kPending;
  std::vector<std::string> dependencies{};  // ids

  friend bool operator==(const PlanTodo&, const PlanTodo&) = default;
};
// A plan for the user to look at. The content is the plan, in Markdown. One that failed is followed
// by an error document.
struct PlanMetadata {
  std::string title{};
  std::string overview{};
  std::vector<PlanTodo> todos{};

  friend bool operator==(const PlanMetadata&, const PlanMetadata&) = default;
};

struct QuestionOption {
  std::string id{};
  std::string label{};

  friend bool operator==(const QuestionOption&, const QuestionOption&) = default;
};
struct Question {
  std::string id{};
  std::string text{};
  std::vector<QuestionOption> options{};

  friend bool operator==(const Question&, const Question&) = default;
};
// What the agent asks the user. The content is the title of the questions, if there is one.
struct ClarificationMetadata {
  std::vector<Question> questions{};

  friend bool operator==(const ClarificationMetadata&, const ClarificationMetadata&) = default;
};

// Something failed. The content says what, for a person.
struct ErrorMetadata {
  // Of a turn: the code of the Connect protocol, such as "unavailable". Of a tool: the protocol's
  // word for the failure, such as "permission_denied" or "rejected".
  std::string error_code{};
  // Of a tool: its name. Of a turn: who says that it failed: "server", "transport", "protocol",
  // "local".
  std::string source{};
  // What the tool told as the reason, or what the service told beside its message; may be empty.
  std::string details{};
  // Of a tool: the document that failed, and the call. Empty for a turn.
  std::string document_id{};
  std::string tool_call_id{};

  friend bool operator==(const ErrorMetadata&, const ErrorMetadata&) = default;
};

struct TodoChange {
  std::string id{};
  TodoStatus status = TodoStatus::kPending;

  friend bool operator==(const TodoChange&, const TodoChange&) = default;
};
// The agent's list of things to do has changed. It has no content.
struct TodoUpdateMetadata {
  std::vector<TodoChange> todos{};

  friend bool operator==(const TodoUpdateMetadata&, const TodoUpdateMetadata&) = default;
};

using DocumentMetadata =
    std::variant<TextMetadata, CodeReferenceMetadata, CodeBlockMetadata, FileEditMetadata,
                 ToolCallMetadata, TerminalCommandMetadata, PlanMetadata, ClarificationMetadata,
                 ErrorMetadata, TodoUpdateMetadata>;

// The name of the type, as it stands in JSON: "text", "code_reference", ... The view is of a
// constant.
CURSORWIRE_EXPORT std::string_view TypeName(const DocumentMetadata& metadata);

struct Document {
  std::string id{};      // "doc_001", ...
  int32_t sequence = 0;  // from 1, without gaps
  std::optional<std::string> content{};
  DocumentMetadata metadata{};  // which one it is, is the type of the document

  friend bool operator==(const Document&, const Document&) = default;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_DOCUMENTS_DOCUMENT_H_
