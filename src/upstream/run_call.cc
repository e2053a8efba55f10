#include "upstream/run_call.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "agent/v1/run.pb.h"
#include "base/strings.h"
#include "cursorwire/connect/code.h"
#include "upstream/reply.h"

namespace cursorwire::upstream {

namespace pb = ::agent::v1;

void RunCall::OnHeaders(const Headers&, TimePoint) {
  responder_.SendHeaders({{":status", "200"}, {"content-type", "application/connect+proto"}});
}

void RunCall::OnBody(std::string_view bytes, TimePoint now) {
  if (ended_) return;
  decoder_.Feed(bytes);
  while (!ended_) {
    const absl::StatusOr<std::optional<wire::EnvelopeView>> envelope = decoder_.Next();
    if (!envelope.ok()) return EndWithViolation(std::string(envelope.status().message()));
    if (!envelope->has_value()) return;
    OnEnvelope(**envelope, now);
  }
}

void RunCall::OnRequestEnd(TimePoint) {
  if (ended_) return;
  EndWithViolation("the request ended before the run, without a cancel");
}

std::optional<TimePoint> RunCall::NextDeadline() const {
  if (ended_) return std::nullopt;
  return assistant_.NextDeadline();
}

void RunCall::OnDeadline(TimePoint now) {
  assistant_.OnDeadline(now);
  Pump();
}

void RunCall::OnEnvelope(const wire::EnvelopeView& envelope, TimePoint now) {
  if (envelope.flags != 0) {
    return EndWithViolation(absl::StrCat("envelope with flags ", envelope.flags));
  }
  pb::AgentClientMessage message;
  if (!message.ParseFromArray(envelope.payload.data(), static_cast<int>(envelope.payload.size()))) {
    return EndWithViolation("AgentClientMessage does not parse");
  }
  if (absl::Status status = assistant_.On(message, now); !status.ok()) {
    return EndWithViolation(std::string(status.message()));
  }
  Pump();
}

void RunCall::Pump() {
  while (std::optional<pb::AgentServerMessage> message = assistant_.PollMessage()) {
    SendEnvelope(0, message->SerializeAsString());
  }
  if (assistant_.done()) End(assistant_.end_status());
}

void RunCall::EndWithViolation(std::string_view what) {
  violations_.Add(std::string(what));
  End(absl::InvalidArgumentError(ToAbsl(what)));
}

void RunCall::End(const absl::Status& status) {
  if (std::exchange(ended_, true)) return;
  const std::string message(status.message());
  SendEnvelope(wire::kEnvelopeEndStream,
               status.ok()
                   ? "{}"
                   : absl::StrCat(R"({"error":)",
                                  ErrorJson(connect::CodeText(status.code()), message), "}"));
  responder_.Finish();
}

void RunCall::SendEnvelope(uint8_t flags, std::string_view payload) {
  std::string envelope;
  // What is sent here is far below the four gigabytes at which this fails.
  (void)wire::AppendEnvelope(flags, payload, envelope);
  responder_.SendBody(envelope);
}

}  // namespace cursorwire::upstream
