#include "collab/room_agent/room_agent_session.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "crdt/text/text_size.h"
#include "crdt/yjs/update.h"

namespace cursorwire::room_agent {
namespace {

using crdt::Unit;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Lines = std::vector<std::string>;

SessionOptions AgentOptions(Mode mode = Mode::kTools) {
  SessionOptions options{.name = "agent", .mode = mode};
  options.new_nonce = [] { return std::string("n0nce"); };
  return options;
}

// A room of one person, who is its host, and the agent. What is sent reaches the other at once, and
// the host sends all that it gets back to the agent, as hosts do.
class AgentRoom {
 public:
  explicit AgentRoom(SessionOptions options = AgentOptions())
      : session(agent, std::move(options)) {}

  // The host opens a file, which is then loaded.
  void Open(const std::string& path, std::string_view text) {
    OpenUnloaded(path);
    if (text.empty()) {
      Wait(kEmptyFileTimeout);
    } else {
      Type(path, 0, 0, text);
    }
    session.OnSynced(now);
    TakeAll();
  }
  void OpenUnloaded(const std::string& path) {
    session.OnActiveFile(path, now);
    TakeAll();
  }

  // What a person does at this byte.
  void Type(const std::string& path, uint32_t at, uint32_t deleted, std::string_view text) {
    const absl::StatusOr<std::string> update = person.Splice(path, Unit::kBytes, at, deleted, text);
    ASSERT_TRUE(update.ok()) << update.status();
    Deliver(*update);
  }
  void Deliver(std::string_view update) {
    const absl::StatusOr<bool> changed = agent.Apply(update);
    ASSERT_TRUE(changed.ok()) << changed.status();
    if (*changed) session.OnDocumentChanged(now);
    TakeAll();
  }
  // Behind `after`, which stands in the text.
  void TypeBehind(const std::string& path, std::string_view after, std::string_view text) {
    Type(path, static_cast<uint32_t>(person.Text(path).find(after) + after.size()), 0, text);
  }
  void Delete(const std::string& path, std::string_view what) {
    Type(path, static_cast<uint32_t>(person.Text(path).find(what)),
         static_cast<uint32_t>(what.size()), "");
  }

  void Call(uint64_t id, std::string_view name, const json& arguments) {
    session.OnToolCall(id, absl::StrCat("c", ++calls_), name, arguments, now);
    TakeAll();
  }
  void Answer(uint64_t id, std::string text, const absl::Status& end = absl::OkStatus()) {
    session.OnAnswered(id, end, std::move(text), now);
    TakeAll();
  }
  void Wait(milliseconds time) {
    now += time;
    session.OnDeadline(now);
    TakeAll();
  }
  void TakeAll() {
    while (std::optional<SessionEvent> event = session.TakeEvent()) {
      std::visit([this](auto& kind) { Take(kind); }, *event);
    }
  }

  // What has happened since the last call, one line each.
  Lines Told() { return std::exchange(told_, {}); }
  // The same without what begins like this.
  Lines ToldOf(std::string_view kind) {
    Lines lines = Told();
    std::erase_if(lines, [kind](const std::string& line) { return !line.starts_with(kind); });
    return lines;
  }
  std::string Text(const std::string& path) const {
    EXPECT_EQ(agent.Text(path), person.Text(path));
    return agent.Text(path);
  }

  TimePoint now = TimePoint() + std::chrono::hours(1);
  yjs::Document agent{1, [] { return uint64_t{1001}; }};
  yjs::Document person{2, [] { return uint64_t{1002}; }};
  RoomAgentSession session;
  std::optional<Ask> ask{};  // the last one
  int updates = 0;           // that were sent

