#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_STEP_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_STEP_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/v1/run.pb.h"
#include "cursorwire/connect/headers.h"
#include "upstream/script/expectation.h"

namespace cursorwire::upstream {

// The steps of a script, checked and ready to be played: values. docs/local-upstream.md says what
// each does.

// How a message goes into its envelope.
struct Packing {
  uint8_t flags = 0;
  bool gzip = false;
};

// A message that is not answered.
struct Say {
  ::agent::v1::AgentServerMessage message{};
  Packing packing{};
};
// A checkpoint of the state of the request with so many more turns.
struct SayRequestState {
  int add_turns = 0;
  Packing packing{};
};

// A message that is answered by its id.
struct Ask {
  enum class Kind { kExec, kQuery, kGetBlob, kSetBlob };
  Kind kind = Kind::kExec;
  ::agent::v1::AgentServerMessage message{};
  Packing packing{};
  bool has_id = false;                  // the script gave the id
  std::optional<size_t> root_prompt{};  // get_blob: the n-th of the request
  bool await = true;
  // For an exec, a list stands for all results in order; anything else for the last result.
  std::optional<Json> expect{};
  std::optional<Json> expect_throw{};
};
// Sent together, and awaited together.
struct AskAll {
  std::vector<Ask> asks{};
};
struct AwaitAll {};

struct Wait {
  std::chrono::milliseconds time{0};
};

struct ExpectRequest {
  Json pattern{};
};
struct ExpectHeaders {
  Json pattern{};
};
struct ExpectMessage {
  Json pattern{};
};
struct ExpectCancel {};
struct ExpectHalfClose {};
struct ExpectDisconnect {};

// Bytes of the body, envelopes among them.
struct SendBody {
  std::string bytes{};
  bool ends_stream = false;  // the end-stream is among them
};
struct ResponseHeaders {
  connect::Headers headers{};  // behind those of every stream, or in place of one of them
};
struct HttpReply {
  connect::Headers headers{};
  std::string body{};
};
struct SendConnectionBytes {
  std::string bytes{};
};
struct Split {
  size_t max_bytes = 0;
};
struct FinishBody {};
struct ResetStream {
  uint32_t http2_code = 0;
};
struct SendGoAway {
  enum class LastStream { kThis, kBefore, kNumber };
  LastStream last_stream = LastStream::kThis;
  int32_t number = 0;
  uint32_t http2_code = 0;
  std::string debug_data{};
};
struct Drop {
  bool reset = false;
};
struct Stall {};

struct ScriptStep {
  using What =
      std::variant<Say, SayRequestState, AskAll, AwaitAll, Wait, ExpectRequest, ExpectHeaders,
                   ExpectMessage, ExpectCancel, ExpectHalfClose, ExpectDisconnect, SendBody,
                   ResponseHeaders, HttpReply, SendConnectionBytes, Split, FinishBody, ResetStream,
                   SendGoAway, Drop, Stall>;
  std::string name{};  // as in JSON
  What what{};
  std::chrono::milliseconds within{30'000};  // for what it waits for; 0: no limit
};

struct CompiledScript {
  std::string name{};
  std::optional<Json> when_prompt{};
  std::vector<ScriptStep> steps{};
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_STEP_H_
