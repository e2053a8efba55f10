#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_PLAYER_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_PLAYER_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/v1/run.pb.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/time_point.h"
#include "upstream/open_ask.h"
#include "upstream/script_step.h"

namespace cursorwire::upstream {

// What a player wants done with the response, in this order. Bytes and ends are as in the steps;
// HttpReply is complete: headers, body and end.
struct StartResponse {
  connect::Headers headers{};
};
struct SendPieces {
  std::string bytes{};
  size_t max_piece_bytes = 0;  // 0: as it comes
};
using PlayerOutput = std::variant<StartResponse, SendPieces, HttpReply, FinishBody, ResetStream,
                                  SendGoAway, SendConnectionBytes, Drop>;

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

  std::optional<PlayerOutput> PollOutput();
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
  void Do(const SendBody& body, TimePoint now);
  void Do(const ResponseHeaders& headers, TimePoint now);
  void Do(const HttpReply& reply, TimePoint now);
  void Do(const SendConnectionBytes& bytes, TimePoint now);
  void Do(const Split& split, TimePoint now);
  void Do(const FinishBody& finish, TimePoint now);
  void Do(const ResetStream& reset, TimePoint now);
  void Do(const SendGoAway& goaway, TimePoint now);
  void Do(const Drop& drop, TimePoint now);
  // Those that only wait.
  template <typename T>
  void Do(const T&, TimePoint) {}

  void Dispatch(const ::agent::v1::AgentClientMessage& message);
  void OnRunRequest(const ::agent::v1::AgentRunRequest& request);
  void OnExecResult(const ::agent::v1::ExecClientMessage& message);
  void OnExecControl(const ::agent::v1::ExecClientControlMessage& message);
  void OnBlob(const ::agent::v1::KvClientMessage& message);
  void OnQueryAnswer(const ::agent::v1::InteractionResponse& message);
  void OnCancel();
  void CheckAnswered(const OpenAsk& ask);

  OpenAsks& AsksOf(Ask::Kind kind);
  // A step from the current one on waits for the client to leave in this way.
  template <typename... T>
  bool Expects() const;
  void SendMessage(const ::agent::v1::AgentServerMessage& message, const Packing& packing);
  void SendBytes(std::string bytes);
  void StartStream();

  std::string StepName(size_t step) const;
  // A violation, and the end of the run.
  void Fail(size_t step, std::string_view what);
  void Note(size_t step, std::string_view what);
  void EndWithError(std::string_view code, std::string_view message);

  const CompiledScript& script_;
  const connect::Headers request_headers_;
  std::deque<PlayerOutput> outputs_;
  std::deque<std::string> violations_;

  size_t step_ = 0;
  bool step_started_ = false;
  bool step_complete_ = false;    // said so by the message it waited for
  std::optional<TimePoint> due_;  // of the step
  bool done_ = false;

  std::optional<::agent::v1::AgentRunRequest> request_;
  OpenAsks execs_{1};
  OpenAsks queries_{1};
  OpenAsks blobs_{0};
  bool cancelled_ = false;
  bool half_closed_ = false;
  bool gone_ = false;

  connect::Headers response_headers_;  // added to those of every stream
  size_t max_piece_bytes_ = 0;
  bool headers_sent_ = false;
  bool end_stream_sent_ = false;
  bool turn_ended_ = false;
  bool finished_ = false;  // nothing of the body can follow
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_PLAYER_H_
