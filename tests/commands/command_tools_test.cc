#include "cursorwire/command_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/tools.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What the tool answers. Commands are run on the thread that calls.
ToolResult Call(const ToolRegistry& registry, const std::string& name,
                const std::string& arguments = "{}") {
  std::optional<absl::StatusOr<ToolResult>> result;
  registry.Call({.name = name, .arguments_json = arguments},
                ToolReply([&result](absl::StatusOr<ToolResult> got) { result = std::move(got); }));
  if (!result) return ToolResult::Error("no answer");
  return result->ok() ? **result : ToolResult::Error(std::string(result->status().message()));
}
std::string TextOf(const ToolResult& result) { return std::get<std::string>(result.content.at(0)); }

TEST(ParseCommandTools, ReadsAList) {
  const auto tools =
      ParseCommandTools(R"([{"name":"now","description":"The time","command":["date","-u"]},)"
                        R"({"name":"echo","input_schema":{"type":"object"},"command":["cat"]}])");
  ASSERT_THAT(tools, IsOk());
  ASSERT_EQ(tools->size(), 2u);
  EXPECT_EQ((*tools)[0].definition.name, "now");
  EXPECT_EQ((*tools)[0].definition.description, "The time");
  EXPECT_EQ((*tools)[0].definition.input_schema, "");
  EXPECT_THAT((*tools)[0].command, ElementsAre("date", "-u"));
  EXPECT_EQ((*tools)[1].definition.input_schema, R"({"type":"object"})");
  EXPECT_THAT(*ParseCommandTools("[]"), IsEmpty());
}

TEST(ParseCommandTools, SaysWhatIsWrongAndWhere) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "unexpected end of input"},
      {"{}", "it must be a list of tools"},
      {"[1]", "entry 1: it must be an object"},
      {R"([{"name":"a","command":["x"]},{"name":"a","command":["x"]}])", "entry 2 (a): the field"},
      {R"([{"name":"a","comand":["x"]}])", R"(entry 1 (a): there is no field "comand"; did you)"},
      {R"([{"name":"a","name":"b","command":["x"]}])", R"(two fields "name")"},
      {R"([{"name":"a","command":[""]}])", R"(the field "command" must be a list)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(ParseCommandTools(c.text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(CommandTools, AreOfferedAndCalled) {
  const CommandTools commands;
  ToolRegistry registry;
  commands.AddTo(registry, {{.definition = {.name = "echo"}, .command = {"cat"}},
                            {.definition = {.name = "fails"}, .command = {"false"}}});
  EXPECT_THAT(registry.status(), IsOk());
  EXPECT_EQ(registry.size(), 2u);
  EXPECT_EQ(TextOf(Call(registry, "echo", R"({"a":1})")), R"({"a":1})");
  EXPECT_TRUE(Call(registry, "fails").is_error);
}

TEST(CommandTools, AskThePolicyBeforeEachCall) {
  const test::ScratchFolder folder;
  const std::string file = folder.path() + "/touched";
  const CommandTools commands;
  ToolRegistry registry;
  commands.AddTo(registry, {{.definition = {.name = "touch"}, .command = {"touch", file}}},
                 {.policy = [](const ToolCall& call) {
                   return absl::PermissionDeniedError("not " + call.name);
                 }});
  const ToolResult result = Call(registry, "touch");
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(TextOf(result), "not touch");
  EXPECT_FALSE(std::ifstream(file).good());
}

TEST(CommandTools, AreKilledByACopyAndRefusedAfterThat) {
  const test::ScratchFolder folder;
  const std::string file = folder.path() + "/pid";
  ToolRegistry registry;
  CommandTools commands;
  commands.AddTo(registry, {{.definition = {.name = "waits"},
                             .command = {"sh", "-c", "echo $$ >" + file + "; exec sleep 600"}}});
  ToolResult killed;
  std::thread thread([&] { killed = Call(registry, "waits"); });
  pid_t pid = 0;
  while (!(std::ifstream(file) >> pid)) std::this_thread::yield();
  const CommandTools copy = commands;
  commands = CommandTools();
  copy.Kill();
  thread.join();
  EXPECT_TRUE(killed.is_error);
  EXPECT_THAT(TextOf(killed), HasSubstr("SIGKILL"));
  EXPECT_EQ(TextOf(Call(registry, "waits")), "stopped");
}

}  // namespace
}  // namespace cursorwire
