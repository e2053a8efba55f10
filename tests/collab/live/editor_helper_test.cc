#include "cursorwire/collab/editor_helper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using test::IsOk;
using test::kPatience;

TEST(EditorHelper, StopDropsLinesThatNobodyHasReadAnswersOf) {
  std::promise<void> told;
  std::promise<void> released;
  std::promise<void> ended;
  std::vector<std::string> lines;  // of the helper's thread until it has ended
  auto helper = EditorHelper::Start({.on_line =
                                         [&](std::string line) {
                                           lines.push_back(std::move(line));
                                           if (lines.size() > 1) return;
                                           told.set_value();
                                           released.get_future().wait();
                                         },
                                     .on_end = [&] { ended.set_value(); }});
  ASSERT_THAT(helper, IsOk());
  (*helper)->OnLine("no JSON");
  ASSERT_EQ(told.get_future().wait_for(kPatience), std::future_status::ready);
  for (int i = 0; i < 100; ++i) (*helper)->OnLine("no JSON either");
  (*helper)->Stop();
  released.set_value();
  ASSERT_EQ(ended.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_THAT(lines, testing::SizeIs(1));
}

TEST(EditorHelper, TheEndOfTheInputDropsNothing) {
  std::promise<void> ended;
  std::vector<std::string> lines;
  auto helper =
      EditorHelper::Start({.on_line = [&](std::string line) { lines.push_back(std::move(line)); },
                           .on_end = [&] { ended.set_value(); }});
  ASSERT_THAT(helper, IsOk());
  for (int i = 0; i < 100; ++i) (*helper)->OnLine("no JSON");
  (*helper)->OnInputEnd();
  ASSERT_EQ(ended.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_THAT(lines, testing::SizeIs(100));
}

}  // namespace
}  // namespace cursorwire::collab
