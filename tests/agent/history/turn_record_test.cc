#include "agent/history/turn_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/v1/conversation.pb.h"

namespace cursorwire::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

HistoryItem Said(std::string text) { return HistoryText{std::move(text)}; }
HistoryItem Called(std::string id, std::string result, bool is_error = false) {
  return HistoryToolCall{.call_id = std::move(id),
                         .name = "mcp_cursorwire_now",
                         .arguments_json = "{}",
                         .result = std::move(result),
                         .is_error = is_error};
}

class Record : public TurnRecord {
 public:
  explicit Record(std::vector<HistoryItem> items = {})
      : TurnRecord({.prompt = "p", .items = std::move(items)}) {}

  Record& Text(const char* text) { return On(TextDelta{text}); }
  Record& Save(const char* state = "\x50\x01") { return On(Checkpoint{.state = state}); }
  Record& SavePending() {
    ::agent::v1::ConversationStateStructure state;
    state.add_pending_tool_calls("c");
    return On(Checkpoint{.state = state.SerializeAsString()});
  }
  Record& Started(const char* id) {
    return On(
        ToolCallStarted{{.call_id = id, .kind = "mcp", .name = "now", .arguments_json = "{}"}});
  }
  Record& Completed(const char* id, const char* result) {
    return On(ToolCallCompleted{{.call_id = id,
                                 .kind = "mcp",
                                 .name = "now",
                                 .arguments_json = "{}",
                                 .result_json = result}});
  }
  Record& Exec(uint32_t id, const char* call_id) {
    OnExec({.id = id, .call_id = call_id, .args = ToolCall{.name = "now", .arguments_json = "{}"}});
    return *this;
  }
  Record& Answer(uint32_t id, const char* text) {
    OnExecAnswer(id, ExecOutput(ToolResult::Text(text)));
    return *this;
  }

 private:
  Record& On(const ChatEvent& event) {
    OnEvent(event);
    return *this;
  }
};

TEST(TurnRecord, KeepsTextsAndToolsInOrder) {
  Record record;
  record.Text("Let ").Text("me see.").Started("c1").Exec(1, "c1").Answer(1, "noon").Completed(
      "c1", R"({"success":{"content":[{"text":{"text":"noon"}}]}})");
  record.Text("Noon.").OnEvent(TurnEnded{});
  const RunProgress progress = record.progress();
  EXPECT_EQ(progress.turn.prompt, "p");
  EXPECT_THAT(progress.turn.items,
              ElementsAre(Said("Let me see."), Called("c1", "noon"), Said("Noon.")));
  EXPECT_TRUE(progress.complete);
  EXPECT_FALSE(progress.truncated);
}

TEST(TurnRecord, TakesTheResultOfAToolThatTheServiceRan) {
  Record record;
  record.Completed("c1", R"({"success":{"content":[{"text":{"text":"no"}}],"is_error":true}})")
      .Completed("c2", R"({"rejected":{"reason":"r"}})")
      .Started("c3");  // without a result
  EXPECT_THAT(
      record.progress().turn.items,
      ElementsAre(Called("c1", "no", true), Called("c2", R"({"rejected":{"reason":"r"}})")));
  EXPECT_TRUE(record.progress().tools_since);
}

TEST(TurnRecord, KnowsTheTextBehindACheckpoint) {
  Record record;
  EXPECT_EQ(record.progress().text_since, "");
  record.Text("one ");
  EXPECT_EQ(record.progress().text_since, "one ");
  EXPECT_THAT(record.progress().held, IsEmpty());
  record.Save().Text("two ").Text("three");
  const RunProgress progress = record.progress();
  EXPECT_EQ(progress.checkpoint, "\x50\x01");
  EXPECT_EQ(progress.text_since, "two three");
  EXPECT_THAT(progress.held, ElementsAre(Said("one ")));
  EXPECT_THAT(progress.turn.items, ElementsAre(Said("one two three")));
  record.Save();
  EXPECT_EQ(record.progress().text_since, "");
}

