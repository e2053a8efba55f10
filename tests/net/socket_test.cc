#include "net/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <optional>
#include <string>

#include "cursorwire/connect/error_info.h"
#include "net/poller.h"
#include "support/errors.h"
#include "support/patience.h"

namespace cursorwire::net {
namespace {

using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

Address Loopback(int port) {
  Address address;
  auto* raw = reinterpret_cast<sockaddr_in*>(&address.storage);
  raw->sin_family = AF_INET;
  raw->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  raw->sin_port = htons(static_cast<uint16_t>(port));
  address.size = sizeof(*raw);
  return address;
}

void WaitFor(int fd, Poller::Interest interest) {
  Poller poller;
  poller.Add(fd, interest);
  poller.Wait(Now() + test::kPatience);
}

// Both ends of one connection.
struct Ends {
  Socket client{};
  Socket server{};
};

Ends Connected() {
  const LoopbackListener listener = *LoopbackListener::Open();
  Ends ends;
  ends.client = *Socket::Connect(Loopback(listener.port()));
  WaitFor(ends.client.fd(), Poller::Interest::kReadWrite);
  EXPECT_THAT(ends.client.FinishConnect(), IsOk());
  WaitFor(listener.fd(), Poller::Interest::kRead);
  auto accepted = listener.Accept();
  EXPECT_TRUE(accepted.has_value());
  ends.server = *std::move(accepted);
  return ends;
}

// What comes within one wait.
absl::StatusOr<std::optional<size_t>> WaitAndRead(const Socket& socket, std::span<char> buffer) {
  WaitFor(socket.fd(), Poller::Interest::kRead);
  return socket.Read(buffer);
}

TEST(Address, KnowsWhatIsThisMachine) {
  EXPECT_TRUE(Loopback(80).is_loopback());
  Address four = Loopback(80);
  reinterpret_cast<sockaddr_in*>(&four.storage)->sin_addr.s_addr = htonl(0x7F090807);
  EXPECT_TRUE(four.is_loopback());
  reinterpret_cast<sockaddr_in*>(&four.storage)->sin_addr.s_addr = htonl(0x80000001);
  EXPECT_FALSE(four.is_loopback());
  Address six;
  auto* raw = reinterpret_cast<sockaddr_in6*>(&six.storage);
  raw->sin6_family = AF_INET6;
  raw->sin6_addr = in6addr_loopback;
  six.size = sizeof(*raw);
  EXPECT_TRUE(six.is_loopback());
  raw->sin6_addr.s6_addr[0] = 0x20;
  EXPECT_FALSE(six.is_loopback());
  EXPECT_FALSE(Address().is_loopback());
}

TEST(Socket, MovesBytesBothWays) {
  const Ends ends = Connected();
  std::array<char, 16> buffer{};
  const auto nothing = ends.client.Read(buffer);
  ASSERT_THAT(nothing, IsOk());
  EXPECT_FALSE(nothing->has_value());

  EXPECT_THAT(ends.client.Write("ping"), test::IsOkAndHolds(4u));
  const auto ping = WaitAndRead(ends.server, buffer);
  ASSERT_THAT(ping, IsOk());
  ASSERT_TRUE(ping->has_value());
  EXPECT_EQ(std::string_view(buffer.data(), **ping), "ping");

  EXPECT_THAT(ends.server.Write("answer"), test::IsOkAndHolds(6u));
  const auto part = WaitAndRead(ends.client, std::span(buffer).first(3));
  ASSERT_THAT(part, IsOk());
  EXPECT_EQ(*part, 3u);
  EXPECT_EQ(std::string_view(buffer.data(), 3), "ans");
}

TEST(Socket, HasNoDelayAndNeverBlocks) {
  const Ends ends = Connected();
  for (const Socket* socket : {&ends.client, &ends.server}) {
    int on = 0;
    socklen_t size = sizeof(on);
    ASSERT_EQ(::getsockopt(socket->fd(), IPPROTO_TCP, TCP_NODELAY, &on, &size), 0);
    EXPECT_NE(on, 0);
    EXPECT_NE(::fcntl(socket->fd(), F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(socket->fd(), F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(Socket, ReadsZeroBytesWhenThePeerClosedItsSide) {
  Ends ends = Connected();
  ASSERT_THAT(ends.server.Write("last"), IsOk());
  ends.server.Close();
  EXPECT_FALSE(ends.server.valid());
  std::array<char, 16> buffer{};
  EXPECT_THAT(WaitAndRead(ends.client, buffer), test::IsOkAndHolds(::testing::Optional(4u)));
  EXPECT_THAT(WaitAndRead(ends.client, buffer), test::IsOkAndHolds(::testing::Optional(0u)));
}

TEST(Socket, WritesNothingWhenTheKernelIsFullAndGoesOnWhenThePeerReads) {
  const Ends ends = Connected();
  const std::string chunk(64 * 1024, 'x');
  size_t written = 0;
  for (;;) {
    const absl::StatusOr<size_t> count = ends.client.Write(chunk);
    ASSERT_THAT(count, IsOk());
    if (*count == 0) break;
    written += *count;
  }
  ASSERT_GT(written, 0u);
  std::string buffer(256 * 1024, '\0');
  for (size_t left = written; left > 0;) {
    const auto count = WaitAndRead(ends.server, buffer);
    ASSERT_THAT(count, IsOk());
    ASSERT_THAT(*count, ::testing::Optional(::testing::Gt(0u)));
    left -= **count;
  }
  WaitFor(ends.client.fd(), Poller::Interest::kReadWrite);
  EXPECT_THAT(ends.client.Write(chunk), test::IsOkAndHolds(::testing::Gt(0u)));
}

TEST(Socket, TellsOfAResetOnce) {
  Ends ends = Connected();
  const linger hard{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt(ends.server.fd(), SOL_SOCKET, SO_LINGER, &hard, sizeof(hard)), 0);
  ends.server.Close();
  std::array<char, 16> buffer{};
  const auto read = WaitAndRead(ends.client, buffer);
  EXPECT_THAT(read, StatusIs(absl::StatusCode::kUnavailable,
                             ::testing::HasSubstr("connection lost: connection reset")));
  EXPECT_THAT(read, HasOrigin(connect::ErrorOrigin::kTransport));
  EXPECT_FALSE(connect::GetErrorInfo(read.status())->replay_safe);
  // No SIGPIPE.
  EXPECT_THAT(ends.client.Write("late"), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(Socket, TellsThatAConnectionWasRefused) {
  const int port = LoopbackListener::Open()->port();
  absl::StatusOr<Socket> socket = Socket::Connect(Loopback(port));
  absl::Status status = socket.status();
  if (socket.ok()) {
    WaitFor(socket->fd(), Poller::Interest::kReadWrite);
    status = socket->FinishConnect();
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, std::string("connection refused")));
  EXPECT_TRUE(connect::GetErrorInfo(status)->replay_safe);
}

TEST(Socket, RefusesAnAddressOfNoFamily) {
  EXPECT_THAT(Socket::Connect(Address()), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(LoopbackListener, HandsOutEachConnectionOnce) {
  const LoopbackListener listener = *LoopbackListener::Open();
  EXPECT_GT(listener.port(), 0);
  EXPECT_FALSE(listener.Accept().has_value());
  const Socket client = *Socket::Connect(Loopback(listener.port()));
  WaitFor(listener.fd(), Poller::Interest::kRead);
  EXPECT_TRUE(listener.Accept().has_value());
  EXPECT_FALSE(listener.Accept().has_value());
}

TEST(LoopbackListener, TakesThePortThatItIsTold) {
  std::optional<LoopbackListener> first = *LoopbackListener::Open();
  const auto port = static_cast<uint16_t>(first->port());
  const auto second = LoopbackListener::Open(port);
  EXPECT_THAT(second, StatusIs(absl::StatusCode::kUnavailable,
                               HasSubstr("127.0.0.1:" + std::to_string(port) +
                                         ": address already in use")));
  first.reset();
  EXPECT_THAT(LoopbackListener::Open(port), IsOk());
}

TEST(Socket, EndsItsWritingAndReadsOn) {
  const Ends ends = Connected();
  ends.server.CloseWrite();
  char buffer[8];
  const auto end = WaitAndRead(ends.client, buffer);
  ASSERT_TRUE(end.ok() && end->has_value());
  EXPECT_EQ(**end, 0u);
  ASSERT_THAT(ends.client.Write("abc"), IsOk());
  const auto late = WaitAndRead(ends.server, buffer);
  ASSERT_TRUE(late.ok() && late->has_value());
  EXPECT_EQ(**late, 3u);
}

TEST(Socket, AbortsWithAReset) {
  Ends ends = Connected();
  ends.server.Abort();
  EXPECT_FALSE(ends.server.valid());
  char buffer[8];
  EXPECT_THAT(WaitAndRead(ends.client, buffer), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(LoopbackListener, EachHasAPortOfItsOwn) {
  EXPECT_NE(LoopbackListener::Open()->port(), 0);
  const LoopbackListener a = *LoopbackListener::Open();
  const LoopbackListener b = *LoopbackListener::Open();
  EXPECT_NE(a.port(), b.port());
}

}  // namespace
}  // namespace cursorwire::net
