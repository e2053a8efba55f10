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

// The steps of a script, checked and ready to be played: values. docs/local-upstream.md describes
// each.

// How a message is put into its envelope.
struct Packing {
  uint8_t flags = 0;
  bool gzip = false;
};

// A message that the client does not answer.
struct Say {
  ::agent::v1::AgentServerMessage message{};
  Packing packing{};
};
// A checkpoint with the state of the request, plus `add_turns` turns.
struct SayRequestState {
  int add_turns = 0;
  Packing packing{};
};

// A message that the client answers by its id.
struct Ask {
  enum class Kind { kExec, kQuery, kGetBlob, kSetBlob };
  Kind kind = Kind::kExec;
  ::agent::v1::AgentServerMessage message{};
  Packing packing{};
  bool has_id = false;                  // the script gave the id
  std::optional<size_t> root_prompt{};  // get_blob: index among the request's root prompts
  bool await = true;
  // For an exec, a list holds all results in order; any other value is the last result.
  std::optional<Json> expect{};
  std::optional<Json> expect_throw{};
};
// Messages that are sent together and awaited together.
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

// Bytes of the body, which may include envelopes.
struct SendBody {
  std::string bytes{};
  bool ends_stream = false;  // the bytes include the end-stream
};
struct ResponseHeaders {
  connect::Headers headers{};  // added to the headers of every response, or replacing one of them
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
  std::string name{};  // as written in JSON
  What what{};
  std::chrono::milliseconds within{30'000};  // time limit for what the step waits for; 0: no limit
};

struct CompiledScript {
  std::string name{};
  std::optional<Json> when_prompt{};
  std::vector<ScriptStep> steps{};
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_STEP_H_