 private:
  void Take(const ActiveFile& event) { told_.push_back("active " + event.path); }
  void Take(const PromptTaken& event) {
    told_.push_back(
        absl::StrCat("prompt ", event.id, " ", event.path, ":", event.line, " ", event.text));
  }
  void Take(const ToolCalled& event) {
    told_.push_back(absl::StrCat("tool ", event.id, " ", event.name, event.ok ? " ok" : " failed"));
  }
  void Take(const Edited& event) {
    told_.push_back(absl::StrCat("edit ", event.id, " ", event.start_line, "-", event.end_line, " ",
                                 event.lines));
  }
  void Take(const Skipped& event) {
    told_.push_back(absl::StrCat("skipped ", event.id, " ", event.reason));
  }
  void Take(const Said& event) {
    told_.push_back(absl::StrCat("said ", event.id, " ", event.text));
  }
  void Take(const Done& event) {
    told_.push_back(
        absl::StrCat("done ", event.id, " edits ", event.edits, " calls ", event.calls));
  }
  void Take(const Failed& event) {
    told_.push_back(
        absl::StrCat("failed ", event.id, " ", absl::StatusCodeToString(event.status.code())));
  }
  void Take(const Ask& event) {
    told_.push_back(absl::StrCat("ask ", event.id));
    ask = event;
  }
  void Take(const CancelAsk& event) { told_.push_back(absl::StrCat("cancel ", event.id)); }
  void Take(const ToolAnswer& event) {
    told_.push_back(absl::StrCat("answer ", event.id, " ", event.call_id, " ",
                                 event.is_error ? "error " : "", event.text));
  }
  void Take(const SendUpdate& event) {
    ++updates;
    EXPECT_TRUE(person.Apply(event.update).ok());
    const absl::StatusOr<bool> echo = agent.Apply(event.update);
    EXPECT_TRUE(echo.ok() && !*echo);
    session.OnDocumentChanged(now);
  }
  void Take(const Report& event) { told_.push_back("report " + event.text); }
  void Take(const ShowCaret& event) {
    uint32_t byte = agent.size(event.path).bytes;
    if (event.position.item) {
      byte = agent.PositionOf(event.path, *event.position.item, 0)->bytes;
    }
    EXPECT_EQ(event.position.root_name, event.path);
    told_.push_back(absl::StrCat("caret ", event.path, ":", byte));
  }

  Lines told_;
  int calls_ = 0;
};

// --- triggers

TEST(RoomAgentSession, EnterBehindAPromptStartsARun) {
  AgentRoom room;
  room.Open("p", "one\n@agent do it\ntwo\n");
  EXPECT_THAT(room.Told(), ElementsAre("active p"));
  room.TypeBehind("p", "do it", "\n");
  EXPECT_THAT(room.Told(), ElementsAre("prompt 1 p:2 do it", "caret p:16", "ask 1"));
  ASSERT_TRUE(room.ask);
  EXPECT_TRUE(room.ask->with_tools);
  EXPECT_THAT(room.ask->user, AllOf(HasSubstr("2: @agent do it\n"), HasSubstr("data n0nce")));
  EXPECT_TRUE(room.session.is_running());
}

TEST(RoomAgentSession, PromptIsTypedLetterByLetter) {
  AgentRoom room;
  room.Open("p", "one\n");
  const std::string typed = "@agent do it";
  for (size_t i = 0; i < typed.size(); ++i) {
    room.Type("p", static_cast<uint32_t>(4 + i), 0, typed.substr(i, 1));
  }
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
  room.TypeBehind("p", "do it", "\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:2 do it"));
}

TEST(RoomAgentSession, IndentationInsert) {
  AgentRoom room;
  room.Open("p", "f {\n  // @agent do it\n}\n");
  room.TypeBehind("p", "do it", "\n  ");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:2 do it"));
}

TEST(RoomAgentSession, PastedPrompt) {
  AgentRoom room;
  room.Open("p", "one\n");
  room.Type("p", 4, 0, "@agent do it\n@agent not this\nend");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:2 do it"));
}

TEST(RoomAgentSession, OnlyTheLineInWhichTheInsertBegins) {
  AgentRoom room;
  room.Open("p", "one\n");
  room.Type("p", 4, 0, "two\n@agent do it\n");
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
  room.Type("p", 3, 0, "\n");
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
}

TEST(RoomAgentSession, SeveralStepsInOneUpdate) {
  AgentRoom room;
  room.Open("p", "@agent one\nx\n@agent two\ny\n");
  const yjs::StateVector before = room.person.state_vector();
  ASSERT_TRUE(room.person.Splice("p", Unit::kBytes, 23, 0, "\n").ok());
  ASSERT_TRUE(room.person.Splice("p", Unit::kBytes, 10, 0, "\n").ok());
  ASSERT_TRUE(room.person.Splice("p", Unit::kBytes, 0, 0, "// ").ok());
  room.Deliver(room.person.EncodeState(before));
  EXPECT_THAT(room.ToldOf("prompt"),
              testing::UnorderedElementsAre(HasSubstr("p:1 one"), HasSubstr("p:4 two")));
}

TEST(RoomAgentSession, LineThatLostItsEndAgainIsNoPrompt) {
  AgentRoom room;
  room.Open("p", "x\n@agent old\n");
  const yjs::StateVector before = room.person.state_vector();
  ASSERT_TRUE(room.person.Splice("p", Unit::kBytes, 2, 0, "\n").ok());
  ASSERT_TRUE(room.person.Splice("p", Unit::kBytes, 2, 1, "").ok());
  room.Deliver(room.person.EncodeState(before));
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
}

TEST(RoomAgentSession, OtherFilesAreNotLookedAt) {
  AgentRoom room;
  room.Open("p", "one\n");
  room.Type("q", 0, 0, "@agent do it\n");
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
  // Nor when one of them becomes the active one.
  room.OpenUnloaded("q");
  room.TypeBehind("p", "one", "\n@agent x\n");
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
  room.TypeBehind("q", "do it", "\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 q:1 do it"));
}

