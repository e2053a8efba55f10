// Room: src/agent/tools
#ifndef CURSORWIRE_CHAT_H_
#define CURSORWIRE_CHAT_H_

#include <absl/status/status.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/exec.h"
#include "cursorwire/export.h"
#include "cursorwire/model.h"
#include "cursorwire/query.h"
#include "cursorwire/tools.h"

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

// What a user attaches to a prompt beside images. Values; all texts are UTF-8. The agent gets them
// with the prompt, so that it does not have to ask for them. Source: docs/protocol.md, selected
// context.

// A text file.
struct AttachedFile {
  std::string path{};           // absolute
  std::string relative_path{};  // as the user wrote it, or relative to the workspace; may be empty
  std::string content{};
};

// A folder: its listing, without the content of its files. LocalExecHandler::Ls() makes one.
struct AttachedFolder {
  LsFolder tree{};
  std::string relative_path{};  // likewise
};

using Attachment = std::variant<AttachedFile, AttachedFolder>;

// A git repository that the user works in, for ChatRequest::git_repositories. The library does not
// run git: a program fills in what it knows. A value; all texts are UTF-8.
// Source: docs/protocol.md, request context.
struct GitRepository {
  std::string path{};    // absolute path of its folder
  std::string branch{};  // empty: unknown, or none is checked out
  // What is changed, in the words of `git status`. Empty: unknown, or nothing is.
  std::string status{};
};

// The largest image of a ChatRequest. Source: docs/protocol.md, user message.
inline constexpr size_t kMaxImageBytes = size_t{5} * 1024 * 1024;

// "image/jpeg", "image/png", "image/gif" or "image/webp", by the bytes that the file starts with;
// nullopt: none of them, and the service takes no other. A program that asks before it makes a
// ChatRequest can name the file. Thread-safe.
CURSORWIRE_EXPORT std::optional<std::string_view> ImageMimeType(std::string_view bytes);

// How ChatRequest::system reaches the model: the service drops a system message of a client, and
// these are the ways that work. Source: docs/protocol.md, root prompt messages.
enum class SystemPlacement {
  kRulesMessage,  // once, in the state of the conversation
  kCloudRule,     // in the request context, each time that the service asks for it
  kBoth,
};

// How the agent works. Source: docs/protocol.md, user message.
enum class AgentMode {
  kAgent,  // acts
  kPlan,   // makes a plan, and is not to change anything
  kAsk,    // answers, and is not to change anything
  kDebug,
};

// Some models put their reasoning into the text, between tags such as <think>.
enum class ThinkTags {
  // What is between them comes as ThinkingDelta, without the tags. An opening tag counts at the
  // start of what the model says, and of a line right after a closed block: an answer that
  // mentions a tag comes as it is. Text after a tag that is still open at TurnEnded, or after
  // 1 MiB, was no reasoning: it comes once more, as TextDelta, tag included.
  kAsThinking,
  kKeep,  // the text comes as it is
};

