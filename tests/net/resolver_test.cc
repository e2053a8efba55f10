#include "net/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "net/poller.h"
#include "support/errors.h"
#include "support/patience.h"

namespace cursorwire::net {
namespace {

using test::HasOrigin;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ResultOf;

// "127.0.0.1:80", "[::1]:80".
std::string Text(const Address& address) {
  char host[NI_MAXHOST] = {};
  char port[NI_MAXSERV] = {};
  EXPECT_EQ(::getnameinfo(reinterpret_cast<const sockaddr*>(&address.storage), address.size, host,
                          sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV),
            0);
  const std::string name = host;
  return (name.find(':') == std::string::npos ? name : "[" + name + "]") + ":" + port;
}

std::shared_ptr<Waker> NewWaker() { return *Waker::Create(); }

absl::StatusOr<std::vector<Address>> AwaitResult(const Lookup& lookup, Waker& waker) {
  while (!lookup.result()) {
    Poller poller;
    poller.Add(waker.fd(), Poller::Interest::kRead);
    poller.Wait(Now() + test::kPatience);
    if (!poller.readable(0)) return absl::DeadlineExceededError("the lookup woke nobody");
    waker.Drain();
  }
  return *lookup.result();
}

TEST(Lookup, KnowsNumericAddressesAtOnce) {
  struct Case {
    const char* host;
    const char* address;
  };
  constexpr Case kCases[] = {{"127.0.0.1", "127.0.0.1:443"},
                             {"127.9.8.7", "127.9.8.7:443"},
                             {"::1", "[::1]:443"},
                             {"2001:db8::7", "[2001:db8::7]:443"}};
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.host);
    const auto lookup = Lookup::Start(c.host, 443, NewWaker());
    const auto result = lookup->result();
    ASSERT_TRUE(result.has_value());
    ASSERT_THAT(*result, IsOk());
    ASSERT_EQ((*result)->size(), 1u);
    EXPECT_EQ(Text((*result)->front()), c.address);
  }
}

TEST(Lookup, WakesWhenANameIsKnown) {
  const auto waker = NewWaker();
  const auto lookup = Lookup::Start("localhost", 8080, waker);
  EXPECT_THAT(AwaitResult(*lookup, *waker),
              IsOkAndHolds(Contains(ResultOf(Text, "127.0.0.1:8080"))));
  EXPECT_TRUE(lookup->result().has_value()) << "it stays known";
}

TEST(Lookup, TellsWhichNameHasNoAddress) {
  // Longer than a label may be: it is refused without a question to the network.
  const std::string host(70, 'a');
  const auto waker = NewWaker();
  const auto lookup = Lookup::Start(host, 1, waker);
  const auto result = AwaitResult(*lookup, *waker);
  EXPECT_THAT(result,
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no address for " + host)));
  EXPECT_THAT(result, HasOrigin(connect::ErrorOrigin::kTransport));
  EXPECT_TRUE(connect::GetErrorInfo(result.status())->replay_safe);
}

TEST(Lookup, MayBeLeftToItself) {
  // The thread of the lookup wakes the waker, which it therefore shares.
  const auto waker = NewWaker();
  (void)Lookup::Start("localhost", 1, waker);
  Poller poller;
  poller.Add(waker->fd(), Poller::Interest::kRead);
  poller.Wait(Now() + test::kPatience);
  EXPECT_TRUE(poller.readable(0));
}

TEST(Lookup, LeavesAResolverThatHangsToItself) {
  std::promise<void> asked;
  std::promise<void> answer;
  const auto waker = NewWaker();
  {
    const auto lookup = Lookup::Start(
        "a-name", 7, waker,
        [&asked, go_on = answer.get_future().share()](
            const std::string& host, int port) -> absl::StatusOr<std::vector<Address>> {
          EXPECT_EQ(host, "a-name");
          EXPECT_EQ(port, 7);
          asked.set_value();
          test::WaitFor(go_on);
          return absl::UnavailableError("too late");
        });
    test::WaitFor(asked.get_future());
    EXPECT_FALSE(lookup->result().has_value());
  }
  answer.set_value();
  Poller poller;
  poller.Add(waker->fd(), Poller::Interest::kRead);
  poller.Wait(Now() + test::kPatience);
  EXPECT_TRUE(poller.readable(0)) << "its thread has gone on";
}

}  // namespace
}  // namespace cursorwire::net
