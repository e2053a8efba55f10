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
#include "upstream/script/open_requests.h"
#include "upstream/script/script_response.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// Plays the server's part in one run by a script, without I/O. If the client does something that
// the script does not expect, that is a violation, which ends the run with an error to the client.
//
// Order: On() for each message of the client, beginning with the run request; OnHalfClose() and
// OnGone() when they happen. After each, and after OnDeadline(), PollOutput() and PollViolation()
// until nullopt. `script` must outlive it. Thread-compatible; reads no clock.
class ScriptPlayer {
 public:
  using TimePoint = connect::TimePoint;

  ScriptPlayer(const CompiledScript& script, connect::Headers request_headers)
      : script_(script), request_headers_(std::move(request_headers)) {}

  void On(const ::agent::v1::AgentClientMessage& message, TimePoint now);
  // The client ended its side of the stream.
  void OnHalfClose(TimePoint now);
  // The stream is gone: the client ended it, or its connection is lost. Nothing can be sent any
  // more.
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
  // Steps that concern only the response.
  void Do(const SendBody& body, TimePoint) { response_.Do(body); }
  void Do(const ResponseHeaders& headers, TimePoint) { response_.Do(headers); }
  void Do(const HttpReply& reply, TimePoint) { response_.Do(reply); }
  void Do(const SendConnectionBytes& bytes, TimePoint) { response_.Do(bytes); }
  void Do(const Split& split, TimePoint) { response_.Do(split); }
  void Do(const FinishBody& finish, TimePoint) { response_.Do(finish); }
  void Do(const ResetStream& reset, TimePoint) { response_.Do(reset); }
  void Do(const SendGoAway& goaway, TimePoint) { response_.Do(goaway); }
  void Do(const Drop& drop, TimePoint) { response_.Do(drop); }
  // Steps that only wait.
  template <typename T>
  void Do(const T&, TimePoint) {}

  void Dispatch(const ::agent::v1::AgentClientMessage& message);
  void OnRunRequest(const ::agent::v1::AgentRunRequest& request);
  void OnCancel();
  void Judge(const std::optional<WrongAnswer>& wrong);

  // True if the current step or a later one waits for the client to leave in this way.
  template <typename... T>
  bool Expects() const;

  std::string StepName(size_t step) const;
  // Records a violation and ends the run.
  void Fail(size_t step, std::string_view what);
  void Note(size_t step, std::string_view what);
  void EndWithError(std::string_view code, std::string_view message);

  const CompiledScript& script_;
  const connect::Headers request_headers_;
  std::deque<std::string> violations_;

  size_t step_ = 0;
  bool step_started_ = false;
  bool step_complete_ = false;    // set by the message that the step waited for
  std::optional<TimePoint> due_;  // deadline of the step
  bool done_ = false;

  std::optional<::agent::v1::AgentRunRequest> request_;
  OpenRequests asks_;
  bool cancelled_ = false;
  bool half_closed_ = false;
  bool turn_ended_ = false;
  ScriptResponse response_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_PLAYER_H_
