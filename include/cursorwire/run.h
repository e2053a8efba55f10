// Room: src/agent/run
#ifndef CURSORWIRE_RUN_H_
#define CURSORWIRE_RUN_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cursorwire/blob_store.h"
#include "cursorwire/chat.h"
#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/time_point.h"
#include "cursorwire/exec.h"
#include "cursorwire/export.h"
#include "cursorwire/history.h"
#include "cursorwire/id_source.h"
#include "cursorwire/query.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

// What a Run wants done with its call, in this order.
struct SendMessage {
  std::string message{};
};
struct CloseSend {};
struct CancelCall {};
using RunOutput = std::variant<SendMessage, CloseSend, CancelCall>;

// How a Run begins.
enum class RunStart {
  kPrompt,  // it asks the prompt
  // It goes on with the turn that `state` belongs to, which was not complete.
  kResume,
  // It tells the service what the turn has said and done, and asks it to go on from there.
  kContinue,
};

// What a Run goes on from. A value; by default, a new conversation. Conversation (conversation.h)
// fills it for programs that do not have an event loop of their own. Source: docs/protocol.md,
// several turns and recovery.
struct RunConversation {
  // A UUID; empty: one is made up.
  std::string id{};
  // The last Checkpoint::state of the turn before, verbatim; at most 48 MiB. Empty: a state is
  // built of `history`.
  std::string state{};
  // The rules that are in force in the `state`: others are added to it. nullopt: not known; those
  // that it does not name are added.
  std::optional<std::string> rules{};
  // The turns before, in order. Not used with a `state`.
  std::vector<HistoryTurn> history{};
  // With a `state`: the turns after it that it does not hold, since they were not completed. Their
  // messages are added to it. Source: docs/protocol.md, several turns.
  std::vector<HistoryTurn> turns_since_state{};
  RunStart start = RunStart::kPrompt;
  // What this turn has said and done already: RunProgress::held of the Run before with kResume, the
  // items of its turn with kContinue.
  std::vector<HistoryItem> items{};
  // The blobs of the conversation, which its Runs share. nullptr: the Run has a store of its own.
  std::shared_ptr<BlobStore> blobs{};
};

// One turn of the agent: the messages of AgentService/Run, without I/O.
//
// Order: start a call with call_request(); then after each On() and OnDeadline(), and once at the
// start, do what PollOutput() says and pull PollEvent(), both until nullopt.
// What the server asks of the client is answered here: blobs of the conversation are handed out,
// blobs of the server are stored with them, the request context is told. Calls of the request's
// tools are handed out as actions. Every other action and every question is refused in the form
// the protocol has for it, unless RunOptions says otherwise; those that nobody can serve are in any
// case.
// Events: in what order PollEvent() yields them, where X is any event but TurnEnded:
//   the turn is complete              X... TurnEnded X...
//   the call fails or is lost         X... error
//   Cancel(), or a time has passed    X... error, or as a complete turn if TurnEnded was faster
//   the request is bad                error
// After TurnEnded there is no error, whatever becomes of the connection; X is a Checkpoint then, as
// a rule. PollEvent() yields nullopt when there is nothing at the moment, and finished() becomes
// true with the last element.
// Memory: the events that were not pulled, at most 64 MiB of actions and questions that were not
// answered, and the blobs of the conversation, see BlobStore. Thread-compatible; reads no clock.
// Source: docs/protocol.md.
class CURSORWIRE_EXPORT Run {
 public:
  // `ids` is used during the constructor only.
  //   PollEvent() yields kInvalidArgument if the request is bad, and nothing is sent
  Run(const ChatRequest& request, const RunOptions& options, IdSource& ids, connect::TimePoint now);
  // A turn of a conversation that has begun, or the rest of a turn.
  Run(const ChatRequest& request, const RunConversation& conversation, const RunOptions& options,
      IdSource& ids, connect::TimePoint now);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  // That of the RunConversation, or the one that was made up: the next turn needs it.
  const std::string& conversation_id() const;

  // The call to start; the timeouts of the ChatRequest are in it.
  const connect::CallRequest& call_request() const;

  // From now on, text of the answer goes to `take`, within On(), where it would be a TextDelta: in
  // the order of the events, and without a copy. For hosts that count instructions; not all of it
  // comes so: PollEvent() yields TextDelta as well, before anything that comes after it. `take`
  // must not call a function of the Run that changes it. nullptr: all comes as events.
  void PassTextTo(std::function<void(std::string_view text)> take);

  void On(const connect::CallEvent& event, connect::TimePoint now);
  // The same of a message.
  void On(const connect::MessageView& message, connect::TimePoint now);
  // The same, for hosts that own a Connection. Pass only the events of this run's call; events of
  // the connection itself are ignored.
  void On(const connect::ConnectionEvent& event, connect::TimePoint now);

  // While the call has more unsent bytes than kSendHighWater, do not poll: an answer is
  // made only then, and a server that asks and does not read must not fill the memory. Once
  // ended(), poll in any case: all that is left may be to cancel the call.
  // It may bring events: a message larger than CallOptions::max_send_bytes ends the run with
  // kResourceExhausted.
  std::optional<RunOutput> PollOutput();
  std::optional<absl::StatusOr<ChatEvent>> PollEvent();

  // The next action to do; poll with PollOutput(), under the same condition. Each wants an
  // AnswerExec() with its id, once, in any order, soon or late.
  std::optional<ExecRequest> PollExec();
  // A status in place of an output is told to the agent as ExecHandler says. Without effect if
  // exec_pending() is false.
  void AnswerExec(uint32_t id, const absl::StatusOr<ExecOutput>& output, connect::TimePoint now);
  // Adds the next piece of output of a streamed shell command, before AnswerExec(). Does nothing if
  // exec_pending() is false, or if the action is not a streamed ShellArgs.
  // `sandbox` is told with the first piece: ShellOutput::sandbox.
  void AddShellOutput(uint32_t id, std::string_view out, std::string_view err,
                      connect::TimePoint now,
                      const std::optional<SandboxPolicy>& sandbox = std::nullopt);
  // Whether the agent still waits for that answer. It may give an action up, and the turn may end.
  bool exec_pending(uint32_t id) const;

  // The next question, and the answer to it, as for execs. A status is told as QueryHandler says.
  std::optional<QueryRequest> PollQuery();
  void AnswerQuery(uint32_t id, const absl::StatusOr<QueryOutput>& output, connect::TimePoint now);
  bool query_pending(uint32_t id) const;

  // Asks the server to stop: it is told so, our side is half-closed, and if the server does not end
  // the call within half a second, the call is cancelled. PollEvent() then yields kCancelled.
  void Cancel(connect::TimePoint now);

  // When OnDeadline() is due next.
  std::optional<connect::TimePoint> NextDeadline() const;
  // Too early is a no-op.
  void OnDeadline(connect::TimePoint now);
  // Starts the times of WatchdogOptions anew. For a host whose own doing explains the silence: it
  // did not read, and so kept the server from sending, or its large request is still on its way.
  void RestartWatchdog(connect::TimePoint now);

  // How far the turn has come. Events that were not pulled count as given out. It copies texts: for
  // the end of a Run.
  RunProgress progress() const;

  // The turn is over and every event was pulled.
  bool finished() const;
  // The turn is over, although events may wait to be pulled. True right after the constructor if
  // the request was bad: no call needs to be made then.
  bool ended() const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_RUN_H_
