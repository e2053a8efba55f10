#include "collab/room_agent/trigger.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace cursorwire::room_agent {
namespace {

struct TriggerCase {
  const char* name;
  std::string_view line;
  std::string_view prompt;  // empty: none
  uint32_t at = 0;
};

TEST(Trigger, FindsThePromptOfALine) {
  constexpr TriggerCase kCases[] = {
      {"whole line", "@agent add a test", "add a test", 0},
      {"comment", "  // @agent add a test  ", "add a test", 5},
      {"tab behind the name", "@agent\tdo it", "do it", 0},
      {"colon", "@agent: do it", "do it", 0},
      {"comma", "@agent, do it", "do it", 0},
      {"one mark only", "@agent:, do it", ""},
      {"mark without blank", "@agent:do it", ""},
      {"nothing behind", "@agent", ""},
      {"blanks behind", "@agent   \t", ""},
      {"mark behind", "@agent:", ""},
      {"longer name", "@agent2 do it", ""},
      {"longer name with a sign", "@agent-two do it", ""},
      {"mail address", "x@agent.com do it", ""},
      {"mail address and blank", "x@agent do it", ""},
      {"digit in front", "1@agent do it", ""},
      {"underscore in front", "_@agent do it", ""},
      {"point in front", "a.@agent do it", ""},
      {"minus in front", "-@agent do it", ""},
      {"slash in front", "npm/@agent do it", ""},
      {"two of them", "@@agent do it", ""},
      {"bracket in front", "(@agent do it)", "do it)", 1},
      {"quote in front", "\"@agent do it\"", "do it\"", 1},
      {"letter beyond ASCII in front", "\xc3\xa9@agent do it", ""},
      {"Chinese letter in front", "\xe4\xb8\xad@agent do it", ""},
      {"Chinese point in front", "\xe3\x80\x82@agent do it", "do it", 3},
      {"dash in front", "\xe2\x80\x94@agent do it", "do it", 3},
      {"emoji in front", "\xf0\x9f\x98\x80@agent do it", "do it", 4},
      {"case counts", "@Agent do it", ""},
      {"C comment", "/* @agent do it */", "do it", 3},
      {"HTML comment", "<!-- @agent do it -->", "do it", 5},
      {"closing mark alone", "/* @agent */", ""},
      {"mark within stays", "@agent use */ here", "use */ here", 0},
      {"first one counts", "@agent ask @agent nicely", "ask @agent nicely", 0},
      {"a name that goes on is passed over", "@agents or @agent do it", "do it", 11},
      {"first one is empty", "/* @agent */ @agent do", "*/ @agent do", 3},
      {"carriage return", "@agent do it\r", "do it", 0},
      {"no-break space",
       "@agent\xc2\xa0"
       "do it\xc2\xa0",
       "do it", 0},
      {"empty line", "", ""},
      {"at alone", "@", ""},
  };
  for (const TriggerCase& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::optional<Trigger> trigger = FindTrigger(c.line, "agent");
    ASSERT_EQ(trigger.has_value(), !c.prompt.empty());
    if (!trigger) continue;
    EXPECT_EQ(trigger->prompt, c.prompt);
    EXPECT_EQ(trigger->at, c.at);
  }
}

TEST(Trigger, TakesTheNameAsItIs) {
  EXPECT_EQ(FindTrigger("@J\xc3\xb6rg (bot) go", "J\xc3\xb6rg (bot)")->prompt, "go");
  EXPECT_EQ(FindTrigger("@a.b go", "a.b")->prompt, "go");
  EXPECT_FALSE(FindTrigger("@axb go", "a.b"));
}

TEST(Trigger, WithoutANameFindsNothing) { EXPECT_FALSE(FindTrigger("@ do it", "")); }

TEST(Trigger, CutsALongPromptAtCharacters) {
  std::string line = "@agent ";
  for (size_t i = 0; i < kMaxPromptCharacters + 5; ++i) line += "\xc3\xa9";
  EXPECT_EQ(FindTrigger(line, "agent")->prompt.size(), 2 * kMaxPromptCharacters);
}

TEST(Trigger, LongLineOfAtSigns) {
  EXPECT_FALSE(FindTrigger(std::string(1'000'000, '@'), "agent"));
}

}  // namespace
}  // namespace cursorwire::room_agent
