#include "terminal_session/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_folder.h"

namespace cursor_chat {
namespace {

using cursorwire::RuleUse;
using ::testing::SizeIs;

TEST(ReadRuleFiles, AlwaysApply) {
  const cursorwire::test::ScratchFolder scratch;
  const std::string file = scratch.path() + "/r.mdc";
  std::ofstream(file) << "---\nglobs: *.cc\n---\nX";
  const auto rules = ReadRuleFiles({file});
  ASSERT_TRUE(rules.ok()) << rules.status();
  ASSERT_THAT(*rules, SizeIs(1));
  EXPECT_EQ((*rules)[0].use, RuleUse::kAlways);
  EXPECT_EQ((*rules)[0].content, "X");
  EXPECT_EQ(ReadRuleFiles({scratch.path() + "/none"}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace cursor_chat
