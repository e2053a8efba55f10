#include "agent/events/update_events.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/events/tool_bytes.h"
#include "support/proto_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using test::FromText;
using test::ToolCallDeltaOf;
using test::ToolCallOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Words(const ToolCallInfo& call) {
  return absl::StrJoin({call.call_id, call.model_call_id, call.kind, call.name, call.arguments_json,
                        call.result_json},
                       " ");
}

std::string Count(const std::optional<int64_t>& count) {
  return count ? std::to_string(*count) : "-";
}

// An event as one line, with all of its fields.
struct ToLine {
  std::string operator()(const TextDelta& e) const { return "text " + e.text; }
  std::string operator()(const ServerNotice& e) const { return "notice " + e.text; }
  std::string operator()(const ThinkingDelta& e) const { return "thinking " + e.text; }
  std::string operator()(const ThinkingCompleted& e) const {
    return absl::StrCat("thought ", e.duration.count());
  }
  std::string operator()(const ToolCallPartial& e) const {
    return absl::StrCat("partial ", Words(e.call), " ", e.arguments_delta);
  }
  std::string operator()(const ToolCallStarted& e) const { return "started " + Words(e.call); }
  std::string operator()(const ToolCallDelta& e) const {
    return absl::StrCat("delta ", e.call_id, " ", e.model_call_id, " ", e.delta_json);
  }
  std::string operator()(const ToolCallCompleted& e) const { return "completed " + Words(e.call); }
  std::string operator()(const ShellOutputDelta& e) const {
    return absl::StrCat("shell ", e.out, "|", e.err, "|", e.exit_code.value_or(-1));
  }
  std::string operator()(const TokenUsage& e) const { return absl::StrCat("tokens ", e.tokens); }
  std::string operator()(const SummaryStarted&) const { return "summary started"; }
  std::string operator()(const ConversationSummary& e) const { return "summary " + e.text; }
  std::string operator()(const SummaryCompleted& e) const {
    return absl::StrCat("summary completed", e.failed ? ": failed" : "");
  }
  std::string operator()(const StepStarted& e) const { return absl::StrCat("step ", e.step_id); }
  std::string operator()(const StepCompleted& e) const {
    return absl::StrCat("step ", e.step_id, " took ", e.duration.count());
  }
  std::string operator()(const ModelRouted& e) const { return "model " + e.display_name; }
  std::string operator()(const TurnEnded& e) const {
    return absl::StrJoin({std::string("ended"), Count(e.usage.input_tokens),
                          Count(e.usage.output_tokens), Count(e.usage.cache_read_tokens),
                          Count(e.usage.cache_write_tokens), Count(e.usage.reasoning_tokens)},
                         " ");
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "no event of an update";
  }
};

class Turn {
 public:
  explicit Turn(ThinkTags think_tags = ThinkTags::kAsThinking)
      : events_(think_tags, [this](const ChatEvent& event) {
          lines_.push_back(std::visit(ToLine(), event.what()));
        }) {}

  // The lines of the events that come of it.
  std::vector<std::string> Add(const char* text) {
    return Add(FromText<pb::InteractionUpdate>(text));
  }
  std::vector<std::string> Add(pb::InteractionUpdate update) {
    events_.Add(update);
    return std::exchange(lines_, {});
  }
  std::vector<std::string> Text(const std::string& text) {
    pb::InteractionUpdate update;
    update.mutable_text_delta()->set_text(text);
    return Add(update);
  }
  std::vector<std::string> Flush() {
    events_.Flush();
    return std::exchange(lines_, {});
  }

 private:
  std::vector<std::string> lines_;
  UpdateEvents events_;
};

