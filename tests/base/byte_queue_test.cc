#include "base/byte_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace cursorwire {
namespace {

TEST(ByteQueue, StartsEmpty) {
  const ByteQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.view(), "");
}

TEST(ByteQueue, GivesBytesInTheOrderTheyWereAppended) {
  ByteQueue queue;
  queue.Append(std::string_view("abc"));
  queue.Append(std::string_view("de"));
  EXPECT_EQ(queue.view(), "abcde");
  queue.Consume(2);
  EXPECT_EQ(queue.view(), "cde");
  EXPECT_EQ(queue.size(), 3u);
  queue.Append(std::string_view("f"));
  EXPECT_EQ(queue.view(), "cdef");
  queue.Consume(4);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.view(), "");
}

TEST(ByteQueue, KeepsZeroBytes) {
  ByteQueue queue;
  queue.Append(std::string_view("\0a\0", 3));
  EXPECT_EQ(queue.view(), std::string_view("\0a\0", 3));
}

TEST(ByteQueue, TakesOverAStringOnlyWhenEmpty) {
  ByteQueue queue;
  std::string first(1000, 'a');
  const char* const data = first.data();
  queue.Append(std::move(first));
  EXPECT_EQ(queue.view().data(), data);

  queue.Append(std::string("bb"));
  EXPECT_EQ(queue.view(), std::string(1000, 'a') + "bb");
}

TEST(ByteQueue, TakesOverAStringAfterItWasDrained) {
  ByteQueue queue;
  queue.Append(std::string_view("abc"));
  queue.Consume(3);
  queue.Append(std::string("defg"));
  EXPECT_EQ(queue.view(), "defg");
  queue.Consume(1);
  EXPECT_EQ(queue.view(), "efg");
}

TEST(ByteQueue, ClearDropsEverything) {
  ByteQueue queue;
  queue.Append(std::string_view("abc"));
  queue.Consume(1);
  queue.Clear();
  EXPECT_TRUE(queue.empty());
  queue.Append(std::string_view("xy"));
  EXPECT_EQ(queue.view(), "xy");
}

TEST(ByteQueue, ConsumingNothingChangesNothing) {
  ByteQueue queue;
  queue.Consume(0);
  EXPECT_TRUE(queue.empty());
  queue.Append(std::string_view("a"));
  queue.Consume(0);
  EXPECT_EQ(queue.view(), "a");
}

// Against the plainest implementation there is, over many interleavings.
TEST(ByteQueue, AgreesWithAPlainString) {
  ByteQueue queue;
  std::string model;
  uint32_t state = 1;
  const auto random = [&](uint32_t bound) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % bound;
  };
  char next = 0;
  for (int step = 0; step < 20000; ++step) {
    std::string piece(random(40), '\0');
    for (char& c : piece) c = next++;
    model += piece;
    if (random(2) == 0) {
      queue.Append(std::string_view(piece));
    } else {
      queue.Append(std::move(piece));
    }
    const size_t count = random(static_cast<uint32_t>(std::min<size_t>(model.size(), 60)) + 1);
    queue.Consume(count);
    model.erase(0, count);
    ASSERT_EQ(queue.view(), model) << "step " << step;
    ASSERT_EQ(queue.size(), model.size());
  }
}

}  // namespace
}  // namespace cursorwire
