// Room: src/upstream/script
#ifndef CURSORWIRE_SCRIPT_H_
#define CURSORWIRE_SCRIPT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/export.h"
#include "cursorwire/trace_content.h"

namespace cursorwire {

// What an error of the service says beyond its code, as `aiserver.v1.ErrorDetails`. A value.
struct ScriptErrorDetail {
  std::string error{};  // name of the enum, such as "ERROR_BAD_MODEL_NAME"; empty: none
  std::string title{};
  std::string detail{};
  bool is_retryable = false;
  bool padded = false;  // base64 with '=' at the end; the service sends it without
  bool debug = false;   // the same as JSON beside it
};

// What a LocalUpstream plays in one run: a sequence of steps, in order, each the call of one
// function here and one object of a JSON file. docs/local-upstream.md has every step with an
// example.
//
//   LocalUpstream upstream = *LocalUpstream::Start(
//       Script().Text("Hel").Text("lo").CallTool("get_weather", R"({"city":"Bern"})")
//           .ExpectToolResult().TurnEnded());
//
// It starts when the run request of the client is there. After the last step comes what the steps
// left out: the end-stream and the end of the response.
// Parameters named `json` are JSON: of a message in protobuf's JSON mapping with the names of
// proto/agent/v1, of an expectation as that page has it. Nothing is checked here: a bad step is an
// error of LocalUpstream::Start() that names the step and the field. Texts are UTF-8.
//
// A value.
class CURSORWIRE_EXPORT Script {
 public:
  // For messages about it.
  Script& Name(std::string_view name);
  // This script is for the runs whose prompt matches: a JSON string that it equals, or an operator
  // such as {"$contains":"weather"}.
  Script& WhenPrompt(std::string_view json);

  // --- what the agent says; nothing is answered
  Script& Text(std::string_view text);
  Script& Thinking(std::string_view text);
  Script& Tokens(int count);
  Script& Heartbeat();
  // The UI's view of a tool call; nothing is to be executed. JSON of the update's message.
  Script& ToolCallPartial(std::string_view json);
  Script& ToolCallStarted(std::string_view json);
  Script& ToolCallCompleted(std::string_view json);
  Script& TurnEnded(std::string_view usage_json = "{}");  // TurnEndedUpdate
  Script& Update(std::string_view json);                  // InteractionUpdate
  Script& Message(std::string_view json);                 // AgentServerMessage
  Script& Checkpoint(std::string_view state_json);        // ConversationStateStructure
  Script& CheckpointBytes(std::string_view bytes);
  // The state that the request came with, and so many more turns.
  Script& CheckpointOfRequest(int more_turns);

  // --- what the agent asks for; the script waits for the answer
  // An `mcp_args` exec; `arguments_json` is an object.
  Script& CallTool(std::string_view name, std::string_view arguments_json = "{}");
  Script& Exec(std::string_view json);   // ExecServerMessage
  Script& Query(std::string_view json);  // InteractionQuery
  Script& GetBlob(std::string_view id_hex);
  // The blob that the request names as its n-th root prompt message, from 0.
  Script& GetRootPromptBlob(int index);
  Script& SetBlob(std::string_view bytes);
  // Under an id that may be wrong.
  Script& SetBlob(std::string_view bytes, std::string_view id_hex);
  // Asks all that the steps of `asks` ask, then waits for all answers, in any order.
  Script& Parallel(const Script& asks);
  // Waits for the answers that NoAwait() left open.
  Script& AwaitAll();

  // --- for the step before
  // After a step that asks: what the answer must match. CallTool, Exec: ExecClientMessage; Query:
  // InteractionResponse; GetBlob: GetBlobResult, or "miss"; SetBlob: SetBlobResult, or "error".
  Script& Expect(std::string_view json);
  // Expect() for the `mcp_result` of CallTool(). "{}": whatever it is.
  Script& ExpectToolResult(std::string_view json = "{}");
  // An exec must be refused with a throw that matches (ExecClientThrow).
  Script& ExpectThrow(std::string_view json = "{}");
  Script& NoAwait();
  // Longest time for what the step waits for, in place of 30 s. 0: no limit.
  Script& Within(std::chrono::milliseconds time);
  // After a step that sends a message: how its envelope is made.
  Script& Gzip();  // compressed, with flag 0x01
  Script& Flags(uint8_t flags);
  // A field that no schema has, of wire type 2, in the message that the step is named after.
  Script& UnknownField(uint32_t number, std::string_view bytes);

