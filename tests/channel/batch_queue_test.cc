#include "channel/batch_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace cursorwire::connect {
namespace {

constexpr size_t kQueueWindow = 1000;

TEST(BatchQueue, KeepsTheOrderOverBatches) {
  BatchQueue<int> queue(kQueueWindow);
  const Call call;
  queue.Push(1, 1);
  queue.Push(2, 1);
  queue.Flush();
  EXPECT_EQ(queue.Pop(call), 1);
  queue.Push(3, 1);
  queue.Flush();
  queue.Push(4, 1);
  queue.Flush();
  queue.Push(5, 1);
  queue.Close();
  for (int expected = 2; expected <= 5; ++expected) EXPECT_EQ(queue.Pop(call), expected);
  EXPECT_EQ(queue.Pop(call), std::nullopt);
  EXPECT_EQ(queue.Pop(call), std::nullopt);
}

TEST(BatchQueue, ClosesEmpty) {
  BatchQueue<int> queue(kQueueWindow);
  queue.Flush();
  queue.Close();
  EXPECT_EQ(queue.Pop(Call()), std::nullopt);
}

TEST(BatchQueue, HoldsElementsThatOnlyMove) {
  BatchQueue<std::unique_ptr<int>> queue(kQueueWindow);
  queue.Push(std::make_unique<int>(7), 0);
  queue.Close();
  const auto element = queue.Pop(Call());
  ASSERT_TRUE(element.has_value());
  EXPECT_EQ(**element, 7);
}

TEST(BatchQueue, DestroysWhatWasNotPopped) {
  const auto element = std::make_shared<int>(1);
  {
    BatchQueue<std::shared_ptr<int>> queue(kQueueWindow);
    for (int i = 0; i < 3; ++i) queue.Push(element, 0);
    queue.Flush();
    EXPECT_TRUE(queue.Pop(Call()).has_value());
    queue.Push(element, 0);
    queue.Flush();
    queue.Push(element, 0);
    EXPECT_GT(element.use_count(), 1);
  }
  EXPECT_EQ(element.use_count(), 1);
}

TEST(BatchQueue, CloseWakesAConsumerThatWaits) {
  BatchQueue<int> queue(kQueueWindow);
  std::thread consumer([&] { EXPECT_EQ(queue.Pop(Call()), std::nullopt); });
  queue.Close();
  consumer.join();
}

TEST(BatchQueue, JoinsAProducerAndAConsumer) {
  constexpr int kElements = 50'000;
  BatchQueue<int> queue(kQueueWindow);
  std::thread consumer([&] {
    const Call call;
    for (int expected = 0; expected < kElements; ++expected) {
      const std::optional<int> element = queue.Pop(call);
      if (element != expected) {
        ADD_FAILURE() << "element " << element.value_or(-1) << " instead of " << expected;
        return;
      }
    }
    EXPECT_EQ(queue.Pop(call), std::nullopt);
  });
  for (int i = 0; i < kElements; ++i) {
    queue.Push(i, 1);
    if (i % 7 == 0) queue.Flush();
  }
  queue.Close();
  consumer.join();
}

}  // namespace
}  // namespace cursorwire::connect
