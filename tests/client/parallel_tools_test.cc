// A turn with three tool calls at a time, in memory: in pieces of every size, cut after every
// byte, cancelled after every step. No tool runs twice, and each turn has one end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cursorwire/script.h"
#include "cursorwire/tools.h"
#include "support/chat_outcome.h"
#include "support/pair.h"
#include "support/sweep.h"
#include "upstream/script/script_json.h"

namespace cursorwire::test {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

Script ThreeCalls() {
  Script calls;
  for (const char* city : {"Bern", "Oslo", "Rome"}) {
    const std::string arguments = std::string(R"({"city":")") + city + R"("})";
    calls.CallTool("get_weather", arguments)
        .Expect(R"({"mcp_result":{"success":{"content":[{"text":{"text":)" +
                ("\"{\\\"city\\\":\\\"" + std::string(city) + "\\\"}\"") + R"(}}]}}})");
  }
  return Script()
      .Text("Let me see")
      .ToolCallStarted(
          R"({"call_id":"a","tool_call":{"mcp_tool_call":{"args":{"name":"get_weather"}}}})")
      .Parallel(calls)
      .Text(": rain.")
      .TurnEnded(R"({"output_tokens":7})")
      .Checkpoint(R"({"mode":"AGENT_MODE_AGENT"})");
}

// One turn, whose calls are answered when all were handed out, the last first.
class ToolTurn {
 public:
  explicit ToolTurn(PairOptions options)
      : runs_({*upstream::CompileScript(ThreeCalls())}), pair_(WithRuns(std::move(options))) {
    tools_.Add({.name = "get_weather"},
               [](const ToolCall& call) { return ToolResult::Text(call.arguments_json); });
    ChatRequest request{.prompt = "Weather?"};
    request.tools = tools_;
    chat_.emplace(pair_, request,
                  [this](Run& run, connect::TimePoint now) { return Serve(run, now); });
  }

  test::Pair& pair() { return pair_; }
  PairChat& chat() { return *chat_; }
  // How often each call was done, by its id on the wire.
  const std::map<uint32_t, int>& done() const { return done_; }

 private:
  PairOptions WithRuns(PairOptions options) {
    options.runs = &runs_;
    return options;
  }

  bool Serve(Run& run, connect::TimePoint now) {
    bool worked = false;
    while (auto request = run.PollExec()) {
      worked = true;
      waiting_.push_back(*std::move(request));
    }
    if (waiting_.size() < 3) return worked;
    for (; !waiting_.empty(); waiting_.pop_back()) {
      const ExecRequest& request = waiting_.back();
      if (!run.exec_pending(request.id)) continue;
      ++done_[request.id];
      tools_.Call(std::get<ToolCall>(request.args),
                  ToolReply([&](absl::StatusOr<ToolResult> result) {
                    run.AnswerExec(request.id, absl::StatusOr<ExecOutput>(*std::move(result)), now);
                  }));
    }
    return true;
  }

  upstream::ScriptQueue runs_;
  test::Pair pair_;
  ToolRegistry tools_;
  std::vector<ExecRequest> waiting_;
  std::map<uint32_t, int> done_;
  std::optional<PairChat> chat_;
};

void ExpectWhole(const ChatOutcome& outcome, const ToolTurn& turn) {
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.terminal_elements, 1);
  EXPECT_EQ(outcome.text, "Let me see: rain.");
  EXPECT_THAT(outcome.violations, IsEmpty());
  EXPECT_THAT(turn.done(), SizeIs(3));
  EXPECT_THAT(turn.done(), Each(Pair(::testing::_, 1)));
}

TEST(ParallelTools, WorkInPiecesOfAnySize) {
  for (const auto security : {connect::Security::kPlaintext, connect::Security::kTls}) {
    for (size_t bytes = 1; bytes <= 64; ++bytes) {
      SCOPED_TRACE(bytes);
      ToolTurn turn({.security = security, .piece_bytes = bytes});
      ExpectWhole(turn.chat().Finish(), turn);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

void CutEverywhere(connect::Security security, size_t stride) {
  ToolTurn whole({.security = security});
  ExpectWhole(whole.chat().Finish(), whole);
  for (size_t cut = 0; cut < whole.pair().server_bytes(); cut += stride) {
    SCOPED_TRACE("cut after byte " + std::to_string(cut));
    ToolTurn turn({.security = security, .cut_after_bytes = cut});
    const ChatOutcome outcome = turn.chat().Finish();
    EXPECT_EQ(outcome.terminal_elements, 1);
    EXPECT_EQ(outcome.status.ok(), outcome.usage.has_value()) << outcome.status;
    EXPECT_THAT(turn.done(), Each(Pair(::testing::_, 1)));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ParallelTools, EndOnceWhereverTheConnectionIsLost) {
  CutEverywhere(connect::Security::kPlaintext, 1);
}

TEST(ParallelTools, EndOnceWhereverTheConnectionIsLostUnderTls) {
  CutEverywhere(connect::Security::kTls, SweepStride(13));
}

TEST(ParallelTools, EndOnceWhereverTheyAreCancelled) {
  for (int steps = 0; steps < 200; ++steps) {
    SCOPED_TRACE(steps);
    ToolTurn turn({.piece_bytes = 64});
    for (int i = 0; i < steps && !turn.chat().run().ended(); ++i) turn.chat().Turn();
    const bool over = turn.chat().run().ended();
    turn.chat().run().Cancel(turn.pair().now());
    const ChatOutcome outcome = turn.chat().Finish();
    EXPECT_EQ(outcome.terminal_elements, 1);
    if (!outcome.usage) {
      EXPECT_EQ(outcome.status.code(), absl::StatusCode::kCancelled) << outcome.status;
    }
    EXPECT_THAT(turn.done(), Each(Pair(::testing::_, 1)));
    if (over || ::testing::Test::HasFailure()) return;
  }
  ADD_FAILURE() << "the turn did not end in 200 steps";
}

}  // namespace
}  // namespace cursorwire::test