// One question to the agent. A value. What is not as it says here ends the turn with
// kInvalidArgument before anything is sent; all limits: docs/limits.md.
struct ChatRequest {
  // What the user says. Must not be empty, must be UTF-8, and at most 32 MiB.
  std::string prompt{};
  // A model id, UTF-8 and not empty; "default" lets the service choose. One that the service does
  // not know ends the turn with an error of the service, mostly kNotFound.
  std::string model = "default";
  // How the model is to work, independent of its id. Only what the catalog offers is safe: fill all
  // three from ChooseModel().
  bool max_mode = false;
  std::vector<ModelParameter> model_parameters{};  // UTF-8; at most 64, each with an id
  // Rules for the agent, sent so that the service takes them into account; may be empty. UTF-8, at
  // most 32 MiB.
  std::string system{};
  AgentMode mode = AgentMode::kAgent;
  // Functions that the agent may call. Copies of a registry share their handlers.
  ToolRegistry tools{};
  ThinkTags think_tags = ThinkTags::kAsThinking;
  // What the user shows: the bytes of image files, jpeg, png, gif or webp, of at most 5 MiB each
  // and 32 MiB in all.
  std::vector<std::string> images{};
  // Files and folders that the user attaches, of at most 16 MiB in all. They belong to this turn: a
  // history does not hold them.
  std::vector<Attachment> attachments{};
  // Rules of the project, of at most 4 MiB in all, told each time that the service asks for the
  // request context.
  std::vector<AgentRule> rules{};
  // What else the service is told of the project in the same way: listings of folders, as
  // LocalExecHandler::Ls() makes them, and git repositories. Names and texts of at most 4 MiB in
  // all. cursorwire::context makes both: docs/context.md.
  std::vector<LsFolder> project_layouts{};
  std::vector<GitRepository> git_repositories{};
  SystemPlacement system_placement = SystemPlacement::kRulesMessage;
  // What the agent asks the user comes as QuestionAsked, in the order of the events, and not to
  // ClientOptions::query_handler. For turns of a Client; a Run has RunOptions::hand_out_queries.
  bool hand_out_questions = false;
  // Longest time for the whole turn, connecting included. 0: no limit. When it has passed, the turn
  // ends with kDeadlineExceeded.
  std::chrono::milliseconds timeout{0};
  // Longest time in which nothing at all is received, whatever the host does meanwhile:
  // kDeadlineExceeded then. 0: WatchdogOptions::idle_timeout of the client counts alone. The
  // service sends a sign of life while it thinks.
  std::chrono::milliseconds idle_timeout{0};
};

