// What a Run does with each kind of message, and with the tools of a request.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/v1/run.pb.h"
#include "core/counted.h"
#include "cursorwire/run.h"
#include "memory_turn.h"
#include "text_message.h"

namespace cursorwire::bench {
namespace {

using Message = agent::v1::AgentServerMessage;
using Update = agent::v1::InteractionUpdate;

constexpr size_t kEventsOfATurn = 10'000;
constexpr size_t kCheckpointBytes = 8192;

std::unique_ptr<Run> NewRun(const ChatRequest& request) {
  CountedUuids ids;
  return std::make_unique<Run>(request, RunOptions{.token = "any"}, ids, connect::TimePoint());
}

std::string Serialized(void (*fill)(Update& update)) {
  Message message;
  fill(*message.mutable_interaction_update());
  return message.SerializeAsString();
}

std::string Thinking() {
  return Serialized(
      [](Update& update) { update.mutable_thinking_delta()->set_text(std::string(58, 'm')); });
}
std::string Tokens() {
  return Serialized([](Update& update) { update.mutable_token_delta()->set_tokens(7); });
}
std::string Heartbeat() {
  return Serialized([](Update& update) { update.mutable_heartbeat(); });
}
std::string ToolStarted() {
  return Serialized([](Update& update) {
    update.mutable_tool_call_started()->set_call_id("call_1");
    update.mutable_tool_call_started()->mutable_tool_call()->set_ls_tool_call("");
  });
}
std::string Checkpoint() {
  Message message;
  message.set_conversation_checkpoint_update(std::string(kCheckpointBytes, 's'));
  return message.SerializeAsString();
}

void TakeMessage(Run& run, const std::string& message) {
  run.On(connect::CallEvent(connect::MessageView{.bytes = message}), connect::TimePoint());
  while (const auto event = run.PollEvent()) benchmark::DoNotOptimize(&*event);
}

// A Run keeps what its turn has said, so it is a new one after each kEventsOfATurn.
void RunOn(benchmark::State& state, const std::string& message) {
  Counted counted;
  std::unique_ptr<Run> run;
  size_t left = 0;
  for (auto _ : state) {
    if (left == 0) {
      state.PauseTiming();
      run = NewRun({.prompt = "hi"});
      left = kEventsOfATurn;
      state.ResumeTiming();
    }
    --left;
    counted.Do([&] { TakeMessage(*run, message); });
  }
  counted.Report(state, state.iterations());
}
BENCHMARK_CAPTURE(RunOn, text, TextMessage(64));
BENCHMARK_CAPTURE(RunOn, thinking, Thinking());
BENCHMARK_CAPTURE(RunOn, tokens, Tokens());
BENCHMARK_CAPTURE(RunOn, heartbeat, Heartbeat());
BENCHMARK_CAPTURE(RunOn, tool_started, ToolStarted());
BENCHMARK_CAPTURE(RunOn, checkpoint_8k, Checkpoint());

ToolRegistry RegistryOf(int64_t tools) {
  ToolRegistry registry;
  for (int64_t i = 0; i < tools; ++i) {
    registry.Add({.name = "tool_" + std::to_string(i),
                  .description = "Tells what is known of a place, in a few words.",
                  .input_schema = R"({"type":"object","properties":{"city":{"type":"string"}}})"},
                 [](const ToolCall&) { return ToolResult{}; });
  }
  return registry;
}

// Makes a request and its first messages; an item is a tool.
void StartWithTools(benchmark::State& state) {
  const ChatRequest request{.prompt = "hi", .tools = RegistryOf(state.range(0))};
  Counted counted;
  for (auto _ : state) {
    counted.Do([&] {
      const std::unique_ptr<Run> run = NewRun(request);
      while (const auto output = run->PollOutput()) benchmark::DoNotOptimize(&*output);
    });
  }
  counted.Report(state, state.iterations() * state.range(0));
}
BENCHMARK(StartWithTools)->Arg(1)->Arg(10)->Arg(100)->Arg(500);

}  // namespace
}  // namespace cursorwire::bench
