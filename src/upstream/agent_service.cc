#include "upstream/agent_service.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "agent/v1/run.pb.h"
#include "cursorwire/connect/code.h"
#include "upstream/assistant.h"
#include "upstream/request_check.h"
#include "wire/envelope.h"
#include "wire/json.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

std::string ErrorJson(std::string_view code, std::string_view message) {
  std::string json = R"({"code":)";
  wire::AppendJsonString(code, json);
  json += R"(,"message":)";
  wire::AppendJsonString(message, json);
  return json + "}";
}

class RunCall final : public RequestHandler {
 public:
  RunCall(Responder& responder, std::chrono::milliseconds word_interval, Violations& violations)
      : responder_(responder), violations_(violations), assistant_(word_interval) {}

  void OnHeaders(const Headers& headers, TimePoint) override {
    if (const std::optional<Refusal> refusal = CheckRunRequest(headers)) return Refuse(*refusal);
    responder_.SendHeaders({{":status", "200"}, {"content-type", "application/connect+proto"}});
  }

  void OnBody(std::string_view bytes, TimePoint now) override {
    if (ended_) return;
    decoder_.Feed(bytes);
    while (!ended_) {
      const absl::StatusOr<std::optional<wire::EnvelopeView>> envelope = decoder_.Next();
      if (!envelope.ok()) return EndWithViolation(envelope.status().message());
      if (!envelope->has_value()) return;
      OnEnvelope(**envelope, now);
    }
  }

  void OnRequestEnd(TimePoint) override {
    if (ended_) return;
    EndWithViolation("the request ended before the run, without a cancel");
  }

  std::optional<TimePoint> NextDeadline() const override {
    if (ended_) return std::nullopt;
    return assistant_.NextDeadline();
  }

  void OnDeadline(TimePoint now) override {
    assistant_.OnDeadline(now);
    Pump();
  }

 private:
  void OnEnvelope(const wire::EnvelopeView& envelope, TimePoint now) {
    if (envelope.flags != 0) {
      return EndWithViolation(absl::StrCat("envelope with flags ", envelope.flags));
    }
    pb::AgentClientMessage message;
    if (!message.ParseFromArray(envelope.payload.data(),
                                static_cast<int>(envelope.payload.size()))) {
      return EndWithViolation("AgentClientMessage does not parse");
    }
    if (absl::Status status = assistant_.On(message, now); !status.ok()) {
      return EndWithViolation(status.message());
    }
    Pump();
  }

  void Pump() {
    while (std::optional<pb::AgentServerMessage> message = assistant_.PollMessage()) {
      SendEnvelope(0, message->SerializeAsString());
    }
    if (assistant_.done()) End(assistant_.end_status());
  }

  void EndWithViolation(absl::string_view what) {
    violations_.Add(std::string(what));
    End(absl::InvalidArgumentError(what));
  }

  void Refuse(const Refusal& refusal) {
    violations_.Add(refusal.message);
    ended_ = true;
    responder_.SendHeaders(
        {{":status", std::to_string(refusal.http_status)}, {"content-type", "application/json"}});
    responder_.SendBody(ErrorJson(refusal.code, refusal.message));
    responder_.Finish();
  }

  void End(const absl::Status& status) {
    if (std::exchange(ended_, true)) return;
    const std::string message(status.message());
    SendEnvelope(wire::kEnvelopeEndStream,
                 status.ok()
                     ? "{}"
                     : absl::StrCat(R"({"error":)",
                                    ErrorJson(connect::CodeText(status.code()), message), "}"));
    responder_.Finish();
  }

  void SendEnvelope(uint8_t flags, std::string_view payload) {
    std::string envelope;
    // What is sent here is far below the four gigabytes at which this fails.
    (void)wire::AppendEnvelope(flags, payload, envelope);
    responder_.SendBody(envelope);
  }

  Responder& responder_;
  Violations& violations_;
  Assistant assistant_;
  wire::EnvelopeDecoder decoder_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<RequestHandler> AgentService::StartRequest(Responder& responder) {
  return std::make_unique<RunCall>(responder, word_interval_, violations_);
}

}  // namespace cursorwire::upstream