TEST(RoomAgentSession, EchoOfOwnInsertThatContainsATrigger) {
  AgentRoom room;
  room.Open("p", "@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Call(1, "insert_at_line", {{"line", 2}, {"content", "@agent once more\nnext"}});
  room.Answer(1, "");
  EXPECT_EQ(room.Text("p"), "@agent do it\n@agent once more\nnext\n\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:1 do it"));
  EXPECT_FALSE(room.session.is_running());
}

TEST(RoomAgentSession, EnterBehindAPromptThatWasRunRunsItAgain) {
  AgentRoom room;
  room.Open("p", "@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Answer(1, "");
  room.TypeBehind("p", "do it", "\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:1 do it", "prompt 2 p:1 do it"));
}

TEST(RoomAgentSession, NameOfTheServerIsTheTrigger) {
  AgentRoom room;
  room.session.SetName("Agent Smith");
  room.Open("p", "@agent a\n@Agent Smith b\n");
  room.TypeBehind("p", "@agent a", "\n");
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
  room.TypeBehind("p", "Smith b", "\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:3 b"));
}

// --- the load of a file

TEST(RoomAgentSession, LoadOfAFileDoesNotTrigger) {
  AgentRoom room;
  room.OpenUnloaded("p");
  room.Type("p", 0, 0, "@agent old\none\n");
  room.session.OnSynced(room.now);
  room.TakeAll();
  EXPECT_THAT(room.Told(), ElementsAre("active p"));
}

TEST(RoomAgentSession, LoadThatIsToldFirstDoesNotTrigger) {
  AgentRoom room;
  room.OpenUnloaded("p");
  const absl::StatusOr<std::string> update =
      room.person.Splice("p", Unit::kBytes, 0, 0, "@agent old\n");
  ASSERT_TRUE(room.agent.Apply(*update).ok());
  room.session.OnSynced(room.now);
  room.session.OnDocumentChanged(room.now);
  room.TakeAll();
  EXPECT_THAT(room.Told(), ElementsAre("active p"));
}

TEST(RoomAgentSession, EmptyStep2ThenTheText) {
  AgentRoom room;
  room.OpenUnloaded("p");
  room.session.OnSynced(room.now);
  room.Type("p", 0, 0, "@agent old\n");
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
  EXPECT_FALSE(room.session.deadline());
  room.TypeBehind("p", "old", "\n");
  EXPECT_THAT(room.ToldOf("prompt"), SizeIs(1));
}

TEST(RoomAgentSession, FirstPromptOfALoadedFileCounts) {
  AgentRoom room;
  room.Type("p", 0, 0, "one\n");  // somebody had it open before
  room.OpenUnloaded("p");
  room.Type("p", 4, 0, "@agent do it\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:2 do it"));
}

TEST(RoomAgentSession, PromptInAnEmptyFile) {
  AgentRoom room;
  room.OpenUnloaded("p");
  ASSERT_TRUE(room.session.deadline());
  EXPECT_EQ(*room.session.deadline(), room.now + kEmptyFileTimeout);
  room.Wait(kEmptyFileTimeout);
  EXPECT_FALSE(room.session.deadline());
  room.Type("p", 0, 0, "@agent do it\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:1 do it"));
}

TEST(RoomAgentSession, PromptThatIsTypedInAnEmptyFileAtOnce) {
  AgentRoom room;
  room.OpenUnloaded("p");
  room.Type("p", 0, 0, "@");
  room.Type("p", 1, 0, "agent do it");
  room.Type("p", 12, 0, "\n");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 1 p:1 do it"));
}

TEST(RoomAgentSession, HostThatLoadsTheFileAnewDoesNotTrigger) {
  AgentRoom room;
  room.Open("p", "@agent old\none\n");
  const yjs::StateVector before = room.person.state_vector();
  ASSERT_TRUE(room.person.Splice("p", Unit::kBytes, 0, 15, "@agent old\ntwo\n").ok());
  room.Deliver(room.person.EncodeState(before));
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
}

TEST(RoomAgentSession, SamePathAgainChangesNothing) {
  AgentRoom room;
  room.Open("p", "one\n");
  room.session.OnActiveFile("p", room.now);
  room.TakeAll();
  EXPECT_THAT(room.Told(), ElementsAre("active p"));
}

// --- the queue

