// What a delta takes in a Run over a Connection, in memory, whatever the machine is busy with. The
// server's share is left out.
#include <gtest/gtest.h>

#include <functional>

#include "cost/cost.h"
#include "memory_turn.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

constexpr Budget kRunBudget{.what = "`Run` over a `Connection`",
                            .allocations = 2,
                            .allocated_bytes = 200,
                            .copied_bytes = 275};

Cost CostOfTurn(size_t texts) {
  Cost cost;
  bench::MemoryTurn turn({}, texts, kDeltaBytes, [&cost](const std::function<void()>& work) {
    const Cost before = Cost::Now();
    work();
    cost = cost.Plus(Cost::Now().Minus(before));
  });
  EXPECT_THAT(turn.Play(), IsOk());
  return cost;
}

TEST(CostOfARun, StaysWithinItsBudgetForADelta) {
  constexpr size_t kTexts = 2000;
  CostOfTurn(1);  // what is made once
  const Cost start = CostOfTurn(kTexts);
  ExpectWithin(CostOfTurn(2 * kTexts).Minus(start).By(kTexts), kRunBudget);
}

TEST(CostOfARun, HasItsBudgetWrittenDown) { ExpectWrittenDown(kRunBudget); }

}  // namespace
}  // namespace cursorwire::test
