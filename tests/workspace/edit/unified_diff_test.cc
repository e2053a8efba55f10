#include "workspace/edit/unified_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "workspace/edit/line_edits.h"

namespace cursorwire::workspace {
namespace {

using ::testing::Optional;

std::string Diff(std::string_view old_text, std::string_view new_text) {
  return UnifiedDiff({.name = "a", .text = old_text}, {.name = "b", .text = new_text})
      .value_or("too large");
}

// What patch(1) would make of `old_text`; "bad hunk" if the diff does not fit it.
class Patch {
 public:
  Patch(std::string_view old_text, std::string_view diff)
      : old_(SplitLines(old_text)), diff_(SplitLines(diff)) {}

  std::string Apply() {
    for (size_t i = 2; i < diff_.size(); ++i) {  // after the two lines with names
      if (!Line(i)) return "bad hunk";
    }
    while (at_ < old_.size()) result_ += old_[at_++];
    return result_;
  }

 private:
  bool Line(size_t i) {
    const std::string_view line = diff_[i];
    if (line.starts_with("@@ -")) return Hunk(std::string(line.substr(4)));
    if (line.starts_with('\\')) return true;
    std::string text(line.substr(1));
    const bool cut = i + 1 < diff_.size() && diff_[i + 1].starts_with('\\');
    if (cut) text.pop_back();
    if (line.front() != '+' && (at_ >= old_.size() || old_[at_++] != text)) return false;
    if (line.front() != '-') result_ += text;
    return true;
  }

  bool Hunk(const std::string& numbers) {
    char* end = nullptr;
    size_t first = std::strtoul(numbers.c_str(), &end, 10);
    const bool none = *end == ',' && std::strtoul(end + 1, nullptr, 10) == 0;
    if (!none) --first;
    if (first < at_ || first > old_.size()) return false;
    while (at_ < first) result_ += old_[at_++];
    return true;
  }

  const std::vector<std::string_view> old_;
  const std::vector<std::string_view> diff_;
  size_t at_ = 0;
  std::string result_;
};

TEST(UnifiedDiff, LooksLikeThatOfDiff) {
  const std::string old_text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
  const struct {
    const char* name;
    std::string old_text;
    std::string new_text;
    std::string diff;
  } cases[] = {
      {"nothing", "a\n", "a\n", ""},
      {"new", "", "a\nb\n", "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
      {"emptied", "a\n", "", "--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n"},
      {"one line", "a\n", "b\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"},
      {"no newline before", "a", "a\n",
       "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
      {"no newline in context", "a\nb", "x\na\nb",
       "--- a\n+++ b\n@@ -1,2 +1,3 @@\n+x\n a\n b\n\\ No newline at end of file\n"},
      {"context", old_text, "1\n2\n3\n4\n5\nsix\n7\n8\n9\n10\n11\n12\n",
       "--- a\n+++ b\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n"},
      {"two hunks", old_text, "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n",
       "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n"
       "@@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12\n+twelve\n"},
      {"one hunk", old_text, "1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n10\n11\n12\n",
       "--- a\n+++ b\n@@ -1,12 +1,12 @@\n 1\n-2\n+two\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n+nine\n 10\n "
       "11\n "
       "12\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Diff(c.old_text, c.new_text), c.diff);
  }
}

TEST(UnifiedDiff, MakesTheNewTextOfTheOld) {
  std::mt19937 random(20240229);  // NOLINT(cert-msc51-cpp): the same texts each time
  const auto below = [&](uint32_t bound) { return static_cast<uint32_t>(random()) % bound; };
  for (int round = 0; round < 3000; ++round) {
    const uint32_t alphabet = 1 + below(8);
    const auto line = [&] { return std::string(1, static_cast<char>('a' + below(alphabet))); };
    std::string old_text;
    std::string new_text;
    for (uint32_t i = below(40); i > 0; --i) {
      const std::string text = line() + "\n";
      const uint32_t fate = below(8);
      if (fate != 0) old_text += text;
      if (fate != 1) new_text += text;
      if (fate == 2) new_text += line() + "\n";
    }
    if (below(3) == 0) old_text += line();
    if (below(3) == 0) new_text += line();
    const std::string diff = Diff(old_text, new_text);
    ASSERT_EQ(Patch(old_text, diff).Apply(), new_text) << "round " << round << "\n" << diff;
  }
}

TEST(UnifiedDiff, ReplacesAllWhereTooMuchDiffers) {
  std::string old_text;
  std::string new_text;
  for (int i = 0; i < 5000; ++i) {
    old_text += "old " + std::to_string(i) + "\n\n";
    new_text += "new " + std::to_string(i) + "\n\n";
  }
  const std::string diff = Diff(old_text, new_text);
  EXPECT_THAT(diff, testing::StartsWith("--- a\n+++ b\n@@ -1,10000 +1,10000 @@\n-old 0\n"));
  EXPECT_EQ(Patch(old_text, diff).Apply(), new_text);
}

TEST(UnifiedDiff, ShowsAFileThatDoesNotExistAsDevNull) {
  EXPECT_THAT(UnifiedDiff({}, {.name = "/b\n\x1B[2J", .text = "x\n"}),
              Optional(std::string("--- /dev/null\n+++ /b??[2J\n@@ -0,0 +1 @@\n+x\n")));
}

TEST(UnifiedDiff, IsLeftOutIfItIsTooLargeToRead) {
  const std::string long_line(2'000'000, 'x');
  EXPECT_EQ(Diff("", long_line), "too large");
  EXPECT_EQ(Diff("", std::string(200'000, '\n')), "too large");
  EXPECT_NE(Diff("", std::string(199'999, '\n')), "too large");
  // What does not change does not count.
  EXPECT_NE(Diff("a\nb\nc\nd\ne\n" + long_line, "1\nb\nc\nd\ne\n" + long_line), "too large");
}

}  // namespace
}  // namespace cursorwire::workspace
