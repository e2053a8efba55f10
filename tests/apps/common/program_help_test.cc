#include "common/program_help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/man_text.h"
#include "common/option_info.h"
#include "support/scratch_folder.h"

namespace cursor_apps {
namespace {

using cursorwire::test::ScratchFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A program with a global option and three commands.
class NotesApp {
 public:
  NotesApp() {
    app_.footer("\nAll of it.\n\n  share-notes list -\n\n");
    app_.add_option("--log", text_, "Where it's\nlogged")->type_name("FILE");
    app_.add_flag("--secret", flag_, "Hidden")->group("");
    app_.require_subcommand(1);

    CLI::App* list = app_.add_subcommand("list", "Lists [all] notes: each");
    list->footer("\n.dotted\n");
    list->add_option("NOTE", text_, "Which one")->required();
    list->add_option("-s,--sort", text_, "How")->type_name("by-date|by-name");
    list->add_option("--sync", text_, "From where")->type_name("URL")->required();

    CLI::App* send = app_.add_subcommand("send-off", "Sends files");
    send->add_option("HOW", text_, "In which way")->type_name("mail|fax")->required();
    send->add_option("FILE", texts_, "What");
    send->add_option("--in", text_, "The folder")->type_name("DIR");
    CLI::Option_group* place = send->add_option_group("place");
    place->add_flag("--first", flag_, "Before all");
    place->add_option("--at", text_, "Between")->type_name("A:B");

    app_.add_subcommand("debug", "Hidden")->group("");
  }
  const CLI::App& app() const { return app_; }

 private:
  CLI::App app_{"Shares notes.", "share-notes"};
  std::string text_;
  std::vector<std::string> texts_;
  bool flag_ = false;
};

TEST(Describe, HasTheOptionsOfGroupsOnceAndNoHiddenOnes) {
  const NotesApp notes;
  const std::vector<OptionInfo> all = Describe(notes.app());
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].names, ElementsAre("-h", "--help"));
  EXPECT_THAT(all[0].type, IsEmpty());
  EXPECT_THAT(all[1].names, ElementsAre("--log"));
  EXPECT_EQ(all[1].type, "FILE");
  EXPECT_EQ(all[1].description, "Where it's logged");
  EXPECT_FALSE(all[1].required);

  std::string names;
  for (const OptionInfo& option : Describe(*notes.app().get_subcommand("send-off"))) {
    names += option.names.back() + " ";
  }
  EXPECT_EQ(names, "--help --in --first --at ");
  EXPECT_TRUE(Describe(*notes.app().get_subcommand("list")).back().required);
}

TEST(Roff, EscapesWhatTroffWouldTakeForACommand) {
  EXPECT_EQ(Roff(".a -b \\c"), "\\&.a \\-b \\ec");
  EXPECT_EQ(Roff("'a.'"), "\\&'a.'");
  EXPECT_EQ(RoffBold("-b"), "\\fB\\-b\\fR");
  EXPECT_EQ(RoffItalic("FILE"), "\\fIFILE\\fR");
}

TEST(ProgramManPage, HasEachCommandWithItsOptions) {
  const NotesApp notes;
  const std::string page = ManPage(notes.app(), "1.2.3");
  EXPECT_THAT(page, HasSubstr(".TH SHARE\\-NOTES 1 \"\" \"cursorwire 1.2.3\"\n.SH NAME\n"
                              "share\\-notes \\- Shares notes.\n.SH SYNOPSIS\n"));
  EXPECT_THAT(page, HasSubstr("\\fBlist\\fR [\\fIOPTIONS\\fR] \\fB\\-\\-sync\\fR \\fIURL\\fR "
                              "\\fINOTE\\fR\n.br\n"));
  EXPECT_THAT(page, HasSubstr("\\fBsend\\-off\\fR [\\fIOPTIONS\\fR] \\fIHOW\\fR "
                              "[\\fIFILE\\fR]...\n.SH OPTIONS\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-log\\fR \\fIFILE\\fR\nWhere it's logged\n"));
  const size_t list = page.find(".SS list\nLists [all] notes: each\n");
  const size_t send = page.find(".SS send\\-off\nSends files\n");
  ASSERT_LT(list, send);
  ASSERT_NE(send, std::string::npos);
  const std::string of_list = page.substr(list, send - list);
  EXPECT_THAT(of_list, AllOf(HasSubstr(".TP\n\\fBNOTE\\fR\nWhich one\n"),
                             HasSubstr("\\fB\\-s\\fR, \\fB\\-\\-sort\\fR \\fIby\\-date|by\\-name"),
                             HasSubstr(".PP\n\\&.dotted\n"), Not(HasSubstr("\\-\\-help")),
                             Not(HasSubstr("\\-\\-at"))));
  EXPECT_THAT(page.substr(send), AllOf(HasSubstr("\\fBHOW\\fR \\fImail|fax\\fR\nIn which way\n"),
                                       HasSubstr("\\fB\\-\\-at\\fR \\fIA:B\\fR\nBetween\n")));
  EXPECT_THAT(page, HasSubstr(".SH DESCRIPTION\nAll of it.\n.PP\n.EX\n  share\\-notes list \\-\n"));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("debug"))));
}

TEST(ProgramCompletion, KnowsThreeShells) {
  EXPECT_EQ(ParseShell("bash"), Shell::kBash);
  EXPECT_EQ(ParseShell("zsh"), Shell::kZsh);
  EXPECT_EQ(ParseShell("fish"), Shell::kFish);
  EXPECT_EQ(ParseShell("tcsh"), std::nullopt);
}

