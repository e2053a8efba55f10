#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "commands/command_help.h"

namespace cursor_chat {
namespace {

using cursor_apps::OptionInfo;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

TEST(ParseCommand, TakesTheFirstWordAlone) {
  const struct {
    Words words;
    Command command;
    Words arguments;
  } cases[] = {
      {{"models"}, Command::kModels, {}},
      {{"sessions"}, Command::kSessions, {}},
      {{"sessions", "folder"}, Command::kSessions, {"folder"}},
      {{"sessions", "rm", "a", "b"}, Command::kSessionsRemove, {"a", "b"}},
      {{"mcp", "list", "f.json"}, Command::kMcpList, {"f.json"}},
      {{"mcp", "test", "f.json"}, Command::kMcpTest, {"f.json"}},
      {{"trace", "show", "t"}, Command::kTraceShow, {"t"}},
      {{"trace", "to-script", "t"}, Command::kTraceToScript, {"t"}},
      {{"completion", "zsh"}, Command::kZshCompletion, {}},
      {{"help", "models"}, Command::kHelp, {"models"}},
      {{"ask", "models", "of", "cars"}, Command::kChat, {"models", "of", "cars"}},
      {{"ask"}, Command::kChat, {}},
      {{}, Command::kChat, {}},
      {{"-"}, Command::kChat, {"-"}},
      {{"hi"}, Command::kChat, {"hi"}},
      {{"models of cars"}, Command::kChat, {"models of cars"}},
      {{"Models"}, Command::kChat, {"Models"}},
      {{"which", "models"}, Command::kChat, {"which", "models"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(::testing::PrintToString(c.words));
    const auto call = ParseCommand(c.words);
    ASSERT_TRUE(call.ok()) << call.status();
    EXPECT_EQ(call->command, c.command);
    EXPECT_EQ(call->arguments, c.arguments);
  }
}

TEST(ParseCommand, SaysWhatFollowsACommandAndWhereAPromptGoes) {
  const struct {
    Words words;
    std::string error;
  } cases[] = {
      {{"mcp"}, "mcp needs one more word: list FILE or test FILE"},
      {{"mcp", "list"}, "mcp list needs the FILE of servers"},
      {{"mcp", "list", "a", "b"}, "mcp list takes one FILE, but there is also 'b'"},
      {{"mcp", "show"}, "mcp show is no command; after mcp comes list FILE or test FILE"},
      {{"trace"}, "trace needs one more word: show FILE or to-script FILE"},
      {{"trace", "show"}, "trace show needs the FILE that --trace has recorded"},
      {{"completion"}, "completion needs one more word: bash, zsh or fish"},
      {{"completion", "tcsh"},
       "completion tcsh is no command; after completion comes bash, zsh or fish"},
      {{"completion", "bash", "x"}, "nothing may follow completion bash, but there is 'x'"},
      {{"doctor", "please"}, "nothing may follow doctor, but there is 'please'"},
      {{"models", "-"}, "nothing may follow models, but there is '-'"},
      {{"usage", "of", "memory"}, "nothing may follow usage, but there is 'of'"},
      {{"sessions", "a", "b"}, "sessions takes one DIR, but there is also 'b'"},
      {{"sessions", "rm"}, "sessions rm needs the FILE of a conversation"},
      {{"help", "me", "please"}, "help takes one COMMAND, but there is also 'please'"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(::testing::PrintToString(c.words));
    const auto call = ParseCommand(c.words);
    ASSERT_TRUE(absl::IsInvalidArgument(call.status()));
    const std::string message(call.status().message());
    EXPECT_THAT(message, HasSubstr(c.error));
    EXPECT_THAT(message, HasSubstr("; a prompt that begins with the word " + c.words[0] +
                                   " goes after -- or the word ask (see cursor-chat help " +
                                   c.words[0] + ")"));
  }
}

TEST(CommandToExplain, FindsItOrNamesASimilarOne) {
  EXPECT_EQ(CommandToExplain({}).value(), nullptr);
  EXPECT_EQ(CommandToExplain({"mcp"}).value(), FindProgramCommand("mcp"));
  const auto missing = CommandToExplain({"modles"});
  ASSERT_TRUE(absl::IsInvalidArgument(missing.status()));
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("there is no command modles; did you mean models?"));
}

TEST(FindSimilarCommand, FindsStartsAndPlurals) {
  for (const char* word : {"mode", "model", "session", "traces", "complete"}) {
    const bool is_similar = FindSimilarCommand(word) != nullptr;
    EXPECT_EQ(is_similar, std::string(word) != "complete") << word;
  }
  for (const char* word : {"hello", "hi", "ask", "s", "doctor who", "usage of memory"}) {
    EXPECT_EQ(FindSimilarCommand(word), nullptr) << word;
  }
}

TEST(ProgramCommands, AreWhole) {
  for (const CommandInfo& command : ProgramCommands()) {
    SCOPED_TRACE(std::string(command.word));
    EXPECT_EQ(FindProgramCommand(command.word), &command);
    EXPECT_FALSE(command.forms.empty());
    EXPECT_FALSE(command.summary.empty());
    EXPECT_TRUE(command.details.empty() || command.details.ends_with('\n'));
    for (const CommandForm& form : command.forms) {
      const bool needs_one =
          form.count == ArgumentCount::kOne || form.count == ArgumentCount::kAtLeastOne;
      EXPECT_EQ(needs_one, !form.meaning.empty());
      EXPECT_EQ(form.argument.empty(), form.count == ArgumentCount::kNone);
    }
  }
}

TEST(CommandHelp, ListsAllAndExplainsOne) {
  const std::string list = CommandList();
  for (const CommandInfo& command : ProgramCommands()) {
    EXPECT_THAT(list, HasSubstr("\n  " + std::string(command.word)));
    EXPECT_THAT(list, HasSubstr(std::string(command.summary.substr(0, 20))));
  }
  const std::vector<OptionInfo> options = {
      {.names = {"--format"}, .type = "text|json", .description = "How it is printed"},
      {.names = {"--image"}, .type = "FILE", .description = "Show an image"}};
  EXPECT_THAT(HelpOf(*FindProgramCommand("mcp"), options),
              AllOf(HasSubstr("cursor-chat [OPTIONS] mcp list FILE\n"),
                    HasSubstr("cursor-chat [OPTIONS] mcp test FILE\n"),
                    HasSubstr("  --format text|json        How it is printed\n"),
                    Not(HasSubstr("--image"))));
  EXPECT_THAT(HelpOf(*FindProgramCommand("sessions"), {}),
              AllOf(HasSubstr("sessions [DIR]\n"), HasSubstr("sessions rm FILE...\n")));
}

TEST(CommandHelp, FitsALineOf80) {
  std::string text = CommandList();
  for (const CommandInfo& command : ProgramCommands()) text += HelpOf(command, {});
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = text.find('\n', start);
    ASSERT_NE(end, text.npos);
    EXPECT_LE(end - start, 80u) << text.substr(start, end - start);
    start = end + 1;
  }
}

}  // namespace
}  // namespace cursor_chat
