#include "base/fifo.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace cursorwire {
namespace {

TEST(Fifo, GivesWhatWasPutInOrder) {
  Fifo<std::unique_ptr<int>> fifo;
  EXPECT_TRUE(fifo.empty());
  fifo.emplace_back(std::make_unique<int>(1));
  fifo.emplace_back(std::make_unique<int>(2));
  ASSERT_EQ(fifo.size(), 2u);
  EXPECT_EQ(*fifo.front(), 1);
  fifo.pop_front();
  EXPECT_EQ(*fifo.front(), 2);
  fifo.pop_front();
  EXPECT_TRUE(fifo.empty());
}

TEST(Fifo, DoesAsADequeDoes) {
  std::mt19937 random(1);  // NOLINT: the same each time
  Fifo<int> fifo;
  std::deque<int> deque;
  for (int i = 0; i < 100'000; ++i) {
    // Grows for a while, then shrinks.
    const bool puts = random() % 100 < (i / 10'000 % 2 == 0 ? 55u : 45u);
    if (puts) {
      fifo.emplace_back(i);
      deque.push_back(i);
    } else if (!deque.empty()) {
      ASSERT_EQ(fifo.front(), deque.front());
      fifo.pop_front();
      deque.pop_front();
    }
    ASSERT_EQ(fifo.size(), deque.size());
  }
}

TEST(Fifo, TakesValuesToTheFrontAndDropsSome) {
  Fifo<int> fifo;
  fifo.emplace_front(3);
  fifo.emplace_back(4);
  fifo.emplace_front(2);
  fifo.pop_front();
  fifo.emplace_front(1);
  fifo.emplace_back(5);
  fifo.erase_if([](int value) { return value % 2 == 0; });
  std::vector<int> left;
  for (; !fifo.empty(); fifo.pop_front()) left.push_back(fifo.front());
  EXPECT_EQ(left, (std::vector<int>{1, 3, 5}));
  fifo.emplace_back(6);
  fifo.erase_if([](int) { return true; });
  EXPECT_TRUE(fifo.empty());
}

// A reader that is always one behind must not make it grow.
TEST(Fifo, LetsGoOfWhatWasTaken) {
  const auto shared = std::make_shared<int>(0);
  Fifo<std::shared_ptr<int>> fifo;
  fifo.emplace_back(shared);
  for (int i = 0; i < 10'000; ++i) {
    fifo.emplace_back(shared);
    fifo.pop_front();
    ASSERT_LE(shared.use_count(), 10);
  }
}

}  // namespace
}  // namespace cursorwire