TEST(RoomAgentSession, TwoPromptsWhileBusy) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n@agent three\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.TypeBehind("p", "three", "\n");
  EXPECT_THAT(room.Told(), ElementsAre("active p", "prompt 1 p:1 one", "caret p:10", "ask 1",
                                       "prompt 2 p:3 two", "prompt 3 p:5 three"));
  EXPECT_EQ(room.session.waiting(), 2U);
  room.Answer(1, "");
  EXPECT_THAT(room.Told(), ElementsAre("done 1 edits 0 calls 0", "report agent: nothing changed",
                                       "caret p:22", "ask 2"));
  room.Answer(2, "");
  room.Answer(3, "");
  EXPECT_THAT(room.ToldOf("done"), SizeIs(2));
}

TEST(RoomAgentSession, QueueHasAnEnd) {
  SessionOptions options = AgentOptions();
  options.max_queue = 2;
  AgentRoom room(std::move(options));
  room.Open("p", "@agent 1\n@agent 2\n@agent 3\n@agent 4\n@agent 5\n");
  for (const char* number : {"t 1", "t 2", "t 3"}) room.TypeBehind("p", number, "\n");
  room.Told();
  room.TypeBehind("p", "t 4", "\n");
  room.TypeBehind("p", "t 5", "\n");
  EXPECT_THAT(room.Told(), ElementsAre("prompt 4 p:7 4", "skipped 4 too many prompts wait",
                                       "report agent: skipped: too many prompts wait",
                                       "prompt 5 p:9 5", "skipped 5 too many prompts wait"));
}

TEST(RoomAgentSession, PresentTextOfAWaitingPromptCounts) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.TypeBehind("p", "two", " and more");
  room.Type("p", 0, 0, "top\n");
  room.Told();
  room.Answer(1, "");
  EXPECT_THAT(room.ToldOf("prompt"), ElementsAre("prompt 2 p:4 two and more"));
  EXPECT_THAT(room.ask->user, HasSubstr("line 4:\ntwo and more\n"));
}

TEST(RoomAgentSession, DeletedPromptThatWaitsIsSkipped) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n@agent three\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  // Its place is then in front of somebody else's line.
  room.Delete("p", "@agent two\n\n");
  room.Told();
  room.Answer(1, "");
  EXPECT_THAT(room.ToldOf("skipped"), ElementsAre("skipped 2 prompt was deleted"));
  EXPECT_FALSE(room.session.is_running());
}

TEST(RoomAgentSession, WaitingLineWithoutAPromptIsSkipped) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n@agent three\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.TypeBehind("p", "three", "\n");
  room.Delete("p", "gent two");
  room.Told();
  room.Answer(1, "");
  EXPECT_THAT(room.Told(), Contains("skipped 2 no prompt in the line any more"));
  EXPECT_TRUE(room.session.is_running());
}

TEST(RoomAgentSession, PromptThatWaitsAlreadyIsNotTakenTwice) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.TypeBehind("p", "two", "\n");
  EXPECT_EQ(room.session.waiting(), 1U);
}

// --- the file changes hands

TEST(RoomAgentSession, HostSwitchesFile) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.Open("q", "@agent three\n");
  room.Told();
  room.Call(1, "replace_lines", {{"start_line", 2}, {"end_line", 2}, {"new_content", "first"}});
  EXPECT_EQ(room.Text("p"), "@agent one\nfirst\n@agent two\n\n");
  EXPECT_EQ(room.Text("q"), "@agent three\n");
  room.TypeBehind("q", "three", "\n");
  room.Told();
  room.Answer(1, "");
  EXPECT_THAT(room.Told(), ElementsAre("done 1 edits 1 calls 1", "report agent: done, 1 edit",
                                       "caret p:27", "ask 2"));
  room.Answer(2, "");
  EXPECT_THAT(room.Told(), Contains("ask 3"));
  EXPECT_THAT(room.ask->user, HasSubstr("File: q\n"));
}

TEST(RoomAgentSession, ChangesOfFilesThatWereActiveAreNotKept) {
  AgentRoom room;
  room.Open("p", "one\n");
  room.Open("q", "two\n");
  room.Type("p", 0, 0, "@agent x\n");
  room.Type("p", 0, 0, "y");
  EXPECT_THAT(room.agent.TakeChanges("p"), SizeIs(testing::Le(1U)));
  room.OpenUnloaded("p");
  room.Type("p", 0, 0, "z");
  EXPECT_THAT(room.ToldOf("prompt"), IsEmpty());
}

