#include "workspace/search/ignore_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::StatusIs;

constexpr bool kFolder = true;
constexpr bool kFile = false;

TEST(IgnoreRules, FollowGitignore) {
  const struct {
    const char* name;
    std::string_view text;
    const char* path;
    bool is_folder;
    Verdict verdict;
  } kCases[] = {
      {"name", "a", "a", kFile, Verdict::kIgnore},
      {"name, deep", "a", "x/y/a", kFile, Verdict::kIgnore},
      {"other name", "a", "b", kFile, Verdict::kNone},
      {"at the start", "/a", "a", kFile, Verdict::kIgnore},
      {"at the start alone", "/a", "x/a", kFile, Verdict::kNone},
      {"slash in the middle", "x/a", "x/a", kFile, Verdict::kIgnore},
      {"slash in the middle is anchored", "x/a", "y/x/a", kFile, Verdict::kNone},
      {"folder", "a/", "a", kFolder, Verdict::kIgnore},
      {"folder, deep", "a/", "x/a", kFolder, Verdict::kIgnore},
      {"folder is no file", "a/", "a", kFile, Verdict::kNone},
      {"anchored folder", "/a/", "x/a", kFolder, Verdict::kNone},
      {"extension", "*.o", "x/a.o", kFile, Verdict::kIgnore},
      {"any depth", "**/a/b", "x/a/b", kFile, Verdict::kIgnore},
      {"all below", "a/**", "a/x/y", kFile, Verdict::kIgnore},
      {"all below, not itself", "a/**", "a", kFolder, Verdict::kNone},
      {"any depth between", "a/**/b", "a/x/y/b", kFile, Verdict::kIgnore},
      {"none between", "a/**/b", "a/b", kFile, Verdict::kIgnore},
      {"kept", "*.o\n!a.o", "a.o", kFile, Verdict::kKeep},
      {"not kept", "*.o\n!a.o", "b.o", kFile, Verdict::kIgnore},
      {"the last one decides", "!a.o\n*.o", "a.o", kFile, Verdict::kIgnore},
      {"kept folder", "*\n!*/", "x", kFolder, Verdict::kKeep},
      {"file beside a kept folder", "*\n!*/", "x", kFile, Verdict::kIgnore},
      {"comment", "#a", "#a", kFile, Verdict::kNone},
      {"escaped hash", "\\#a", "#a", kFile, Verdict::kIgnore},
      {"escaped exclamation mark", "\\!a", "!a", kFile, Verdict::kIgnore},
      {"spaces at the end", "a  ", "a", kFile, Verdict::kIgnore},
      {"escaped space at the end", "a\\ ", "a ", kFile, Verdict::kIgnore},
      {"escaped backslash, then a space", "a\\\\ ", "a\\", kFile, Verdict::kIgnore},
      {"space within", "a b", "a b", kFile, Verdict::kIgnore},
      {"CRLF", "a\r\nb\r\n", "a", kFile, Verdict::kIgnore},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "a",
       "a", kFile, Verdict::kIgnore},
      {"empty lines", "\n\na\n\n", "a", kFile, Verdict::kIgnore},
      {"no newline at the end", "b\na", "a", kFile, Verdict::kIgnore},
      {"slash alone", "/", "a", kFolder, Verdict::kNone},
      {"exclamation mark alone", "!", "a", kFile, Verdict::kNone},
      {"broken line", "[a\na", "a", kFile, Verdict::kIgnore},
      {"open bracket matches nothing", "[a", "[a", kFile, Verdict::kNone},
      {"braces are themselves", "{a,b}", "a", kFile, Verdict::kNone},
      {"braces are themselves, matched", "{a,b}", "{a,b}", kFile, Verdict::kIgnore},
      {"bytes that are no UTF-8", "\xFF*",
       "\xFF"
       "a",
       kFile, Verdict::kIgnore},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(IgnoreRules::OfGitignore(c.text).Check(c.path, c.is_folder), c.verdict);
  }
}

TEST(IgnoreRules, AddTakesBracesAndSaysWhatIsBroken) {
  IgnoreRules rules;
  EXPECT_TRUE(rules.empty());
  EXPECT_THAT(rules.Add("*.{o,a}", Glob::Braces::kAlternatives), IsOk());
  EXPECT_FALSE(rules.empty());
  EXPECT_EQ(rules.Check("x/lib.a", kFile), Verdict::kIgnore);
  EXPECT_THAT(rules.Add("[", Glob::Braces::kAlternatives),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::workspace