TEST(TurnRecord, KnowsWhetherACheckpointHoldsATool) {
  // Answered, and none is pending.
  EXPECT_FALSE(Record().Exec(1, "c1").Answer(1, "r").Save().progress().tools_since);
  // Answered, but the service has not looked at it.
  EXPECT_TRUE(Record().Exec(1, "c1").Answer(1, "r").SavePending().progress().tools_since);
  // Shown as completed: whatever is pending, it is another.
  EXPECT_FALSE(Record()
                   .Exec(1, "c1")
                   .Answer(1, "r")
                   .Completed("c1", "{}")
                   .SavePending()
                   .progress()
                   .tools_since);
  // The checkpoint came first.
  EXPECT_TRUE(Record().Exec(1, "c1").Save().Answer(1, "r").progress().tools_since);
  EXPECT_TRUE(Record().Save().Exec(1, "c1").progress().tools_since);
  // The next one holds it.
  EXPECT_FALSE(Record().Exec(1, "c1").Save().Answer(1, "r").Save().progress().tools_since);
  // Only shown.
  EXPECT_FALSE(Record().Started("c1").progress().tools_since);
}

TEST(TurnRecord, KnowsWhetherTextCameBehindTheTools) {
  EXPECT_FALSE(Record().Text("a").Exec(1, "c").Answer(1, "r").progress().text_since_tools);
  EXPECT_TRUE(Record().Exec(1, "c").Answer(1, "r").Text("a").progress().text_since_tools);
  EXPECT_TRUE(
      Record().Exec(1, "c").Answer(1, "r").Text("a").SavePending().progress().text_since_tools);
  EXPECT_FALSE(Record().Exec(1, "c").Answer(1, "r").Text("a").Save().progress().text_since_tools);
}

TEST(TurnRecord, WaitsForAToolThatEndsAfterTheConnection) {
  Record record;
  record.Exec(1, "c1");
  EXPECT_THAT(record.progress().turn.items, IsEmpty());
  record.OnExecOutput(1, "a", "b");
  record.OnExecAnswer(1, ExecOutput(ShellOutput{.out = "c"}));
  record.Answer(1, "again");  // has no effect
  EXPECT_THAT(record.progress().turn.items, ElementsAre(Called("c1", "abc\nexit code 0")));
}

TEST(TurnRecord, NotesThatTheServiceStoppedATool) {
  Record record;
  record.Exec(1, "c1").OnExecAbort(1);
  record.Answer(1, "late");
  EXPECT_THAT(record.progress().turn.items,
              ElementsAre(Called("c1", "stopped by the service", true)));
}

TEST(TurnRecord, GoesOnWithWhatTheTurnHadDone) {
  Record record({Said("one"), Called("c1", "r"), Said("two ")});
  RunProgress progress = record.progress();
  EXPECT_EQ(progress.text_since, "");
  EXPECT_FALSE(progress.tools_since);
  EXPECT_THAT(progress.held, SizeIs(3));
  record.Text("three");
  progress = record.progress();
  EXPECT_EQ(progress.text_since, "three");
  EXPECT_THAT(progress.held, ElementsAre(Said("one"), Called("c1", "r"), Said("two ")));
  EXPECT_THAT(progress.turn.items, ElementsAre(Said("one"), Called("c1", "r"), Said("two three")));
}

TEST(TurnRecord, IsBounded) {
  Record texts;
  const std::string piece(size_t{1} << 20, 'x');
  for (int i = 0; i < 9; ++i) texts.Text(piece.c_str());
  EXPECT_TRUE(texts.progress().truncated);
  EXPECT_LE(std::get<HistoryText>(texts.progress().turn.items.at(0)).text.size(),
            TurnRecord::kMaxBytes);

  Record tools;
  for (size_t i = 0; i <= TurnRecord::kMaxEntries; ++i) {
    tools.Completed(std::to_string(i).c_str(), "{}");
  }
  EXPECT_TRUE(tools.progress().truncated);
  EXPECT_LE(tools.progress().turn.items.size(), TurnRecord::kMaxEntries + 1);
  EXPECT_EQ(tools.progress().turn.items.back(), Said("[the rest is not kept]"));

  Record ids;
  const std::string id(size_t{1} << 20, 'x');
  for (int i = 0; i < 9; ++i) ids.Completed((id + std::to_string(i)).c_str(), "{}");
  EXPECT_TRUE(ids.progress().truncated);
}