TEST(RoomAgentSession, PersonInsertsAboveWhileTheModelWorks) {
  AgentRoom room;
  room.Open("p", "one\ntwo\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Type("p", 0, 0, "zero\n");
  room.Call(1, "replace_lines", {{"start_line", 2}, {"end_line", 2}, {"new_content", "TWO"}});
  EXPECT_EQ(room.Text("p"), "zero\none\nTWO\n@agent do it\n\n");
  EXPECT_THAT(room.ToldOf("edit"), ElementsAre("edit 1 3-3 1"));
}

TEST(RoomAgentSession, PersonDeletesThePromptLine) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.Told();
  room.Delete("p", "@agent one\n");
  EXPECT_THAT(room.Told(), ElementsAre("cancel 1", "failed 1 CANCELLED",
                                       "report agent: failed: cancelled", "caret p:11", "ask 2"));
  // The model does not know yet.
  room.Call(1, "delete_lines", {{"start_line", 1}, {"end_line", 1}});
  room.Answer(1, "late");
  EXPECT_THAT(room.Told(), ElementsAre("answer 1 c1 error This run is over: make no more calls."));
}

TEST(RoomAgentSession, PromptLineMayGoAfterTheFirstEdit) {
  AgentRoom room;
  room.Open("p", "@agent one\nx\n");
  room.TypeBehind("p", "one", "\n");
  room.Call(1, "replace_lines", {{"start_line", 3}, {"end_line", 3}, {"new_content", "X"}});
  room.Delete("p", "@agent one\n");
  room.Answer(1, "");
  EXPECT_THAT(room.ToldOf("done"), ElementsAre("done 1 edits 1 calls 1"));
}

// --- the end of a run, and of the room

TEST(RoomAgentSession, ReadOnlySession) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n@agent three\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.Told();
  room.session.OnReadOnly(true, room.now);
  room.TakeAll();
  EXPECT_THAT(
      room.Told(),
      ElementsAre("cancel 1", "failed 1 CANCELLED", "report agent: failed: cancelled",
                  "skipped 2 read-only session", "report agent: skipped: read-only session"));
  room.TypeBehind("p", "three", "\n");
  EXPECT_THAT(room.Told(), ElementsAre("prompt 3 p:5 three", "skipped 3 read-only session"));
  room.session.OnReadOnly(false, room.now);
  room.TypeBehind("p", "three", "\n");
  EXPECT_THAT(room.Told(), Contains("ask 4"));
}

