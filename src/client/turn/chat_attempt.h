#ifndef CURSORWIRE_SRC_CLIENT_TURN_CHAT_ATTEMPT_H_
#define CURSORWIRE_SRC_CLIENT_TURN_CHAT_ATTEMPT_H_

#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/turn/handlers.h"
#include "client/turn/recovery.h"
#include "client/turn/serving.h"
#include "client/turn/tool_answer_cache.h"
#include "cursorwire/chat.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/run.h"

namespace cursorwire {

class ChatAttempt;

// What an attempt needs of its turn. Called by the holder of the poll role, or by the thread that
// starts the turn.
class AttemptHost {
 public:
  virtual ~AttemptHost() = default;

  virtual connect::CallbackThread callback_thread() const = 0;
  virtual bool cancel_requested() const = 0;
  // The user has not taken what came, and the server waits for that.
  virtual bool holds_peer_up() const = 0;
  virtual bool hands_out_questions() const = 0;
  virtual ToolAnswerCache& tool_answers() = 0;

  virtual void OnAttemptStart(const connect::Call& call) = 0;
  // False: the turn is over, and the attempt is to stop.
  virtual bool OnEvent(ChatEvent&& event, size_t credit) = 0;
  // As above, for a TextDelta.
  virtual bool OnText(std::string_view text, size_t credit) = 0;
  // The service asks for an action. False: it is not to be begun, and the attempt is to stop, since
  // the turn is over; so it is if the action comes in place of text that was shown.
  virtual bool OnExec() = 0;
  virtual void Flush() = 0;
  // Once. `outcome` lacks what the turn knows itself.
  virtual void OnAttemptEnd(ChatAttempt& attempt, FailedAttempt outcome) = 0;
  // Whether the tools of an attempt that has ended go on.
  virtual bool keeps_work_of(const ChatAttempt& attempt) const = 0;
};

// One call to the service within a turn. Connects the holder of the channel's poll role, on whose
// thread the Run works; the turn, which gets the events; and the threads that do what the agent
// asks for.
class ChatAttempt final : public connect::CallObserver {
 public:
  // `number` counts the attempts of the turn, from 1. `life` is let go when the call has ended.
  ChatAttempt(Run run, Handlers handlers, std::shared_ptr<AttemptHost> turn, int number,
              std::shared_ptr<const void> life)
      : run_(std::move(run)),
        handlers_(std::move(handlers)),
        turn_(std::move(turn)),
        number_(number),
        life_(std::move(life)) {
    run_.PassTextTo([this](std::string_view text) { OnText(text); });
  }
  ChatAttempt(const ChatAttempt&) = delete;
  ChatAttempt& operator=(const ChatAttempt&) = delete;

  // The role holder's, except for the functions of the Run that change nothing.
  const Run& run() const { return run_; }
  // Used instead of a call if the Run ended in its constructor.
  void EndWithoutCall();

  // For an attempt that has failed, whose tools still run: the tools wake `call` from now on.
  void MoveWork(const connect::Call& call);
  // Takes the answers that came meanwhile. True if no tool runs any more.
  bool TakeLateAnswers();
  void DropWork();

  // The channel's side.
  connect::CallbackThread callback_thread() const override { return turn_->callback_thread(); }
  void OnStart(const connect::Call& call) override;
  void OnHead(connect::ResponseHead head) override;
  void OnMessage(const connect::MessageView& message) override;
  void OnBatchEnd() override;
  void OnWritable() override;
  void OnAlarm(connect::TimePoint now) override;
  void OnWake(connect::TimePoint now) override;
  void OnEnd(connect::CallEnd end) override;

 private:
  // An action in progress.
  struct Work {
    std::shared_ptr<Serving> serving;  // shared with the thread that does it
    HistoryToolCall key{};
    ToolAnswerCache::Answer pieces{};  // what a streamed command has printed
  };

  // Does what the run wants and hands its events on. A message whose text was passed on wants
  // nothing; after the others it is done at once: what is aborted must stop before its id is used
  // again, and what was begun must begin before the user hears of the end.
  void DoWork();
  // The same, and what is done once a batch: credit and the alarm.
  void Pump();
  // The credit of the message that brought them goes back to the server once the user has taken the
  // first event, or at the next Pump() if there is none. While answers wait to be sent, that goes
  // back after they are sent.
  void HandOnEvents();
  void OnText(std::string_view text);
  // The turn needs no more events.
  void StopRun();
  void SendOutputs();
  bool may_send() const;
  void StartExecs();
  void StartExec(ExecRequest request);
  // After the events that came before them.
  void StartQueries();
  void StartQuery(QueryRequest request);
  // Stops work whose answer nobody waits for any more.
  void StopWork();
  // Sends finished work to the server, as long as the server reads.
  void TakeAnswers();
  // True if there was one.
  bool TakeAnswerOf(Work& work, connect::TimePoint now);
  // True if none is left.
  bool TakePiecesOf(Work& work, connect::TimePoint now);
  void EndAttempt(const absl::Status& status);

  Run run_;
  const Handlers handlers_;
  const std::shared_ptr<AttemptHost> turn_;  // the turn lets go of the attempt before it ends
  const int number_;
  std::shared_ptr<const void> life_;
  std::vector<Work> execs_;
  std::vector<Work> queries_;
  connect::Call call_;
  std::optional<connect::TimePoint> alarm_;
  size_t unsent_at_alarm_ = std::numeric_limits<size_t>::max();
  size_t message_credit_ = 0;  // of the message that is being read, if no event has it yet
  size_t waiting_credit_ = 0;  // of messages that brought no event
  bool text_passed_ = false;   // the message that is being read was a text, and the turn has it
  std::optional<connect::TimePoint> batch_time_;  // of the batch that is being read
  bool ended_ = false;                            // the turn was told
  bool stop_wanted_ = false;                      // by the turn, while the run was busy
  bool reached_ = false;                          // something may have arrived at the service
  std::optional<std::chrono::milliseconds> retry_after_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_CHAT_ATTEMPT_H_