// One row of docs/protocol.md, interaction updates; no line: no event.
struct UpdateRow {
  int number;
  const char* update;
  const char* line;
};
constexpr UpdateRow kUpdateRows[] = {
    {1, R"(text_delta { text: "hi" })", "text hi"},
    {1, R"(text_delta { text: "<think>" is_server_notice: true })", "notice <think>"},
    {2,
     R"(tool_call_started { call_id: "c" model_call_id: "m" tool_call { shell_tool_call: "" } })",
     "started c m shell  {} "},
    {2, R"(tool_call_started { call_id: "c" })", "started c    {} "},
    {3, R"(tool_call_completed { call_id: "c" model_call_id: "m" tool_call { mcp_tool_call {
             args { name: "n" } result { success {} } } } })",
     R"(completed c m mcp n {} {"success":{}})"},
    {4, R"(thinking_delta { text: "hm" })", "thinking hm"},
    {5, "thinking_completed { thinking_duration_ms: 7 }", "thought 7"},
    {6, "user_message_appended {}", nullptr},
    {7, R"(partial_tool_call { call_id: "c" model_call_id: "m" args_text_delta: "{\"a"
             tool_call { edit_tool_call: "" } })",
     R"(partial c m edit  {}  {"a)"},
    {8, "token_delta { tokens: 3 }", "tokens 3"},
    {9, R"(summary { summary: "s" })", "summary s"},
    {10, "summary_started {}", "summary started"},
    {11, R"(summary_completed { hook_message: "h" })", "summary completed"},
    {11, "summary_completed { failed: true }", "summary completed: failed"},
    {12, R"(shell_output_delta { stdout { data: "o" } })", "shell o||-1"},
    {12, R"(shell_output_delta { stderr { data: "e" } })", "shell |e|-1"},
    {12, "shell_output_delta { exit { code: 2 } }", "shell ||2"},
    {12, "shell_output_delta { start {} }", nullptr},
    {12, "shell_output_delta {}", nullptr},
    {13, "heartbeat {}", nullptr},
    {14, "turn_ended {}", "ended - - - - -"},
    {14, R"(turn_ended { input_tokens: 1 output_tokens: 2 cache_read_tokens: 3
             cache_write_tokens: 4 reasoning_tokens: 5 })",
     "ended 1 2 3 4 5"},
    {15, R"(tool_call_delta { call_id: "c" model_call_id: "m" })", "delta c m {}"},
    {16, "step_started { step_id: 4 }", "step 4"},
    {17, "step_completed { step_id: 4 step_duration_ms: 9 }", "step 4 took 9"},
    {18, R"(prompt_suggestion: "x")", nullptr},
    {19, R"(post_request_prompt: "x")", nullptr},
    {20, R"(active_branch_change: "x")", nullptr},
    {21, R"(feedback_request: "x")", nullptr},
    {22, R"(response_comparison: "x")", nullptr},
    {23, R"(context_injection_state { injection_id: "x" })", nullptr},
    {24, R"(routed_model { display_name: "Big" })", "model Big"},
    {0, "message_started_at_ms: 5", nullptr},
};

TEST(UpdateEvents, MakesTheEventOfEachUpdate) {
  for (const UpdateRow& row : kUpdateRows) {
    SCOPED_TRACE(row.update);
    const auto update = FromText<pb::InteractionUpdate>(row.update);
    ASSERT_EQ(update.message_case(), row.number);
    const std::vector<std::string> lines = Turn().Add(update);
    if (row.line == nullptr) {
      EXPECT_THAT(lines, IsEmpty());
    } else {
      EXPECT_THAT(lines, ElementsAre(row.line));
    }
  }
}

TEST(UpdateEvents, HasARowForEachUpdateOfTheSchema) {
  std::set<int> numbers;
  for (const UpdateRow& row : kUpdateRows) numbers.insert(row.number);
  const auto* oneof = pb::InteractionUpdate::descriptor()->FindOneofByName("message");
  for (int i = 0; i < oneof->field_count(); ++i) {
    EXPECT_TRUE(numbers.contains(oneof->field(i)->number())) << oneof->field(i)->name();
  }
}

TEST(UpdateEvents, ShowsWhatIsInAToolCall) {
  pb::InteractionUpdate update;
  update.mutable_tool_call_completed()->set_call_id("c");
  *update.mutable_tool_call_completed()->mutable_tool_call() =
      ToolCallOf("shell_tool_call", R"(args { command: "ls" } result { success {} })");
  EXPECT_THAT(Turn().Add(update),
              ElementsAre(R"(completed c  shell  {"command":"ls"} {"success":{}})"));

  *update.mutable_tool_call_delta() =
      ToolCallDeltaOf(R"(shell_tool_call_delta { stdout { content: "a" } })");
  EXPECT_THAT(Turn().Add(update),
              ElementsAre(R"(delta   {"shell_tool_call_delta":{"stdout":{"content":"a"}}})"));
}

TEST(UpdateEvents, TurnsWhatIsBetweenTagsIntoThinking) {
  Turn turn;
  EXPECT_THAT(turn.Text("\n<thi"), ElementsAre("text \n"));
  EXPECT_THAT(turn.Text("nk>b"), ElementsAre("thinking b"));
  EXPECT_THAT(turn.Text("c"), ElementsAre("thinking c"));
  EXPECT_THAT(turn.Text("d</think>e"), ElementsAre("thinking d", "text e"));
  EXPECT_THAT(turn.Add("turn_ended {}"), ElementsAre("ended - - - - -"));

  Turn keeping(ThinkTags::kKeep);
  EXPECT_THAT(keeping.Text("<thi"), ElementsAre("text <thi"));
  EXPECT_THAT(keeping.Text("nk>b</think>"), ElementsAre("text nk>b</think>"));
  EXPECT_THAT(keeping.Add("turn_ended {}"), ElementsAre("ended - - - - -"));
}