TEST(RoomAgentSession, TimeoutFailsTheRun) {
  AgentRoom room;
  room.Open("p", "@agent one\n");
  room.TypeBehind("p", "one", "\n");
  EXPECT_EQ(*room.session.deadline(), room.now + seconds(300));
  room.Wait(milliseconds(299'999));
  EXPECT_TRUE(room.session.is_running());
  room.Told();
  room.Wait(milliseconds(1));
  EXPECT_THAT(room.Told(), ElementsAre("cancel 1", "failed 1 DEADLINE_EXCEEDED",
                                       "report agent: failed: deadline_exceeded"));
  EXPECT_FALSE(room.session.deadline());
}

TEST(RoomAgentSession, CallAfterTheDeadlineIsTooLate) {
  AgentRoom room;
  room.Open("p", "@agent one\n");
  room.TypeBehind("p", "one", "\n");
  room.Told();
  room.now += seconds(300);
  room.Call(1, "delete_lines", {{"start_line", 1}, {"end_line", 1}});
  EXPECT_THAT(room.Told(), Contains("failed 1 DEADLINE_EXCEEDED"));
  EXPECT_EQ(room.Text("p"), "@agent one\n\n");
}

TEST(RoomAgentSession, ErrorOfTheServiceFailsTheRun) {
  AgentRoom room;
  room.Open("p", "@agent one\n");
  room.TypeBehind("p", "one", "\n");
  room.Told();
  room.Answer(1, "half a", absl::ResourceExhaustedError("secret of the service"));
  EXPECT_THAT(room.Told(), ElementsAre("failed 1 RESOURCE_EXHAUSTED",
                                       "report agent: failed: resource_exhausted"));
}

TEST(RoomAgentSession, RoomClosedBetweenCallAndAnswer) {
  AgentRoom room;
  room.Open("p", "@agent one\n@agent two\n");
  room.TypeBehind("p", "one", "\n");
  room.TypeBehind("p", "two", "\n");
  room.Call(1, "get_line_range", {{"start_line", 1}, {"end_line", 1}});
  room.Told();
  room.session.OnClosed(room.now);
  room.TakeAll();
  EXPECT_THAT(room.Told(), ElementsAre("cancel 1", "failed 1 CANCELLED", "skipped 2 room closed"));
  room.Answer(1, "late");
  room.session.OnDocumentChanged(room.now);
  room.session.OnActiveFile("q", room.now);
  room.Call(1, "delete_lines", {{"start_line", 1}, {"end_line", 1}});
  EXPECT_THAT(room.Told(), ElementsAre("answer 1 c2 error This run is over: make no more calls."));
  EXPECT_FALSE(room.session.deadline());
  EXPECT_EQ(room.Text("p"), "@agent one\n\n@agent two\n\n");
}

TEST(RoomAgentSession, TextTooLargeForARun) {
  AgentRoom room;
  room.Open("p", std::string(kMaxSnapshotLines, '\n') + "@agent one\n");
  room.TypeBehind("p", "one", "\n");
  EXPECT_THAT(room.Told(),
              ElementsAre("active p", HasSubstr("prompt 1"), "failed 1 RESOURCE_EXHAUSTED",
                          "report agent: failed: resource_exhausted"));
}

TEST(RoomAgentSession, WithoutANonceNothingIsAsked) {
  SessionOptions options = AgentOptions();
  options.new_nonce = nullptr;
  AgentRoom room(std::move(options));
  room.Open("p", "@agent one\n");
  room.TypeBehind("p", "one", "\n");
  EXPECT_THAT(room.ToldOf("failed"), ElementsAre("failed 1 FAILED_PRECONDITION"));
}

// --- tools

TEST(RoomAgentSession, ToolCallsEditAndAreAnswered) {
  AgentRoom room;
  room.Open("p", "one\ntwo\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Told();
  room.Call(1, "replace_lines", {{"start_line", 1}, {"end_line", 2}, {"new_content", "1\n2\n3"}});
  EXPECT_THAT(room.Told(), ElementsAre("edit 1 1-2 3", "caret p:5", "tool 1 replace_lines ok",
                                       HasSubstr("answer 1 c1 {")));
  EXPECT_EQ(room.updates, 1);
  room.Answer(1, "I did it.");
  EXPECT_THAT(room.Told(), ElementsAre("said 1 I did it.", "done 1 edits 1 calls 1",
                                       "report agent: done, 1 edit"));
  EXPECT_EQ(room.Text("p"), "1\n2\n3\n@agent do it\n\n");
}

TEST(RoomAgentSession, ModelThatCallsRead) {
  AgentRoom room;
  room.Open("p", "@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Told();
  room.Call(1, "read\x1b[31m", {{"path", "/etc/passwd"}});
  EXPECT_THAT(room.Told(), ElementsAre("tool 1 read?[31m failed", HasSubstr("answer 1 c1 error ")));
}

TEST(RoomAgentSession, FiftyFirstCall) {
  AgentRoom room;
  room.Open("p", "@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  for (int i = 0; i < 50; ++i) {
    room.Call(1, "get_line_range", {{"start_line", 1}, {"end_line", 1}});
  }
  EXPECT_THAT(room.Told(), Not(Contains(HasSubstr("failed"))));
  room.Call(1, "get_line_range", {{"start_line", 1}, {"end_line", 1}});
  EXPECT_THAT(room.Told(), Contains(HasSubstr("limit reached")));
  room.Answer(1, "");
  EXPECT_THAT(room.ToldOf("done"), ElementsAre("done 1 edits 0 calls 51"));
}

TEST(RoomAgentSession, CallsAreRefusedWhereNoToolsAreOffered) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  EXPECT_FALSE(room.ask->with_tools);
  room.Call(1, "delete_lines", {{"start_line", 1}, {"end_line", 1}});
  EXPECT_EQ(room.Text("p"), "@agent do it\n\n");
  EXPECT_THAT(room.ToldOf("tool"), ElementsAre("tool 1 delete_lines failed"));
}

// --- regions

TEST(RoomAgentSession, RegionsAreApplied) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "a\nb\nc\nd\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Told();
  room.Answer(1, "a\r\nx\r\ny\r\nb\r\n==========\r\nc\r\n@agent do it\r\n");
  EXPECT_EQ(room.Text("p"), "a\nx\ny\nb\nc\n@agent do it\n\n");
  EXPECT_THAT(room.Told(), ElementsAre("edit 1 2-1 2", "caret p:5", "edit 1 6-6 0", "caret p:10",
                                       "done 1 edits 2 calls 0", "report agent: done, 2 edits"));
  EXPECT_EQ(room.updates, 2);
}

TEST(RoomAgentSession, SecondRegionAfterTheFirstMovedLines) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "a\nb\nc\nd\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  // In the text that the first one makes, the second one would fit in two places.
  room.Answer(1, "a\nc\nd\nb\n==========\nc\nnew\nd\n");
  EXPECT_EQ(room.Text("p"), "a\nc\nd\nb\nc\nnew\nd\n@agent do it\n\n");
  EXPECT_THAT(room.ToldOf("edit"), ElementsAre("edit 1 2-1 2", "edit 1 6-5 1"));
}

TEST(RoomAgentSession, RefusedRegionsAreToldAndOthersApplied) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "f {\n}\nf {\n}\nend\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Told();
  room.Answer(1, "f {\nx\n}\n==========\nend\ny\n@agent do it\n==========\nq\n");
  EXPECT_EQ(room.Text("p"), "f {\n}\nf {\n}\nend\ny\n@agent do it\n\n");
  EXPECT_THAT(room.Told(),
              ElementsAre("skipped 1 ambiguous", "edit 1 6-5 1", "caret p:17",
                          "skipped 1 no context", "done 1 edits 1 calls 0",
                          "report agent: done, 1 edit; could not apply: ambiguous (line 1), "
                          "no context"));
}

