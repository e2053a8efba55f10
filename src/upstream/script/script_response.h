#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_RESPONSE_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_RESPONSE_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "agent/v1/run.pb.h"
#include "cursorwire/connect/headers.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// What a player wants done with the response, in this order. Bytes and ends are those of the steps;
// an HttpReply is a complete response: headers, body and end.
struct StartResponse {
  connect::Headers headers{};
};
struct SendPieces {
  std::string bytes{};
  size_t max_piece_bytes = 0;  // 0: not split
};
using PlayerOutput = std::variant<StartResponse, SendPieces, HttpReply, FinishBody, ResetStream,
                                  SendGoAway, SendConnectionBytes, Drop>;

// The response to one run, built by the steps of a script. The headers are sent before the first
// byte of the body. The order of the steps was checked when the script was compiled.
//
// Order: any calls; after each, Poll() until nullopt. Thread-compatible.
class ScriptResponse {
 public:
  void SendMessage(const ::agent::v1::AgentServerMessage& message, const Packing& packing);

  void Do(const SendBody& body);
  void Do(const ResponseHeaders& headers);
  void Do(const HttpReply& reply);
  void Do(const SendConnectionBytes& bytes);
  void Do(const Split& split);
  void Do(const FinishBody& finish);
  void Do(const ResetStream& reset);
  void Do(const SendGoAway& goaway);
  void Do(const Drop& drop);

  // Sends what is missing for a complete response; `payload` is that of the end-stream.
  void End(std::string_view payload);

  // The stream is gone: output that was not polled is dropped, and so is all later output.
  void OnGone();
  bool gone() const { return gone_; }
  // The end-stream was sent, or the body has ended otherwise.
  bool ended() const { return end_stream_sent_ || finished_; }

  std::optional<PlayerOutput> Poll();

 private:
  void Start();
  void SendBytes(std::string bytes);
  void Push(PlayerOutput output);

  std::deque<PlayerOutput> outputs_;
  connect::Headers headers_;  // added to the headers of every response
  size_t max_piece_bytes_ = 0;
  bool headers_sent_ = false;
  bool end_stream_sent_ = false;
  bool finished_ = false;  // the body has ended
  bool gone_ = false;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_RESPONSE_H_
