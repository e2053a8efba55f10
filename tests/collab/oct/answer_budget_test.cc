#include "collab/oct/answer_budget.h"

#include <gtest/gtest.h>

#include <chrono>

#include "collab/oct/refusal_counts.h"

namespace cursorwire::oct {
namespace {

TEST(AnswerBudget, HasABoundOnAnswersAndBytesOfAWindow) {
  AnswerBudget::TimePoint now{std::chrono::hours(1)};
  AnswerBudget budget(3, 100);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.Take(now));
  EXPECT_FALSE(budget.Take(now));
  EXPECT_FALSE(budget.Take(now + AnswerBudget::kWindow - std::chrono::milliseconds(1)));
  now += AnswerBudget::kWindow;
  EXPECT_TRUE(budget.Take(now));
  budget.Spend(99);
  EXPECT_TRUE(budget.Take(now));
  budget.Spend(1);
  EXPECT_FALSE(budget.Take(now));
}

TEST(RefusalCounts, TellsOfTheFirstAndThenOfEachTenfoldCount) {
  RefusalCounts counts;
  for (uint64_t i = 1; i <= 12345; ++i) {
    const bool is_told = i <= 10 || i == 100 || i == 1000 || i == 10000;
    ASSERT_EQ(counts.IsWorthTelling(Refusal::kMalformed), is_told) << i;
  }
  EXPECT_EQ(counts.count(Refusal::kMalformed), 12345u);
}

TEST(RefusalCounts, TellsOfUndecipherableMessagesFromTheTenthOn) {
  RefusalCounts counts;
  for (uint64_t i = 1; i <= 1000; ++i) {
    const bool is_told = i == 10 || i == 100 || i == 1000;
    ASSERT_EQ(counts.IsWorthTelling(Refusal::kUndecipherable), is_told) << i;
  }
  EXPECT_TRUE(counts.IsWorthTelling(Refusal::kTooLong)) << "each kind by itself";
}

}  // namespace
}  // namespace cursorwire::oct