TEST(RoomAgentSession, LinesThatPeopleChangedMeanwhileAreLeftAlone) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "a\nb\nc\nd\ne\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.TypeBehind("p", "a\nb", "!");
  room.Told();
  room.Answer(1, "a\nB\nc\n==========\nc\nD\ne\n");
  EXPECT_EQ(room.Text("p"), "a\nb!\nc\nD\ne\n@agent do it\n\n");
  EXPECT_THAT(room.ToldOf("report"), ElementsAre("report agent: done, 1 edit; could not apply: "
                                                 "changed meanwhile (line 2)"));
}

TEST(RoomAgentSession, WholeNewTextIsOneUpdate) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "a\nb\nc\n@agent do it\nd\n");
  room.TypeBehind("p", "do it", "\n");
  room.Told();
  room.Answer(1, "A\nb\nx\nc\n@agent do it\n\nD\n");
  EXPECT_EQ(room.Text("p"), "A\nb\nx\nc\n@agent do it\n\nD\n");
  EXPECT_EQ(room.updates, 1);
  EXPECT_THAT(room.Told(), ElementsAre("edit 1 1-6 7", "caret p:23", "done 1 edits 1 calls 0",
                                       "report agent: done, 1 edit"));
}

TEST(RoomAgentSession, WholeNewTextIsRefusedWhereAnybodyTyped) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "a\nb\nc\n@agent do it\nd\n");
  room.TypeBehind("p", "do it", "\n");
  room.TypeBehind("p", "b", "!");
  room.Answer(1, "A\nb\nx\nc\n@agent do it\n\nD\n");
  EXPECT_EQ(room.Text("p"), "a\nb!\nc\n@agent do it\n\nd\n");
  EXPECT_THAT(room.ToldOf("skipped"), ElementsAre("skipped 1 changed meanwhile"));
}

TEST(RoomAgentSession, LastLineKeepsHavingNoLineFeed) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "@agent do it\na\nb");
  room.TypeBehind("p", "do it", "\n");
  room.Answer(1, "a\nb\nc\n");
  EXPECT_EQ(room.Text("p"), "@agent do it\n\na\nb\nc");
}

TEST(RoomAgentSession, AnswerOfARegionRunThatIsTooLong) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Answer(1, std::string(kMaxAnswerBytes + 1, 'x'));
  EXPECT_THAT(room.ToldOf("failed"), ElementsAre("failed 1 RESOURCE_EXHAUSTED"));
}

