#ifndef CURSORWIRE_SRC_UPSTREAM_RUN_CALL_H_
#define CURSORWIRE_SRC_UPSTREAM_RUN_CALL_H_

#include <chrono>
#include <optional>
#include <string_view>

#include "upstream/assistant/assistant.h"
#include "upstream/script/script_player.h"
#include "upstream/script/script_queue.h"
#include "upstream/server/server_connection.h"
#include "upstream/server/violations.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {

// One call of AgentService/Run. Cuts the body into messages, and sends the responses of the
// assistant or of the script that `runs` picks for the prompt. `responder` and `violations` must
// outlive it, and so must `runs` unless it is nullptr. Thread-compatible.
class RunCall final : public RequestHandler {
 public:
  RunCall(Responder& responder, std::chrono::milliseconds word_interval, Violations& violations,
          ScriptQueue* runs)
      : responder_(responder), violations_(violations), runs_(runs), assistant_(word_interval) {}

  // The headers were already checked.
  void OnHeaders(const Headers& headers, TimePoint now) override;
  void OnBody(std::string_view bytes, TimePoint now) override;
  void OnRequestEnd(TimePoint now) override;
  std::optional<TimePoint> NextDeadline() const override;
  void OnDeadline(TimePoint now) override;
  void OnClosed() override;

 private:
  bool scripted() const { return runs_ != nullptr && runs_->has_scripts(); }
  void OnEnvelope(const wire::EnvelopeView& envelope, TimePoint now);
  bool PickScript(const ::agent::v1::AgentClientMessage& message);
  void PumpPlayer();
  void Apply(const PlayerOutput& output);
  void SendGoAwayFrame(const SendGoAway& goaway);
  void Pump();
  void StartStream();
  void EndWithViolation(std::string_view what);
  void End(const absl::Status& status);
  void SendEnvelope(uint8_t flags, std::string_view payload);

  Responder& responder_;
  Violations& violations_;
  ScriptQueue* const runs_;
  Assistant assistant_;
  Headers headers_;
  std::optional<ScriptPlayer> player_;  // set by the first message, if there are scripts
  TimePoint last_event_{};              // used for the end, which has no time of its own
  wire::EnvelopeDecoder decoder_;
  bool headers_sent_ = false;
  bool ended_ = false;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_RUN_CALL_H_
