#include "commands/shell_completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commands/man_page.h"

namespace cursor_chat {
namespace {

using cursor_apps::OptionInfo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<OptionInfo> kOptions = {
    {.names = {"--format"}, .type = "text|json", .description = "How it's printed: text [or] JSON"},
    {.names = {"-m", "--model"}, .type = "ID", .description = "Model id"},
    {.names = {"--tools"}, .type = "FILE", .description = "Commands"},
    {.names = {"--local"}, .description = "Ask a stand-in"}};

TEST(OptionInfo, KnowsItsWords) {
  EXPECT_THAT(kOptions[0].choices(), ElementsAre("text", "json"));
  EXPECT_THAT(kOptions[1].choices(), IsEmpty());
  EXPECT_TRUE(kOptions[2].takes_file());
  EXPECT_FALSE(kOptions[3].takes_file());
}

TEST(CompletionScript, TellsBashWhatFollows) {
  const std::string script = BashCompletion(kOptions);
  EXPECT_THAT(script, HasSubstr("--format) COMPREPLY=($(compgen -W 'text json'"));
  EXPECT_THAT(script, HasSubstr("-m|--model) return ;;"));
  EXPECT_THAT(script, HasSubstr("--tools) compopt -o default"));
  EXPECT_THAT(script, HasSubstr("'--format -m --model --tools --local'"));
  EXPECT_THAT(script, HasSubstr("doctor help login"));
  EXPECT_THAT(script, HasSubstr("'mcp ') COMPREPLY=($(compgen -W 'list test'"));
  EXPECT_THAT(script, HasSubstr("'mcp list') compopt -o default ;;"));
  EXPECT_THAT(script, HasSubstr("'completion ') COMPREPLY=($(compgen -W 'bash zsh fish'"));
}

TEST(CompletionScript, TellsZshWhatFollows) {
  const std::string script = ZshCompletion(kOptions);
  EXPECT_THAT(
      script,
      HasSubstr("'*--format[How it'\\''s printed\\: text \\[or\\] JSON]:value:(text json)'"));
  EXPECT_THAT(script, HasSubstr("'*--tools[Commands]:FILE:_files'"));
  EXPECT_THAT(script, HasSubstr("'*--local[Ask a stand-in]'"));
  EXPECT_THAT(script, HasSubstr("compadd list test"));
  EXPECT_THAT(script, HasSubstr("else case $words[2] in list) _files ;; test) _files ;; esac"));
}

TEST(CompletionScript, TellsFishWhatFollows) {
  const std::string script = FishCompletion(kOptions);
  EXPECT_THAT(script, HasSubstr("-l format -x -a 'text json' -d 'How it\\'s printed"));
  EXPECT_THAT(script, HasSubstr("-s m -l model -x -d 'Model id'"));
  EXPECT_THAT(script, HasSubstr("-l tools -r -F"));
  EXPECT_THAT(script, HasSubstr("__fish_use_subcommand -a mcp -d 'starts"));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from mcp; and not "
                                "__fish_seen_subcommand_from list test' -a 'list test'"));
}

TEST(ManPage, HasTheOptionsAndTheText) {
  const std::string page =
      ManPage("1.2.3", "Asks.", kOptions, "Text of it.\n\n.dotted\n  an --example\nmore\n");
  EXPECT_THAT(page, HasSubstr("cursorwire 1.2.3"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBmcp\\fR list FILE\n.TQ\n\\fBmcp\\fR test FILE\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-m\\fR, \\fB\\-\\-model\\fR \\fIID\\fR\nModel id\n"));
  EXPECT_THAT(page,
              HasSubstr("Text of it.\n.PP\n\\&.dotted\n.EX\n  an \\-\\-example\n.EE\nmore\n"));
}

}  // namespace
}  // namespace cursor_chat
