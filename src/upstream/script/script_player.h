#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_PLAYER_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_PLAYER_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/v1/run.pb.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/time_point.h"
#include "upstream/script/ask_book.h"
#include "upstream/script/script_response.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// The server's part in one run as a script has it, without I/O. What the client does otherwise than
// the script expects is a violation: it ends the run with an error to the client.
//
// Order: On() for each message of the client, the run request first, and OnHalfClose(), OnGone() as
// they happen; after each, and after OnDeadline(), PollOutput() and PollViolation() until nullopt.
// `script` must outlive it. Thread-compatible; reads no clock.
class ScriptPlayer {
 public:
  using TimePoint = connect::TimePoint;

  ScriptPlayer(const CompiledScript& script, connect::Headers request_headers)
      : script_(script), request_headers_(std::move(request_headers)) {}

  void On(const ::agent::v1::AgentClientMessage& message, TimePoint now);
  // The client's side of the stream has ended.
  void OnHalfClose(TimePoint now);
  // The stream is gone, by the client's doing or with its connection. Nothing can be sent any more.
  void OnGone(TimePoint now);

  std::optional<PlayerOutput> PollOutput() { return response_.Poll(); }
  std::optional<std::string> PollViolation();
  // Every step was played, or the run failed.
  bool done() const { return done_; }

  std::optional<TimePoint> NextDeadline() const;
  void OnDeadline(TimePoint now);

 private:
  void Play(TimePoint now);
  void Start(const ScriptStep& step, TimePoint now);
  bool IsComplete(const ScriptStep& step) const;
  void FinishScript();

  void Do(const Say& say, TimePoint now);
  void Do(const SayRequestState& say, TimePoint now);
  void Do(const AskAll& all, TimePoint now);
  void Do(const Wait& wait, TimePoint now);
  void Do(const ExpectRequest& expect, TimePoint now);
  void Do(const ExpectHeaders& expect, TimePoint now);
  // Those that are the response's alone.
  void Do(const SendBody& body, TimePoint) { response_.Do(body); }
  void Do(const ResponseHeaders& headers, TimePoint) { response_.Do(headers); }
  void Do(const HttpReply& reply, TimePoint) { response_.Do(reply); }
  void Do(const SendConnectionBytes& bytes, TimePoint) { response_.Do(bytes); }
  void Do(const Split& split, TimePoint) { response_.Do(split); }
  void Do(const FinishBody& finish, TimePoint) { response_.Do(finish); }
  void Do(const ResetStream& reset, TimePoint) { response_.Do(reset); }
  void Do(const SendGoAway& goaway, TimePoint) { response_.Do(goaway); }
  void Do(const Drop& drop, TimePoint) { response_.Do(drop); }
  // Those that only wait.
  template <typename T>
  void Do(const T&, TimePoint) {}

  void Dispatch(const ::agent::v1::AgentClientMessage& message);
  void OnRunRequest(const ::agent::v1::AgentRunRequest& request);
  void OnCancel();
  void Judge(const std::optional<WrongAnswer>& wrong);

  // A step from the current one on waits for the client to leave in this way.
  template <typename... T>
  bool Expects() const;

  std::string StepName(size_t step) const;
  // A violation, and the end of the run.
  void Fail(size_t step, std::string_view what);
  void Note(size_t step, std::string_view what);
  void EndWithError(std::string_view code, std::string_view message);

  const CompiledScript& script_;
  const connect::Headers request_headers_;
  std::deque<std::string> violations_;

  size_t step_ = 0;
  bool step_started_ = false;
  bool step_complete_ = false;    // said so by the message it waited for
  std::optional<TimePoint> due_;  // of the step
  bool done_ = false;

  std::optional<::agent::v1::AgentRunRequest> request_;
  AskBook asks_;
  bool cancelled_ = false;
  bool half_closed_ = false;
  bool turn_ended_ = false;
  ScriptResponse response_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_PLAYER_H_
