#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_ROOM_AGENT_SESSION_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_ROOM_AGENT_SESSION_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/room_agent/line_snapshot.h"
#include "collab/room_agent/question_text.h"
#include "collab/room_agent/regions.h"
#include "crdt/yjs/document.h"
#include "crdt/yjs/id.h"
#include "crdt/yjs/relative_position.h"
#include "cursorwire/collab/room_event.h"

namespace cursorwire::room_agent {

using TimePoint = std::chrono::steady_clock::time_point;

// After this time a file that is still empty counts as loaded.
inline constexpr std::chrono::milliseconds kEmptyFileTimeout{2000};
// Of an answer in bytes, before its malformed ones are replaced. In kRegions a longer one fails its
// run; words beyond it are cut off.
inline constexpr size_t kMaxAnswerBytes = size_t{8} << 20;
// Of a Report, in code points, and of the agent's name in it, in bytes.
inline constexpr size_t kMaxReportCharacters = 200;
inline constexpr size_t kMaxReportNameBytes = 60;
// Of a name in ToolCalled.
inline constexpr size_t kMaxToolNameBytes = 100;

struct SessionOptions {
  std::string name{};  // what is behind the `@`; see SetName()
  Mode mode = Mode::kTools;
  uint32_t max_calls = 50;                     // of tools, in a run
  std::chrono::milliseconds timeout{300'000};  // of a run
  size_t max_queue = 8;                        // prompts that wait, beside the one that runs
  bool remove_prompt = false;  // after a run that edited something, if its line is still the same
  bool report_to_chat = true;
  // For Question::nonce: new random letters at each call. Must be set: without it each run fails.
  std::function<std::string()> new_nonce{};
};

// --- What happens.

using ActiveFile = collab::RoomFileActive;
using PromptTaken = collab::RoomPrompt;
using ToolCalled = collab::RoomToolCalled;
using Edited = collab::RoomEdited;
using Skipped = collab::RoomSkipped;
using Said = collab::RoomMessage;
using Done = collab::RoomDone;
using Failed = collab::RoomFailed;

// --- For whoever asks the model.

struct Ask {
  uint64_t id = 0;
  std::string system{};
  std::string user{};
  bool with_tools = false;  // those of LineToolDefinitions()
};
// What comes of this one is of no use any more.
struct CancelAsk {
  uint64_t id = 0;
};
struct ToolAnswer {
  uint64_t id = 0;
  std::string call_id{};
  std::string text{};
  bool is_error = false;
};

// --- For the room.

struct SendUpdate {
  std::string update{};  // of Yjs
};
struct Report {
  std::string text{};  // for the chat: one line, with nothing of the file
};
struct ShowCaret {
  std::string path{};
  yjs::RelativePosition position{};
};

using SessionEvent =
    std::variant<ActiveFile, PromptTaken, ToolCalled, Edited, Skipped, Said, Done, Failed, Ask,
                 CancelAsk, ToolAnswer, SendUpdate, Report, ShowCaret>;

// The agent in a room: finds prompts in what others write, has a model answer them one by one, and
// puts the answers into the text. Source: docs/collab/room-agent.md.
//
// After each call: TakeEvent() until there is none, in this order; OnDeadline() at deadline().
// Nobody else may call TakeChanges() of the document. No I/O. Thread-compatible.
class RoomAgentSession {
 public:
  // `document` must outlive it; the roots of its texts are the paths of the files.
  RoomAgentSession(yjs::Document& document, SessionOptions options);
  ~RoomAgentSession();
  RoomAgentSession(const RoomAgentSession&) = delete;
  RoomAgentSession& operator=(const RoomAgentSession&) = delete;

  // As the server calls us; prompts that wait are looked for under this name as well.
  void SetName(std::string name) { options_.name = std::move(name); }

  // The host looks at this file, and was asked for its text; "": at none. The same path again
  // changes nothing.
  void OnActiveFile(std::string path, TimePoint now);
  // The host's whole state, or its answer to the wish for the file, has been applied. It says
  // nothing while the file is empty, since its text may still come. OnDocumentChanged() as well,
  // before or after.
  void OnSynced(TimePoint now);
  // After each Document::Apply() that has changed something.
  void OnDocumentChanged(TimePoint now);
  void OnReadOnly(bool read_only, TimePoint now);

  // A call of the model. Each is answered with a ToolAnswer, at once, whatever it is.
  void OnToolCall(uint64_t id, std::string call_id, std::string_view name,
                  const nlohmann::json& arguments, TimePoint now);
  // The model has ended, with all its words. Ignored where the run is over.
  void OnAnswered(uint64_t id, const absl::Status& end, std::string text, TimePoint now);

  // The room is over for us. What comes later does nothing; calls of tools are still answered.
  void OnClosed(TimePoint now);

  // nullopt: none.
  std::optional<TimePoint> deadline() const;
  void OnDeadline(TimePoint now);

  std::optional<SessionEvent> TakeEvent();

  bool is_running() const { return run_ != nullptr; }
  size_t waiting() const { return queue_.size(); }

 private:
  struct Run;
  struct Waiting {
    uint64_t id = 0;
    std::string path{};
    yjs::Id at{};  // the unit of the `@`
    std::string prompt{};
  };

  bool IsDeleted(const std::string& path, const yjs::Id& unit) const;

  void FollowActiveFile(TimePoint now);
  void LookForPrompts(const std::vector<uint32_t>& feeds, TimePoint now);
  void Accept(Waiting prompt, uint32_t line);
  void SkipWaiting(std::string_view reason);
  void ReportRefusal(std::string_view reason);

  void StartNext(TimePoint now);
  void Start(Waiting prompt, TimePoint now);
  void AskModel();
  void CancelRun(const absl::Status& status);
  void FailRun(const absl::Status& status);
  void FinishRun();
  void RemovePrompt();

  void NoteEdit(const AppliedEdit& edit);
  void ShowCaretAt(const std::string& path, uint32_t byte);
  void Say(std::string_view words);
  void TakeRegions(const ParsedRegions& parsed, const std::vector<RegionPlace>& places);
  void ApplyRegion(const RegionPlace& place);
  void RefuseRegion(std::string_view reason, uint32_t line);
  void Tell(std::string_view outcome);

  yjs::Document& document_;
  SessionOptions options_;
  std::deque<SessionEvent> events_;

  std::string active_;  // path; empty: none
  bool is_loaded_ = false;
  std::optional<TimePoint> load_deadline_;

  bool is_read_only_ = false;
  bool is_closed_ = false;
  bool told_refusal_ = false;  // since the last run ended, or permissions changed
  uint64_t last_id_ = 0;
  std::deque<Waiting> queue_;
  std::unique_ptr<Run> run_;
};

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_ROOM_AGENT_SESSION_H_