TEST(RoomAgentSession, TooManyRegionsAreTold) {
  AgentRoom room(AgentOptions(Mode::kRegions));
  room.Open("p", "a\nb\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  std::string answer;
  for (size_t i = 0; i <= kMaxRegions; ++i) answer += "a\nb\n==========\n";
  room.Answer(1, answer);
  EXPECT_THAT(room.ToldOf("report"),
              ElementsAre("report agent: could not apply: too many regions"));
}

TEST(RoomAgentSession, AnswerThatIsNoUtf8) {
  for (const Mode mode : {Mode::kTools, Mode::kRegions}) {
    AgentRoom room(AgentOptions(mode));
    room.Open("p", "a\nb\n@agent do it\n");
    room.TypeBehind("p", "do it", "\n");
    room.Answer(1, "a\n\xff\xc3\nb");
    EXPECT_EQ(room.Text("p"), "a\n\xef\xbf\xbd\xef\xbf\xbd\nb\n@agent do it\n\n");
  }
}

// --- words of a model that has tools

TEST(RoomAgentSession, ModelThatNeverCallsATool) {
  AgentRoom room;
  room.Open("p", "a\nb\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Told();
  room.Answer(1, "```\na\nx\nb\n```\n");
  EXPECT_EQ(room.Text("p"), "a\nx\nb\n@agent do it\n\n");
  EXPECT_THAT(room.Told(), ElementsAre("edit 1 2-1 1", "caret p:3", "done 1 edits 1 calls 0",
                                       "report agent: done, 1 edit"));
}

TEST(RoomAgentSession, WordsThatAreNoRegionsAreSaid) {
  for (const std::string answer : {"There is nothing to do.", "x\nb", "a\nx", "a\nb", "a\n\nz"}) {
    AgentRoom room;
    room.Open("p", "a\nb\n\n@agent do it\n");
    room.TypeBehind("p", "do it", "\n");
    room.Told();
    room.Answer(1, answer);
    EXPECT_THAT(room.Told(), ElementsAre("said 1 " + answer, "done 1 edits 0 calls 0",
                                         "report agent: nothing changed"));
    EXPECT_EQ(room.updates, 0);
  }
}

TEST(RoomAgentSession, AfterACallWordsAreNeverApplied) {
  AgentRoom room;
  room.Open("p", "a\nb\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Call(1, "get_line_range", {{"start_line", 1}, {"end_line", 1}});
  room.Answer(1, "a\nx\nb");
  EXPECT_EQ(room.Text("p"), "a\nb\n@agent do it\n\n");
  EXPECT_THAT(room.ToldOf("said"), ElementsAre("said 1 a\nx\nb"));
}

TEST(RoomAgentSession, LongWordsAreCut) {
  AgentRoom room;
  room.Open("p", "@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Answer(1, std::string(kMaxAnswerBytes + 1, 'x'));
  EXPECT_THAT(room.ToldOf("said"), ElementsAre(SizeIs(kMaxAnswerBytes + 7)));
}

// --- the prompt goes

struct RemovedPromptCase {
  const char* name;
  std::string text;
  std::string result;  // after line 1 has become "A"
};

TEST(RoomAgentSession, PromptIsRemovedAfterARunThatEdited) {
  const RemovedPromptCase kCases[] = {
      {"line", "a\n@agent do it\nb\n", "A\n\nb\n"},
      {"comment", "a\n  /* @agent do it */\nb\n", "A\n\nb\n"},
      {"behind code", "a\nx = 1; // @agent do it\nb\n", "A\nx = 1; // @agent do it\n\nb\n"},
  };
  for (const RemovedPromptCase& c : kCases) {
    SCOPED_TRACE(c.name);
    SessionOptions options = AgentOptions();
    options.remove_prompt = true;
    AgentRoom room(std::move(options));
    room.Open("p", c.text);
    room.Type("p", static_cast<uint32_t>(c.text.find("\nb\n")), 0, "\n");
    room.Call(1, "replace_lines", {{"start_line", 1}, {"end_line", 1}, {"new_content", "A"}});
    room.Answer(1, "");
    EXPECT_EQ(room.Text("p"), c.result);
    EXPECT_THAT(room.ToldOf("done"), ElementsAre("done 1 edits 1 calls 1"));
  }
}

TEST(RoomAgentSession, PromptStaysWhereNothingChangedOrItDid) {
  SessionOptions options = AgentOptions();
  options.remove_prompt = true;
  AgentRoom room(std::move(options));
  room.Open("p", "a\n@agent do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Answer(1, "No.");
  EXPECT_EQ(room.Text("p"), "a\n@agent do it\n\n");
  room.TypeBehind("p", "do it", "\n");
  room.TypeBehind("p", "do it", " better");
  room.Call(2, "replace_lines", {{"start_line", 1}, {"end_line", 1}, {"new_content", "A"}});
  room.Answer(2, "");
  EXPECT_EQ(room.Text("p"), "A\n@agent do it better\n\n\n");
}

// --- reports

TEST(RoomAgentSession, ReportsAreShortAndOptional) {
  SessionOptions options = AgentOptions(Mode::kRegions);
  options.name = "agent";
  for (int i = 0; i < 100; ++i) options.name += "\xc3\xa9";
  const std::string name = options.name;
  AgentRoom room(std::move(options));
  std::string text;
  std::string answer;
  for (int i = 0; i < 40; ++i) answer += "a\nx\nb\n==========\n";
  room.Open("p", "a\nb\na\nb\n@" + name + " do it\n");
  room.TypeBehind("p", "do it", "\n");
  room.Answer(1, answer);
  const Lines reports = room.ToldOf("report");
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(crdt::Measure(reports[0].substr(7)).code_points, kMaxReportCharacters);
  EXPECT_TRUE(IsUtf8(reports[0]));

  options = AgentOptions();
  options.report_to_chat = false;
  AgentRoom silent(std::move(options));
  silent.Open("p", "@agent do it\n");
  silent.TypeBehind("p", "do it", "\n");
  silent.Answer(1, "");
  EXPECT_THAT(silent.ToldOf("report"), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::room_agent