// A piece of the answer.
struct TextDelta {
  std::string text{};
};
// Text of the service itself, such as a warning, and no part of the answer.
struct ServerNotice {
  std::string text{};
};
// A piece of the agent's reasoning.
struct ThinkingDelta {
  std::string text{};
};
struct ThinkingCompleted {
  std::chrono::milliseconds duration{0};
};
// A tool that the agent uses, as it is to be shown: nothing has to be done for it. What the host is
// to do comes to a ToolRegistry and an ExecHandler.
struct ToolCallInfo {
  std::string call_id{};  // the same in all events of a call
  std::string model_call_id{};
  // The word of the schema: "shell", "read", "edit", "mcp" (a tool of a ToolRegistry or of another
  // server), ...; "" for one that is not known.
  std::string kind{};
  std::string name{};            // of an "mcp" tool: its name as it was offered; else empty
  std::string arguments_json{};  // an object; "{}" if there are none yet
  std::string result_json{};     // an object once it is completed; else empty
};
// The arguments are being written: `arguments_delta` is the next piece of their JSON text.
struct ToolCallPartial {
  ToolCallInfo call{};
  std::string arguments_delta{};
};
// The arguments are complete.
struct ToolCallStarted {
  ToolCallInfo call{};
};
// A piece of what a running tool gives out.
struct ToolCallDelta {
  std::string call_id{};
  std::string model_call_id{};
  std::string delta_json{};  // an object: which kind of output, and the piece
};
struct ToolCallCompleted {
  ToolCallInfo call{};
};
// Output of a command that the service shows, outside of any call.
struct ShellOutputDelta {
  std::string out{};
  std::string err{};
  std::optional<int32_t> exit_code{};  // the command has ended
};
// A counter for display: the tokens since the last one. Usage does not count in the same way.
struct TokenUsage {
  int64_t tokens = 0;
};
// The service shortens the conversation: it began, a summary, it is done.
struct SummaryStarted {};
struct ConversationSummary {
  std::string text{};
};
struct SummaryCompleted {
  bool failed = false;
};
// One call of the model within the turn.
struct StepStarted {
  uint64_t step_id = 0;
};
struct StepCompleted {
  uint64_t step_id = 0;
  std::chrono::milliseconds duration{0};
};
// The model that the service chose.
struct ModelRouted {
  std::string display_name{};
};
// The state of the conversation after some step: opaque, the newest replaces the former. Kept
// verbatim, it is what a next turn starts from. It also comes after TurnEnded. One of a turn
// without TurnEnded is not the state of a complete turn: a next turn goes on from the former one.
// A Conversation does all of that.
struct Checkpoint {
  std::string state{};
  // Size of the model's context now, and its limit, in tokens; nullopt where the service did not
  // say. No part of Usage.
  std::optional<int64_t> used_tokens{};
  std::optional<int64_t> max_tokens{};
};
// The service asked for a blob that this client does not have: a part of the conversation is lost,
// and the model does not know of it in this turn. Comes once a turn. A Conversation does not go on
// from the checkpoints of this turn: its next turn begins with the whole history.
struct StateLost {};
// The turn goes on from its history, since the state of the conversation cannot be used: first in a
// turn. Nothing is lost but what a history does not hold, such as images and files that the agent
// has read.
enum class RebuildReason {
  kHistoryChanged,   // Conversation::SetHistory(), Fork()
  kRulesRemoved,     // ChatRequest::system had rules in a former turn, and has none now
  kStateLost,        // StateLost came in a former turn
  kStateIncomplete,  // a loaded session lacks blobs of its state
  kStateDamaged,     // the state does not parse, or its bytes have changed
  kStateTooLarge,    // the state is larger than 48 MiB
};
struct StateRebuilt {
  RebuildReason reason = RebuildReason::kHistoryChanged;
  std::string message{};  // the same for a person to read
};
// An attempt has failed, and another one follows after `delay`. What came before stands.
enum class RetryKind {
  kRepeat,    // the prompt is asked again: nothing was shown, and no tool was used
  kResume,    // the turn goes on from a checkpoint
  kContinue,  // the service is told what was said and done, and goes on from there
};
struct Retrying {
  int retry = 0;  // 1 is the first
  int max_retries = 0;
  RetryKind kind = RetryKind::kRepeat;
  std::chrono::milliseconds delay{0};
  absl::Status reason{};
};
// The service sent something that this library does not know, for the first time: see DriftLog
// (run_options.h). Nothing is lost that the library could have used.
struct DriftFound {
  std::string path{};
};
// The agent asks the user, and waits for the answer: only with ChatRequest::hand_out_questions.
struct QuestionAsked {
  QueryArgs question{};
  QuestionReply reply{};
};
// Totals of the turn over all model calls; nullopt where the service did not say.
struct Usage {
  std::optional<int64_t> input_tokens{};
  std::optional<int64_t> output_tokens{};
  std::optional<int64_t> cache_read_tokens{};
  std::optional<int64_t> cache_write_tokens{};
  std::optional<int64_t> reasoning_tokens{};
};
// The answer is complete. Checkpoints may follow.
struct TurnEnded {
  Usage usage{};
};

// What happens in a turn: one of the structs above. A value.
class ChatEvent {
 public:
  using Variant =
      std::variant<TextDelta, ThinkingDelta, TokenUsage, Checkpoint, StateLost, TurnEnded,
                   ServerNotice, ThinkingCompleted, ToolCallPartial, ToolCallStarted, ToolCallDelta,
                   ToolCallCompleted, ShellOutputDelta, SummaryStarted, ConversationSummary,
                   SummaryCompleted, StepStarted, StepCompleted, ModelRouted, DriftFound,
                   StateRebuilt, Retrying, QuestionAsked>;

  template <typename T>
  requires(!std::same_as<std::remove_cvref_t<T>, ChatEvent>)
      ChatEvent(T&& what)  // NOLINT: converts on purpose
      : what_(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(what)) {}

  // The event if it is a T, else nullptr.
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&what_);
  }
  const Variant& what() const { return what_; }

 private:
  Variant what_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CHAT_H_