TEST(ProgramCompletion, TellsZshTheOptionsOfEachCommand) {
  const NotesApp notes;
  const std::string script = Completion(Shell::kZsh, notes.app());
  EXPECT_THAT(script, HasSubstr("#compdef share-notes\n"));
  EXPECT_THAT(script, HasSubstr("'*--log[Where it'\\''s logged]:FILE:_files' \\\n"));
  EXPECT_THAT(script, HasSubstr("'list:Lists [all] notes: each'\n"));
  const size_t list = script.find("        list)\n");
  const size_t send = script.find("        send-off)\n");
  ASSERT_LT(list, send);
  ASSERT_NE(send, std::string::npos);
  EXPECT_THAT(script.substr(list, send - list),
              AllOf(HasSubstr("'*-s[How]:value:(by-date by-name)' \\\n"),
                    HasSubstr("'1:NOTE:' ;;\n"), Not(HasSubstr("--at"))));
  EXPECT_THAT(
      script.substr(send),
      AllOf(HasSubstr("'*--in[The folder]:DIR:_files'"), HasSubstr("'*--first[Before all]'"),
            HasSubstr("'*--at[Between]:A\\:B:'"), HasSubstr("'1:value:(mail fax)'"),
            HasSubstr("'*:FILE:_files' ;;\n"), Not(HasSubstr("--sort"))));
  EXPECT_THAT(script, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("debug"))));
}

TEST(ProgramCompletion, TellsFishTheOptionsOfEachCommand) {
  const NotesApp notes;
  const std::string script = Completion(Shell::kFish, notes.app());
  const std::string line = "complete -c share-notes -n ";
  EXPECT_THAT(script, HasSubstr(line + "'__fish_use_subcommand' -l log -r -F -d 'Where it\\'s"));
  EXPECT_THAT(script, HasSubstr(line + "__fish_use_subcommand -a list -d 'Lists [all]"));
  EXPECT_THAT(script, HasSubstr(line + "'__fish_seen_subcommand_from list' -s s -l sort -x -a "
                                       "'by-date by-name' -d 'How'\n"));
  EXPECT_THAT(script, HasSubstr(line + "'__fish_seen_subcommand_from send-off' -l at -x -d"));
  EXPECT_THAT(script, HasSubstr(line + "'__fish_seen_subcommand_from send-off; and not "
                                       "__fish_seen_subcommand_from mail fax' -a 'mail fax'\n"));
  EXPECT_THAT(script, HasSubstr(line + "'__fish_seen_subcommand_from send-off' -F\n"));
  EXPECT_THAT(script, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("debug"))));
}

// What bash offers for the last of `words`, which are cut as bash cuts them: "FILES" for its files.
std::string OfferOfBash(const ScratchFolder& folder, const std::string& words) {
  const std::string run =
      "bash --norc -c 'compopt() { COMPREPLY=(FILES); }; . \"$1\"; "
      "COMP_WORDS=(share-notes \"${@:2}\"); COMP_CWORD=$(($# - 1)); _share_notes; "
      "echo -n \"${COMPREPLY[@]}\"' - '" +
      folder.At("script") + "' " + words + " 2>&1";
  FILE* const output = ::popen(run.c_str(), "r");
  if (output == nullptr) return "no shell";
  std::string offer;
  char buffer[512];
  while (std::fgets(buffer, sizeof(buffer), output) != nullptr) offer += buffer;
  ::pclose(output);
  return offer;
}

TEST(ProgramCompletion, CompletesInBash) {
  // The scripts of this project need it, too.
  ASSERT_EQ(std::system("bash -c 'complete -p >/dev/null' 2>/dev/null"), 0) << "there is no bash";
  const NotesApp notes;
  const ScratchFolder folder;
  folder.Write("script", Completion(Shell::kBash, notes.app()));
  const struct {
    const char* name;
    const char* words;
    const char* offer;
  } cases[] = {
      {"the commands", "''", "list send-off"},
      {"the beginning of one", "se", "send-off"},
      {"after a global option", "--log x l", "list"},
      {"after a global option with =", "--log = x l", "list"},
      {"after an URL as a value", "--log http : //x l", "list"},
      {"global options", "-", "-h --help --log"},
      {"files of a global option", "--log ''", "FILES"},
      {"no command twice", "list l", ""},
      {"options of one command", "list --", "--help --sort --sync"},
      {"options of another", "send-off --", "--help --in --first --at"},
      {"words of an option", "list --sort ''", "by-date by-name"},
      {"words of its short name", "list -s by-n", "by-name"},
      {"words after =", "list --sort =", "by-date by-name"},
      {"a word after =", "list --sort = by-d", "by-date"},
      {"a whole word after =", "list --sort=by-d", "by-date"},
      {"not those of another command", "send-off --sort =", ""},
      {"a folder", "send-off --in ''", "FILES"},
      {"a folder after =", "send-off --in = x", "FILES"},
      {"nothing for a text", "list --sync ''", ""},
      {"nothing within an URL", "list --sync http : //x", ""},
      {"the next after an URL", "list --sync http : //x : 80 --so", "--sort"},
      {"the first argument", "send-off ''", "mail fax"},
      {"the first after options", "send-off --first --in x --at 1 : 2 m", "mail"},
      {"the second argument", "send-off mail ''", "FILES"},
      {"the third argument", "send-off mail x ''", "FILES"},
      {"a free argument", "list ''", ""},
      {"an unknown command", "other ''", ""},
      {"an option of an unknown command", "other --", ""},
      {"after --", "-- l", ""},
      {"no hidden command", "debug --", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(OfferOfBash(folder, c.words), c.offer);
  }
}

}  // namespace
}  // namespace cursor_apps