// What was not kept came after the checkpoint, or before it.
TEST(TurnRecord, KnowsWhetherACheckpointHoldsWhatWasNotKept) {
  Record record;
  const std::string piece(size_t{1} << 20, 'x');
  record.Save();
  EXPECT_TRUE(record.progress().held_whole);
  for (int i = 0; i < 9; ++i) record.Text(piece.c_str());
  EXPECT_FALSE(record.progress().held_whole);
  record.Save();
  EXPECT_TRUE(record.progress().held_whole);
  record.Text("tail");
  EXPECT_FALSE(record.progress().held_whole);
}

ExecRequest Write(uint32_t id, const char* call_id, const char* path) {
  return {.id = id, .call_id = call_id, .args = WriteArgs{.path = path}};
}

// What was done is told, also where the next action of the call is stopped.
TEST(TurnRecord, KeepsEachActionOfACall) {
  Record record;
  record.OnExec(Write(1, "c", "a"));
  record.Answer(1, "one");
  record.OnExec(Write(2, "c", "b"));
  RunProgress progress = record.progress();
  ASSERT_THAT(progress.turn.items, SizeIs(1));
  EXPECT_EQ(std::get<HistoryToolCall>(progress.turn.items[0]).result, "one");
  ASSERT_THAT(progress.unanswered, SizeIs(1));
  EXPECT_THAT(progress.unanswered[0].arguments_json, HasSubstr("\"b\""));
  record.Answer(2, "two");
  EXPECT_THAT(record.progress().turn.items, SizeIs(2));
  // Another Run has done one of them.
  Record later(record.progress().turn.items);
  later.Exec(1, "c").Answer(1, "three");
  EXPECT_THAT(later.progress().turn.items, SizeIs(3));
  // It completes all of them.
  record.Completed("c", "{}").SavePending();
  EXPECT_FALSE(record.progress().tools_since);
}

// An edit reads the file first: what the call came to is the result of the write.
TEST(TurnRecord, KeepsOneResultOfACallThatReadsBeforeItWrites) {
  Record record;
  record.Started("c");
  record.OnExec({.id = 1, .call_id = "c", .args = ReadArgs{.path = "a"}});
  record.Answer(1, "read");
  record.OnExec(Write(2, "c", "a"));
  record.Answer(2, "written");
  EXPECT_THAT(record.progress().turn.items, ElementsAre(Called("c", "written")));
  record.OnExec(Write(3, "c", "b"));
  record.Answer(3, "more");
  EXPECT_THAT(record.progress().turn.items, SizeIs(2));
}

// An edit is a read and then a write, both of one call.
TEST(TurnRecord, TakesEachActionOfACallForOneOfItsOwn) {
  Record record;
  record.Exec(1, "c").Answer(1, "read").Save();
  EXPECT_FALSE(record.progress().tools_since);
  record.Exec(2, "c");
  EXPECT_TRUE(record.progress().tools_since);
  record.Answer(2, "written");
  EXPECT_TRUE(record.progress().tools_since);
  EXPECT_THAT(record.progress().turn.items, ElementsAre(Called("c", "written")));
  // Two at a time.
  Record both;
  both.Exec(1, "c").Exec(2, "c").Answer(1, "one").Answer(2, "two");
  EXPECT_THAT(both.progress().turn.items, ElementsAre(Called("c", "one"), Called("c", "two")));
}

}  // namespace
}  // namespace cursorwire::agent
