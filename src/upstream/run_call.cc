#include "upstream/run_call.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <string>
#include <utility>

#include "agent/v1/run.pb.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "upstream/server/reply.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

// RFC 9113, 4.1 and 6.8.
constexpr uint8_t kGoAwayFrame = 0x7;

void AppendBigEndian(uint32_t value, size_t bytes, std::string& out) {
  for (size_t i = bytes; i-- > 0;) out.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

}  // namespace

void RunCall::OnHeaders(const Headers& headers, TimePoint) {
  // A script decides itself what the response is.
  if (scripted()) {
    headers_ = headers;
  } else {
    StartStream();
  }
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

void RunCall::OnRequestEnd(TimePoint now) {
  if (ended_) return;
  if (player_ && decoder_.buffered_bytes() == 0) {
    player_->OnHalfClose(now);
    return PumpPlayer();
  }
  EndWithViolation("the request ended before the run, without a cancel");
}

std::optional<TimePoint> RunCall::NextDeadline() const {
  if (ended_) return std::nullopt;
  return player_ ? player_->NextDeadline() : assistant_.NextDeadline();
}

void RunCall::OnDeadline(TimePoint now) {
  if (player_) {
    player_->OnDeadline(now);
    return PumpPlayer();
  }
  assistant_.OnDeadline(now);
  Pump();
}

void RunCall::OnClosed() {
  if (player_ && !ended_) {
    player_->OnGone(last_event_);
    while (std::optional<std::string> violation = player_->PollViolation()) {
      violations_.Add(*std::move(violation));
    }
  }
  ended_ = true;
  if (runs_ != nullptr) runs_->OnRunEnd();
}

void RunCall::OnEnvelope(const wire::EnvelopeView& envelope, TimePoint now) {
  if (envelope.flags != 0) {
    return EndWithViolation(absl::StrCat("envelope with flags ", envelope.flags));
  }
  pb::AgentClientMessage message;
  const google::protobuf::LogSilencer silencer;
  if (!message.ParseFromArray(envelope.payload.data(), static_cast<int>(envelope.payload.size()))) {
    return EndWithViolation("AgentClientMessage does not parse");
  }
  if (scripted()) {
    if (!player_ && !PickScript(message)) {
      return EndWithViolation("no script is for this prompt");
    }
    last_event_ = now;
    player_->On(message, now);
    return PumpPlayer();
  }
  if (absl::Status status = assistant_.On(message, now); !status.ok()) {
    return EndWithViolation(std::string(status.message()));
  }
  Pump();
}

// Picks by the prompt, which is in the first message.
bool RunCall::PickScript(const pb::AgentClientMessage& message) {
  const std::string& prompt =
      message.run_request().action().user_message_action().user_message().text();
  const CompiledScript* script = runs_->Pick(prompt);
  if (script == nullptr) return false;
  player_.emplace(*script, headers_);
  return true;
}

void RunCall::PumpPlayer() {
  while (std::optional<PlayerOutput> output = player_->PollOutput()) Apply(*output);
  while (std::optional<std::string> violation = player_->PollViolation()) {
    violations_.Add(*std::move(violation));
  }
  if (player_->done()) ended_ = true;
}

void RunCall::Apply(const PlayerOutput& output) {
  if (const auto* start = std::get_if<StartResponse>(&output)) {
    headers_sent_ = true;
    responder_.SendHeaders(start->headers);
  } else if (const auto* pieces = std::get_if<SendPieces>(&output)) {
    std::string_view rest = pieces->bytes;
    if (pieces->max_piece_bytes == 0) return responder_.SendBody(rest);
    for (; !rest.empty(); rest.remove_prefix(std::min(rest.size(), pieces->max_piece_bytes))) {
      responder_.SendBodyFrame(rest.substr(0, pieces->max_piece_bytes));
    }
  } else if (const auto* reply = std::get_if<HttpReply>(&output)) {
    headers_sent_ = true;
    responder_.SendHeaders(reply->headers);
    responder_.SendBody(reply->body);
    responder_.Finish();
  } else if (std::holds_alternative<FinishBody>(output)) {
    responder_.Finish();
  } else if (const auto* reset = std::get_if<ResetStream>(&output)) {
    // RST_STREAM discards unsent bytes, so they are sent first.
    responder_.SendRawBytes({});
    responder_.Reset(reset->http2_code);
  } else if (const auto* goaway = std::get_if<SendGoAway>(&output)) {
    SendGoAwayFrame(*goaway);
  } else if (const auto* raw = std::get_if<SendConnectionBytes>(&output)) {
    responder_.SendRawBytes(raw->bytes);
  } else if (const auto* drop = std::get_if<Drop>(&output)) {
    responder_.DropConnection(drop->reset ? DropKind::kReset : DropKind::kClose);
  }
}

// Built by hand, so that the stream goes on as the script says in spite of the GOAWAY.
void RunCall::SendGoAwayFrame(const SendGoAway& goaway) {
  const int32_t this_stream = responder_.stream_id();
  const int32_t last = goaway.last_stream == SendGoAway::LastStream::kThis     ? this_stream
                       : goaway.last_stream == SendGoAway::LastStream::kBefore ? this_stream - 1
                                                                               : goaway.number;
  std::string frame;
  AppendBigEndian(static_cast<uint32_t>(8 + goaway.debug_data.size()), 3, frame);
  frame.push_back(static_cast<char>(kGoAwayFrame));
  AppendBigEndian(0, 1, frame);  // flags
  AppendBigEndian(0, 4, frame);  // stream
  AppendBigEndian(static_cast<uint32_t>(last), 4, frame);
  AppendBigEndian(goaway.http2_code, 4, frame);
  responder_.SendRawBytes(frame + goaway.debug_data);
}

void RunCall::Pump() {
  while (std::optional<pb::AgentServerMessage> message = assistant_.PollMessage()) {
    SendEnvelope(0, message->SerializeAsString());
  }
  if (assistant_.done()) End(assistant_.end_status());
}

void RunCall::StartStream() {
  if (std::exchange(headers_sent_, true)) return;
  responder_.SendHeaders({{":status", "200"}, {"content-type", "application/connect+proto"}});
}

void RunCall::EndWithViolation(std::string_view what) {
  violations_.Add(std::string(what));
  End(absl::InvalidArgumentError(ToAbsl(what)));
}

void RunCall::End(const absl::Status& status) {
  if (std::exchange(ended_, true)) return;
  StartStream();
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
  // Fails only at four gigabytes; payloads here are far smaller.
  (void)wire::AppendEnvelope(flags, payload, envelope);
  responder_.SendBody(envelope);
}

}  // namespace cursorwire::upstream
