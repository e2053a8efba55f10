// Messages of next to nothing: what it takes to hold them counts, not what came.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "support/heap_bytes.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using namespace std::chrono_literals;
using test::Exchange;
using test::HeapBytes;
using test::IsOk;
using test::TestServer;

constexpr size_t kSmallWindow = size_t{1024} * 1024;
constexpr size_t kEmptyMessages = kSmallWindow / 5;
constexpr int kEmptyStreams = 2;
// The most that a stream holds: the bytes of a window in a buffer that has grown to twice that, and
// messages of one window.
constexpr size_t kMostBytes = 4 * kSmallWindow;

test::Behaviour SendEmptyMessages() {
  return {.on_headers = [](Exchange& exchange) {
    exchange.SendHeaders({{":status", "200"}, {"content-type", "application/connect+proto"}});
    exchange.SendBody(std::string(5 * kEmptyMessages, '\0'));
  }};
}

// The server has sent all, and the client has it: what it sent later is there.
void AwaitAll(const TestServer& server, const Channel& channel) {
  ASSERT_TRUE(server.Await(
      [](const auto& stats) { return stats.sent_bytes >= kEmptyStreams * 5 * kEmptyMessages; }));
  EXPECT_THAT(channel.Unary("/unary", "hi", {.timeout = 60s}), IsOk());
}

TEST(SmallMessagesOfAChannel, TakeLittleMemoryWhileNobodyReadsTheStreams) {
  const TestServer server(
      {.routes = {{"/empty", SendEmptyMessages()}, {"/unary", test::EchoUnary()}}});
  const Channel channel = server.Connect();
  EXPECT_THAT(channel.Unary("/unary", "hi", {.timeout = 60s}), IsOk());
  const size_t before = HeapBytes();
  std::vector<Stream> streams;
  for (int i = 0; i < kEmptyStreams; ++i) streams.push_back(channel.OpenStream("/empty"));
  AwaitAll(server, channel);
  EXPECT_LT((HeapBytes() - before) / kEmptyStreams, kMostBytes);
  for (Stream& stream : streams) {
    for (size_t i = 0; i < kEmptyMessages; ++i) {
      const auto message = stream.Next();
      ASSERT_TRUE(message && message->ok()) << i;
    }
  }
}

}  // namespace
}  // namespace cursorwire::connect