TEST(UpdateEvents, LeavesAnAnswerThatMentionsATag) {
  Turn turn;
  EXPECT_THAT(turn.Text("Some models wrap reasoning in a `<think>` tag. "),
              ElementsAre("text Some models wrap reasoning in a `<think>` tag. "));
  EXPECT_THAT(turn.Text("<think>\n1. read\n"), ElementsAre("text <think>\n1. read\n"));
  EXPECT_THAT(turn.Add("turn_ended {}"), ElementsAre("ended - - - - -"));
}

TEST(UpdateEvents, GivesAnOpenBlockBackAsTextWhenTheTurnEnds) {
  Turn turn;
  EXPECT_THAT(turn.Text("<think> is"), ElementsAre("thinking  is"));
  EXPECT_THAT(turn.Text(" a tag</"), ElementsAre("thinking  a tag"));
  EXPECT_THAT(turn.Add("turn_ended {}"),
              ElementsAre("thinking </", "text <think> is a tag</", "ended - - - - -"));
  EXPECT_THAT(turn.Flush(), IsEmpty());

  Turn cut_short;
  EXPECT_THAT(cut_short.Text("<think>a</"), ElementsAre("thinking a"));
  EXPECT_THAT(cut_short.Flush(), ElementsAre("thinking </"));
}

TEST(UpdateEvents, TakesReasoningOutOfEachMessageOfATurn) {
  for (const char* update : {"tool_call_started {}", "tool_call_completed {}", "step_started {}"}) {
    SCOPED_TRACE(update);
    Turn turn;
    EXPECT_THAT(turn.Text("<think>a</think>b"), ElementsAre("thinking a", "text b"));
    turn.Add(update);
    EXPECT_THAT(turn.Text("<think>c</think>d"), ElementsAre("thinking c", "text d"));
    turn.Add("thinking_delta {}");
    EXPECT_THAT(turn.Text("<think>e</think>"), ElementsAre("text <think>e</think>"));
  }
}

TEST(UpdateEvents, EmitsTextThatWaitsBeforeWhatComesBehindIt) {
  for (const UpdateRow& row : kUpdateRows) {
    if (row.line == nullptr || row.number == 8) continue;
    SCOPED_TRACE(row.update);
    Turn turn;
    EXPECT_THAT(turn.Text("<thi"), IsEmpty());
    if (std::string(row.line) == "text hi") {
      EXPECT_THAT(turn.Add(row.update), ElementsAre("text <thihi"));
    } else {
      EXPECT_THAT(turn.Add(row.update), ElementsAre("text <thi", row.line));
    }
    EXPECT_THAT(turn.Flush(), IsEmpty());
  }
}

TEST(UpdateEvents, LetsCountersPassTextThatWaits) {
  Turn turn;
  EXPECT_THAT(turn.Text(" <thi"), ElementsAre("text  "));
  EXPECT_THAT(turn.Add("token_delta { tokens: 1 }"), ElementsAre("tokens 1"));
  EXPECT_THAT(turn.Add("heartbeat {}"), IsEmpty());
  EXPECT_THAT(turn.Text("nk>b"), ElementsAre("thinking b"));
}

TEST(UpdateEvents, EmitsTextThatWaitsWhenTheTurnEndsWithoutATurnEnded) {
  Turn turn;
  EXPECT_THAT(turn.Text(" <"), ElementsAre("text  "));
  EXPECT_THAT(turn.Flush(), ElementsAre("text <"));
  EXPECT_THAT(turn.Flush(), IsEmpty());
}

TEST(UpdateEvents, MovesTextWithoutACopy) {
  const char* emitted = nullptr;
  UpdateEvents events(ThinkTags::kAsThinking, [&emitted](const ChatEvent& event) {
    const auto* text = event.As<TextDelta>();
    emitted = text != nullptr ? text->text.data() : event.As<ThinkingDelta>()->text.data();
  });
  // The start of a message, what follows, reasoning, and what is behind it.
  for (const char* start : {"", "", "</think>", "<"}) {
    pb::InteractionUpdate update;
    update.mutable_text_delta()->set_text(start + std::string(1000, 'x'));
    const char* bytes = update.text_delta().text().data();
    events.Add(update);
    EXPECT_EQ(emitted, bytes);
  }
  auto tag = FromText<pb::InteractionUpdate>(R"(text_delta { text: "<think>" })");
  auto step = FromText<pb::InteractionUpdate>("step_started {}");
  UpdateEvents reasoning(ThinkTags::kAsThinking, [&emitted](const ChatEvent& event) {
    if (const auto* thinking = event.As<ThinkingDelta>()) emitted = thinking->text.data();
  });
  reasoning.Add(step);
  reasoning.Add(tag);
  pb::InteractionUpdate update;
  update.mutable_text_delta()->set_text(std::string(1000, 'x'));
  const char* bytes = update.text_delta().text().data();
  reasoning.Add(update);
  EXPECT_EQ(emitted, bytes);
}

}  // namespace
}  // namespace cursorwire::agent
