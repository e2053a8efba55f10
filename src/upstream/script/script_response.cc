#include "upstream/script/script_response.h"

#include <utility>

#include "wire/envelope.h"
#include "wire/gzip.h"

namespace cursorwire::upstream {
namespace {

std::string Envelope(uint8_t flags, std::string_view payload) {
  std::string envelope;
  // Fails only above four gigabytes.
  (void)wire::AppendEnvelope(flags, payload, envelope);
  return envelope;
}

}  // namespace

void ScriptResponse::SendMessage(const ::agent::v1::AgentServerMessage& message,
                                 const Packing& packing) {
  std::string payload = message.SerializeAsString();
  if (packing.gzip) payload = wire::Gzip(payload);
  SendBytes(Envelope(packing.flags, payload));
}

void ScriptResponse::Do(const SendBody& body) {
  SendBytes(body.bytes);
  end_stream_sent_ = end_stream_sent_ || body.ends_stream;
}

void ScriptResponse::Do(const ResponseHeaders& headers) {
  headers_ = headers.headers;
  Start();
}

void ScriptResponse::Do(const HttpReply& reply) {
  headers_sent_ = true;
  finished_ = true;
  Push(reply);
}

void ScriptResponse::Do(const SendConnectionBytes& bytes) { Push(bytes); }

void ScriptResponse::Do(const Split& split) { max_piece_bytes_ = split.max_bytes; }

void ScriptResponse::Do(const FinishBody& finish) {
  Start();
  finished_ = true;
  Push(finish);
}

void ScriptResponse::Do(const ResetStream& reset) {
  finished_ = true;
  Push(reset);
}

void ScriptResponse::Do(const SendGoAway& goaway) { Push(goaway); }

void ScriptResponse::Do(const Drop& drop) {
  finished_ = true;
  Push(drop);
}

void ScriptResponse::End(std::string_view payload) {
  if (finished_) return;
  if (!std::exchange(end_stream_sent_, true)) {
    SendBytes(Envelope(wire::kEnvelopeEndStream, payload));
  }
  Do(FinishBody{});
}

void ScriptResponse::OnGone() {
  gone_ = true;
  outputs_.clear();
}

std::optional<PlayerOutput> ScriptResponse::Poll() {
  if (outputs_.empty()) return std::nullopt;
  PlayerOutput output = std::move(outputs_.front());
  outputs_.pop_front();
  return output;
}

void ScriptResponse::Start() {
  if (std::exchange(headers_sent_, true)) return;
  StartResponse start{{{":status", "200"}, {"content-type", "application/connect+proto"}}};
  for (const connect::Header& header : headers_) {
    if (header.name == "content-type") start.headers.Remove(header.name);
  }
  for (const connect::Header& header : headers_) {
    start.headers.Add(header.name, header.value);
  }
  Push(std::move(start));
}

void ScriptResponse::SendBytes(std::string bytes) {
  Start();
  Push(SendPieces{std::move(bytes), max_piece_bytes_});
}

void ScriptResponse::Push(PlayerOutput output) {
  if (!gone_) outputs_.push_back(std::move(output));
}

}  // namespace cursorwire::upstream
