#include "channel/waiting/batch_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::connect::internal {
namespace {

using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::Optional;

constexpr auto kCancelled = absl::StatusCode::kCancelled;

TEST(BatchQueue, KeepsTheOrderOverBatches) {
  BatchQueue<int> queue;
  const Call call;
  queue.Push(1, 1);
  queue.Push(2, 1);
  queue.Flush();
  EXPECT_THAT(queue.Pop(call), Optional(IsOkAndHolds(1)));
  queue.Push(3, 1);
  queue.Flush();
  queue.Push(4, 1);
  queue.Flush();
  queue.Push(5, 1);
  queue.Close(absl::OkStatus());
  for (int expected = 2; expected <= 5; ++expected) {
    EXPECT_THAT(queue.Pop(call), Optional(IsOkAndHolds(expected)));
  }
  EXPECT_EQ(queue.Pop(call), std::nullopt);
  EXPECT_EQ(queue.Pop(call), std::nullopt);
}

TEST(BatchQueue, ClosesEmpty) {
  BatchQueue<int> queue;
  queue.Flush();
  EXPECT_FALSE(queue.ready());
  queue.Close(absl::OkStatus());
  EXPECT_TRUE(queue.ready());
  EXPECT_EQ(queue.Pop(Call()), std::nullopt);
}

TEST(BatchQueue, EndsWithTheErrorOfTheCall) {
  BatchQueue<int> queue;
  queue.Push(1, 0);
  queue.Close(absl::AbortedError("no more"));
  EXPECT_THAT(queue.Pop(Call()), Optional(IsOkAndHolds(1)));
  EXPECT_THAT(queue.Pop(Call()), Optional(StatusIs(absl::StatusCode::kAborted)));
  EXPECT_EQ(queue.Pop(Call()), std::nullopt);
}

TEST(BatchQueue, TellsWhenSomethingIsReady) {
  BatchQueue<int> queue;
  queue.Push(1, 0);
  queue.Push(2, 0);
  EXPECT_FALSE(queue.ready()) << "it was not flushed";
  EXPECT_EQ(queue.TryPop(), std::nullopt);
  queue.Flush();
  EXPECT_TRUE(queue.ready());
  EXPECT_THAT(queue.TryPop(), Optional(IsOkAndHolds(1)));
  EXPECT_TRUE(queue.ready());
  EXPECT_THAT(queue.TryPop(), Optional(IsOkAndHolds(2)));
  EXPECT_FALSE(queue.ready());
}

TEST(BatchQueue, DropsWhatWaitsWithAnErrorInItsPlace) {
  BatchQueue<int> queue;
  for (int i = 0; i < 4; ++i) queue.Push(i, 0);
  queue.Flush();
  EXPECT_THAT(queue.Pop(Call()), Optional(IsOkAndHolds(0)));
  queue.Push(4, 0);
  queue.Drop();
  EXPECT_TRUE(queue.ready());
  EXPECT_THAT(queue.Pop(Call()), Optional(StatusIs(kCancelled)));
  EXPECT_EQ(queue.Pop(Call()), std::nullopt);
  queue.Close(absl::AbortedError("later"));
  EXPECT_EQ(queue.Pop(Call()), std::nullopt);
}

TEST(BatchQueue, TellsADroppedConsumerHowTheCallEnded) {
  BatchQueue<int> failed;
  failed.Push(1, 0);
  failed.Close(absl::AbortedError("before"));
  failed.Drop();
  EXPECT_THAT(failed.Pop(Call()), Optional(StatusIs(absl::StatusCode::kAborted)));
  EXPECT_EQ(failed.Pop(Call()), std::nullopt);

  BatchQueue<int> not_read;  // an answer without its end would look whole
  not_read.Push(1, 0);
  not_read.Close(absl::OkStatus());
  not_read.Drop();
  EXPECT_THAT(not_read.Pop(Call()), Optional(StatusIs(kCancelled)));
  EXPECT_EQ(not_read.Pop(Call()), std::nullopt);

  BatchQueue<int> read;
  read.Push(1, 0);
  read.Close(absl::OkStatus());
  EXPECT_THAT(read.Pop(Call()), Optional(IsOkAndHolds(1)));
  read.Drop();
  EXPECT_EQ(read.Pop(Call()), std::nullopt);
}

TEST(BatchQueue, HoldsValuesThatOnlyMove) {
  BatchQueue<std::unique_ptr<int>> queue;
  queue.Push(std::make_unique<int>(7), 0);
  queue.Close(absl::OkStatus());
  const auto element = queue.Pop(Call());
  ASSERT_TRUE(element.has_value() && element->ok());
  EXPECT_EQ(***element, 7);
}

TEST(BatchQueue, DestroysWhatWasNotPopped) {
  const auto element = std::make_shared<int>(1);
  {
    BatchQueue<std::shared_ptr<int>> queue;
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

TEST(BatchQueue, WakesAConsumerThatWaits) {
  BatchQueue<int> closed;
  auto consumer = std::async(std::launch::async, [&] { return closed.Pop(Call()); });
  closed.Close(absl::OkStatus());
  EXPECT_EQ(test::WaitFor(consumer), std::nullopt);

  BatchQueue<int> dropped;
  consumer = std::async(std::launch::async, [&] { return dropped.Pop(Call()); });
  dropped.Drop();
  EXPECT_THAT(test::WaitFor(consumer), Optional(StatusIs(kCancelled)));
}

TEST(BatchQueue, JoinsAProducerAndAConsumer) {
  constexpr int kElements = 50'000;
  BatchQueue<int> queue;
  std::thread consumer([&] {
    const Call call;
    for (int expected = 0; expected < kElements; ++expected) {
      const std::optional<absl::StatusOr<int>> element = queue.Pop(call);
      if (!element || !element->ok() || **element != expected) {
        ADD_FAILURE() << "not element " << expected;
        return;
      }
    }
    EXPECT_EQ(queue.Pop(call), std::nullopt);
  });
  for (int i = 0; i < kElements; ++i) {
    queue.Push(i, 1);
    if (i % 7 == 0) queue.Flush();
  }
  queue.Close(absl::OkStatus());
  consumer.join();
}

}  // namespace
}  // namespace cursorwire::connect::internal