  // --- what the client must do
  Script& ExpectRequest(std::string_view json);  // AgentRunRequest
  Script& ExpectHeaders(std::string_view json);  // name: value or operator
  // Waits for a message that matches (AgentClientMessage).
  Script& ExpectMessage(std::string_view json);
  Script& ExpectCancel();
  Script& ExpectHalfClose();
  Script& ExpectDisconnect();

  // --- the end of the stream
  Script& EndStream();
  Script& EndStreamRaw(std::string_view payload);
  Script& Error(std::string_view code, std::string_view message,
                const std::vector<ScriptErrorDetail>& details = {});

  // --- the layers below
  Script& Wait(std::chrono::milliseconds time);
  // Headers of the response of HTTP status 200, of which the body follows.
  Script& ResponseHeaders(std::string_view json);
  // In place of the stream: a complete response.
  Script& HttpStatus(int status, std::string_view body = "",
                     std::string_view content_type = "text/plain");
  Script& Envelope(uint8_t flags, std::string_view payload);
  // An envelope whose length is a lie.
  Script& Envelope(uint8_t flags, std::string_view payload, uint32_t declared_length);
  Script& RawBody(std::string_view bytes);
  Script& RawConnection(std::string_view bytes);
  // What follows goes into DATA frames of at most so many bytes. 0: as large as they come.
  Script& Split(size_t bytes);
  Script& Finish();  // ends the response as it is
  Script& Reset(std::string_view code_name);
  // The last stream id is this run's, or one below: as if the run was not seen.
  Script& GoAway(std::string_view code_name = "NO_ERROR");
  Script& GoAwayBefore(std::string_view code_name = "NO_ERROR");
  Script& Drop();       // closes the connection
  Script& DropReset();  // the same by a reset of TCP
  Script& Stall();      // nothing any more, until the client leaves

  // Any step by its name in JSON, for what has no function here.
  Script& Step(std::string_view name, std::string_view json);
  // Adds to the step before, by the name in JSON.
  Script& With(std::string_view name, std::string_view json);

  // What it is made of: the members of each step, as JSON.
  using Member = std::pair<std::string, std::string>;
  using Members = std::vector<Member>;
  const std::string& name() const { return name_; }
  const std::string& when_prompt() const { return when_prompt_; }
  const std::vector<Members>& steps() const { return steps_; }

 private:
  std::string name_;
  std::string when_prompt_;
  std::vector<Members> steps_;
};

// Scripts of JSON text, as docs/local-upstream.md and docs/local-upstream.schema.json have it: an
// object, or an array of them. ParseScript() and LoadScript() want exactly one.
//   kInvalidArgument  not of that form; the message names the script, the step and the field
CURSORWIRE_EXPORT absl::StatusOr<Script> ParseScript(std::string_view json);
CURSORWIRE_EXPORT absl::StatusOr<std::vector<Script>> ParseScripts(std::string_view json);
// The same of a file.
//   kNotFound  the file cannot be read
CURSORWIRE_EXPORT absl::StatusOr<Script> LoadScript(const std::string& path);
CURSORWIRE_EXPORT absl::StatusOr<std::vector<Script>> LoadScripts(const std::string& path);

// The scripts as JSON text that ParseScripts() reads, with a step on each line.
CURSORWIRE_EXPORT std::string ScriptsToJson(const std::vector<Script>& scripts);

struct TraceScripts {
  // One for each call of AgentService/Run, in the order of their starts; two for one that was
  // refused by the connection, since a channel sends such a call once more.
  std::vector<Script> scripts{};
  // For each call that is left out: why.
  std::vector<std::string> omitted{};
};

// Makes scripts of a trace: a LocalUpstream that plays them does to the same client what the
// service did. The messages of the service are the same, and come in the same order; what it asked
// must be answered again, by whatever the client answers then; times between messages are not kept.
// How a call ended is the same as far as the trace knows: docs/traces.md says what is approximate.
//   kNotFound  no call of the trace can be played; the message says why
CURSORWIRE_EXPORT absl::StatusOr<TraceScripts> ScriptsOfTrace(const TraceContent& trace);

}  // namespace cursorwire

#endif  // CURSORWIRE_SCRIPT_H_
