// Many calls at once, and many bytes in bounded memory.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "interop/interop.h"
#include "support/heap_bytes.h"
#include "support/sizes.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using test::kMiB;

class InteropLoad : public Interop {};

using Talk = connect::TypedStream<pb::TalkRequest, pb::TalkResponse>;

TEST_P(InteropLoad, HasAThousandStreamsOpenAtOnce) {
  std::vector<Talk> talks;
  for (int i = 0; i < 1000; ++i) {
    talks.push_back(connect::OpenStream(channel_, kTalk));
    pb::TalkRequest request;
    request.set_number(i);
    ASSERT_THAT(talks.back().Send(request), IsOk());
  }
  for (int i = 0; i < 1000; ++i) {
    const auto answer = talks[static_cast<size_t>(i)].Next();
    ASSERT_TRUE(answer.has_value());
    ASSERT_THAT(*answer, IsOk());
    EXPECT_EQ((*answer)->number(), i);
  }
  // Each has been answered and none has ended: the server has them all.
  for (Talk& talk : talks) talk.CloseSend();
  for (Talk& talk : talks) EXPECT_FALSE(talk.Next().has_value());
}

TEST_P(InteropLoad, CarriesAHundredMebibytesBothWaysInBoundedMemory) {
  constexpr int kMessages = 100;
  const size_t heap_before = HeapBytes();
  size_t heap_peak = heap_before;
  Talk talk = connect::OpenStream(channel_, kTalk);
  std::jthread sender([&talk] {
    pb::TalkRequest request;
    request.set_data(std::string(kMiB, 'x'));
    for (int i = 0; i < kMessages; ++i) {
      request.set_number(i);
      if (!talk.Send(request).ok()) return;  // the receiver sees why
    }
    talk.CloseSend();
  });
  int count = 0;
  while (const auto message = talk.Next()) {
    ASSERT_THAT(*message, IsOk());
    EXPECT_EQ((*message)->number(), count++);
    EXPECT_EQ((*message)->data().size(), kMiB);
    heap_peak = std::max(heap_peak, HeapBytes());
  }
  EXPECT_EQ(count, kMessages);
  // Some messages of each: unsent, in the window, being decoded and encoded.
  EXPECT_LT(heap_peak - heap_before, 20 * kMiB);
}

TEST_P(InteropLoad, MakesThousandsOfCallsFromSeveralThreads) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < 250; ++i) {
        pb::EchoRequest request;
        request.set_text(std::to_string(thread) + "/" + std::to_string(i));
        const auto reply = connect::Unary(channel_, kEcho, request);
        ASSERT_THAT(reply, IsOk());
        ASSERT_EQ(reply->message.text(), request.text());
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(, InteropLoad, testing::Values(Transport::kTls, Transport::kH2c),
                         TransportName);

}  // namespace
}  // namespace cursorwire::test
