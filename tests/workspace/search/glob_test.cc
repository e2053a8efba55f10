#include "workspace/search/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/heap_bytes.h"
#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::StatusIs;

TEST(Glob, MatchesAsTheTableSays) {
  const struct {
    const char* pattern;
    const char* path;
    bool matches;
  } kCases[] = {
      // A name at any depth.
      {"a.cc", "a.cc", true},
      {"a.cc", "x/y/a.cc", true},
      {"a.cc", "x/a.cc/y", false},
      {"a.cc", "ba.cc", false},
      {"*.cc", "x/a.cc", true},
      {"*.cc", ".cc", true},
      {"*.cc", "a.ccc", false},
      {"*", "a", true},
      {"*", "a/b", true},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"a*b*c", "a1b2b3c", true},
      {"a*b*c", "a1c2b", false},
      // The whole path.
      {"/a.cc", "a.cc", true},
      {"/a.cc", "x/a.cc", false},
      {"x/*.cc", "x/a.cc", true},
      {"x/*.cc", "y/x/a.cc", false},
      {"x/*.cc", "x/y/a.cc", false},
      {"x?a", "x/a", false},
      {"x*a", "x/a", false},
      {"x[^y]a", "x/a", false},
      {"x[/]a", "x/a", false},
      {"a/b", "a", false},
      {"a/b", "a/b/c", false},
      // Any number of folders.
      {"**/a", "a", true},
      {"**/a", "x/y/a", true},
      {"x/**/a", "x/a", true},
      {"x/**/a", "x/y/z/a", true},
      {"x/**/a", "xa", false},
      {"x/**/a", "x/ya", false},
      {"x/**", "x/a", true},
      {"x/**", "x/y/a", true},
      {"x/**", "x", false},
      {"**", "a", true},
      {"**", "a/b", true},
      {"**/b/**/d", "a/b/c/d", true},
      {"**/b/**/d", "b/x/b/d/c", false},
      {"a**b", "axxb", true},
      {"/a**b", "a/b", false},
      {"a/***/b", "a/x/b", true},
      {"a/***/b", "a/b", false},
      // Brackets.
      {"[abc]", "b", true},
      {"[abc]", "d", false},
      {"[a-c]x", "bx", true},
      {"[!a-c]", "b", false},
      {"[!a-c]", "d", true},
      {"[^a-c]", "d", true},
      {"[]]", "]", true},
      {"[]-a]", "^", true},
      {"[!]]", "]", false},
      {"[!]]", "a", true},
      {"[a-]", "-", true},
      {"[-a]", "-", true},
      {"[\\]]", "]", true},
      {"[\\\\]", "\\", true},
      {"[*]", "*", true},
      {"[*]", "a", false},
      {"[{,}]", ",", true},
      // Escapes.
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"\\a", "a", true},
      {"a\\?", "a?", true},
      {"\\{a,b\\}", "{a,b}", true},
      // Braces.
      {"*.{h,cc}", "x/a.h", true},
      {"*.{h,cc}", "a.cc", true},
      {"*.{h,cc}", "a.c", false},
      {"a{,b}", "a", true},
      {"a{,b}", "ab", true},
      {"{a,b{c,d}}", "bd", true},
      {"{a,x/b}", "y/a", true},
      {"{a,x/b}", "x/b", true},
      {"{a,x/b}", "y/x/b", false},
      {"{a}", "a", true},
      {"a,b}", "a,b}", true},
      // Characters, not bytes.
      {"?", "\xC3\xA4", true},
      {"??", "\xC3\xA4", false},
      {"[\xD0\xB0-\xD1\x8F]", "\xD0\xB6", true},
      {"[\xD0\xB0-\xD1\x8F]", "z", false},
      {"?", "\xFF", true},
      {"\xFF", "\xFF", true},
      {"\xFF", "\xFE", false},
      {"[!a]", "\xFF", true},
      {"\\\xC3\xA4", "\xC3\xA4", true},
      // Case counts.
      {"A", "a", false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.pattern) + " on " + c.path);
    const absl::StatusOr<Glob> glob = Glob::Parse(c.pattern, Glob::Braces::kAlternatives);
    ASSERT_THAT(glob, IsOk());
    EXPECT_EQ(glob->Matches(c.path), c.matches);
  }
}

TEST(Glob, TakesBracesLiterallyWhereTold) {
  const absl::StatusOr<Glob> glob = Glob::Parse("*.{h,cc}", Glob::Braces::kLiteral);
  ASSERT_THAT(glob, IsOk());
  EXPECT_TRUE(glob->Matches("a.{h,cc}"));
  EXPECT_FALSE(glob->Matches("a.h"));
}

TEST(Glob, RefusesWhatIsBroken) {
  const struct {
    const char* name;
    std::string pattern;
  } kCases[] = {
      {"empty", ""},
      {"slash alone", "/"},
      {"open bracket", "[a"},
      {"bracket that closes nothing", "[]"},
      {"open bracket after a range", "[a-"},
      {"range backwards", "[b-a]"},
      {"backslash at the end", "a\\"},
      {"backslash in an open bracket", "[\\"},
      {"open brace", "{a,b"},
      {"open brace within", "{a,{b}"},
      {"braces too deep", std::string(17, '{') + std::string(17, '}')},
      {"too long", std::string(Glob::kMaxBytes + 1, 'a')},
      {"too many alternatives", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"},
      {"alternatives too long", "{a,b}{a,b}{a,b}{a,b}" + std::string(2000, 'a')},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Glob::Parse(c.pattern, Glob::Braces::kAlternatives),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

// Would take longer than the universe has if each star were tried at each place.
TEST(Glob, IsNotSlowedDownByManyStars) {
  std::string stars;
  std::string folders;
  for (int i = 0; i < 400; ++i) {
    stars += "a*";
    folders += "**/a/";
  }
  const absl::StatusOr<Glob> names = Glob::Parse(stars + "b", Glob::Braces::kAlternatives);
  ASSERT_THAT(names, IsOk());
  EXPECT_FALSE(names->Matches(std::string(4000, 'a')));
  const absl::StatusOr<Glob> paths = Glob::Parse(folders + "b", Glob::Braces::kAlternatives);
  ASSERT_THAT(paths, IsOk());
  std::string path;
  for (int i = 0; i < 2000; ++i) path += "a/";
  EXPECT_FALSE(paths->Matches(path + "a"));
  EXPECT_TRUE(paths->Matches(path + "b"));
}

// A stranger's .gitignore may have thousands of them, and searches run side by side.
TEST(Glob, TakesLittleMemoryForEachCharacter) {
  const std::string text(Glob::kMaxBytes - 1, '?');
  const size_t before = test::HeapBytes();
  const absl::StatusOr<Glob> glob = Glob::Parse(text + "x", Glob::Braces::kLiteral);
  ASSERT_THAT(glob, IsOk());
  EXPECT_LT(test::HeapBytes() - before, 10 * text.size());
}

}  // namespace
}  // namespace cursorwire::workspace
