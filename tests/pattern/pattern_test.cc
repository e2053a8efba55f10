#include "pattern/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

bool Matches(const std::string& pattern, std::string_view text, Pattern::Options options = {}) {
  const absl::StatusOr<Pattern> compiled = Pattern::Compile(pattern, options);
  EXPECT_THAT(compiled, IsOk());
  return compiled.ok() && compiled->Matches(text);
}

TEST(Pattern, MatchesAnywhere) {
  EXPECT_TRUE(Matches("b+", "abbc"));
  EXPECT_FALSE(Matches("^b", "ab"));
  EXPECT_TRUE(Matches("b$", "ab"));
  EXPECT_FALSE(Matches("B", "ab"));
  EXPECT_TRUE(Matches("B|\xC3\x84", "\xC3\xA4", {.case_insensitive = true}));
  EXPECT_TRUE(Matches("^$", ""));
}

TEST(Pattern, SpansLinesWhereTold) {
  EXPECT_FALSE(Matches("a.b", "a\nb"));
  EXPECT_TRUE(Matches("a.b", "a\nb", {.multiline = true}));
  EXPECT_TRUE(Matches("^b$", "a\nb\nc", {.multiline = true}));
}

TEST(Pattern, FindsTheFirstMatchFromAPlaceOn) {
  const absl::StatusOr<Pattern> pattern = Pattern::Compile("\\bx", {});
  ASSERT_THAT(pattern, IsOk());
  const std::string_view text = "xx ax x";
  const auto begin_from = [&](size_t from) {
    const std::optional<Pattern::Span> span = pattern->Find(text, from);
    return span ? static_cast<int>(span->begin) : -1;
  };
  EXPECT_EQ(begin_from(0), 0);
  EXPECT_EQ(begin_from(1), 6);  // what is before the place counts for \b
  EXPECT_EQ(begin_from(7), -1);
}

TEST(Pattern, IsForShorterTextsTheMoreComplexItIs) {
  const absl::StatusOr<Pattern> simple = Pattern::Compile("error: .*[0-9]+", {});
  const absl::StatusOr<Pattern> complex = Pattern::Compile("a[ab]{900}b{900}", {});
  ASSERT_THAT(simple, IsOk());
  ASSERT_THAT(complex, IsOk());
  EXPECT_GT(simple->max_text_bytes(), size_t{8} << 20);
  EXPECT_GT(complex->max_text_bytes(), size_t{64} << 10);
  EXPECT_LT(complex->max_text_bytes(), size_t{1} << 20);
}

TEST(Pattern, SaysWhatIsWrong) {
  EXPECT_THAT(Pattern::Compile("a(", {}), StatusIs(kInvalidArgument, HasSubstr("missing )")));
  EXPECT_THAT(Pattern::Compile("a)|(b", {.multiline = true}), StatusIs(kInvalidArgument));
  EXPECT_THAT(Pattern::Compile("(?=a)", {}), StatusIs(kInvalidArgument, HasSubstr("(?=")));
  EXPECT_THAT(Pattern::Compile("(a)\\1", {}), StatusIs(kInvalidArgument));
  EXPECT_THAT(Pattern::Compile("\xFF", {}), StatusIs(kInvalidArgument));
  EXPECT_THAT(Pattern::Compile(std::string(Pattern::kMaxBytes + 1, 'a'), {}),
              StatusIs(kInvalidArgument, HasSubstr("4096")));
  EXPECT_THAT(Pattern::Compile("((a{0,100}){0,10}){0,10}", {}), StatusIs(kInvalidArgument));
  EXPECT_THAT(Pattern::Compile("(abcde?){1000}", {}),
              StatusIs(kInvalidArgument, HasSubstr("too complex")));
}

}  // namespace
}  // namespace cursorwire
