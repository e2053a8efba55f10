#ifndef CURSORWIRE_SRC_UPSTREAM_RUN_CALL_H_
#define CURSORWIRE_SRC_UPSTREAM_RUN_CALL_H_

#include <chrono>
#include <optional>
#include <string_view>

#include "upstream/assistant.h"
#include "upstream/server_connection.h"
#include "upstream/violations.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {

// One call of AgentService/Run: cuts the body into messages and sends what the assistant says.
// `responder` and `violations` must outlive it. Thread-compatible.
class RunCall final : public RequestHandler {
 public:
  RunCall(Responder& responder, std::chrono::milliseconds word_interval, Violations& violations)
      : responder_(responder), violations_(violations), assistant_(word_interval) {}

  // They were checked.
  void OnHeaders(const Headers& headers, TimePoint now) override;
  void OnBody(std::string_view bytes, TimePoint now) override;
  void OnRequestEnd(TimePoint now) override;
  std::optional<TimePoint> NextDeadline() const override;
  void OnDeadline(TimePoint now) override;

 private:
  void OnEnvelope(const wire::EnvelopeView& envelope, TimePoint now);
  void Pump();
  void EndWithViolation(std::string_view what);
  void End(const absl::Status& status);
  void SendEnvelope(uint8_t flags, std::string_view payload);

  Responder& responder_;
  Violations& violations_;
  Assistant assistant_;
  wire::EnvelopeDecoder decoder_;
  bool ended_ = false;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_RUN_CALL_H_
