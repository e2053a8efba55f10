// Calls of every kind in many threads, against a server that does what servers and networks may do:
// each call must end once, nothing may hang, and no memory may stay.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "stress/account.h"
#include "stress/bad_interceptor.h"
#include "stress/dice.h"
#include "stress/raw_peer.h"
#include "stress/users.h"
#include "stress/watchdog.h"
#include "support/heap_bytes.h"

namespace cursorwire::test {
namespace {

using namespace std::chrono_literals;

constexpr int kUsers = 16;
constexpr int kCallsOfAUser = 25;
// What a channel without connections may hold, and what the process may have more than at its start
// after a channel.
constexpr size_t kIdleBytes = size_t{1024} * 1024;
constexpr size_t kLeftBytes = size_t{512} * 1024;

struct Arguments {
  uint32_t seed = 1;
  int seconds = 10;
  int patience = 60;
};

// How a channel comes to its end.
enum class Ending {
  kIdle,       // all calls have ended, and its connections are closed for want of calls
  kUnderneath  // its last user, or a callback, destroys it with the calls of others
};

// One channel, its users and its peer.
void Live(Account& account, Watchdog& watchdog, Dice& dice) {
  RawPeer peer(dice.Seed());
  {
    Users users(account, watchdog);
    const size_t at_start = HeapBytes();
    auto channel = connect::Channel::Create(
        peer.url(), {.http2 = {.stream_window_bytes = dice.OneIn(4) ? 1024u * 1024 : 64u * 1024,
                               .unused_timeout = 5ms},
                     .io_thread = dice.OneIn(3) ? connect::IoThread::kChannelOnly
                                                : connect::IoThread::kWhoeverWaits,
                     .interceptors = {std::shared_ptr<connect::Interceptor>(&account, [](auto*) {}),
                                      std::make_shared<BadInterceptor>(dice.Seed())}});
    if (!channel.ok()) return account.Fault(channel.status().ToString());
    auto shared = std::make_shared<connect::Channel>(*std::move(channel));
    const Ending ending = dice.OneIn(2) ? Ending::kIdle : Ending::kUnderneath;

    std::vector<std::thread> threads;
    for (int i = 0; i < kUsers; ++i) {
      threads.emplace_back([&users, shared, i, seed = dice.Seed()]() mutable {
        users.MakeCalls(std::move(shared), i, kCallsOfAUser, seed);
      });
    }
    if (ending == Ending::kUnderneath) shared.reset();
    for (std::thread& thread : threads) thread.join();
    if (ending == Ending::kIdle) users.CancelAll();
    if (ending == Ending::kUnderneath && dice.OneIn(2)) users.ReadLeftStreams();
    users.ReadLeftStreams();
    {
      const Watchdog::Doing doing(watchdog, "waits for the ends of all calls");
      account.AwaitEnds();
    }
    {
      // A connection with calls, known or forgotten, does not count as idle.
      const Watchdog::Doing doing(watchdog, "waits for connections without calls to be closed");
      peer.AwaitNoConnections();
    }
    if (HeapBytes() > at_start + kIdleBytes) {
      account.Fault("a channel without calls holds " + std::to_string(HeapBytes() - at_start) +
                    " bytes");
    }
    {
      const Watchdog::Doing doing(watchdog, "destroys the channel");
      shared.reset();
    }
  }
}

int Run(const Arguments& arguments) {
  Account account;
  Watchdog watchdog(std::chrono::seconds(arguments.patience),
                    "--seed " + std::to_string(arguments.seed));
  Dice dice(arguments.seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(arguments.seconds);
  int lives = 0;
  size_t first = 0;
  while (std::chrono::steady_clock::now() < end && account.faults() == 0) {
    Live(account, watchdog, dice);
    if (++lives == 1) first = HeapBytes();
    if (HeapBytes() > first + kLeftBytes) {
      account.Fault(std::to_string(HeapBytes() - first) + " bytes were left behind by channels");
    }
  }
  std::cout << "stress: seed " << arguments.seed << ", " << lives << " channels, "
            << account.calls() << " calls, " << account.ended_well() << " ended well, "
            << account.messages() << " messages, " << account.faults() << " faults\n";
  return account.faults() == 0 ? 0 : 1;
}

constexpr std::string_view kUsage =
    R"(Usage: connect_stress [--seed N] [--seconds N] [--patience N]
Makes calls of all kinds on channels to a server of raw frames, for so many seconds
(default 10), and ends them in all ways at once. The seed (default 1) decides what
is done; the threads decide in which order. What takes longer than the patience
(default 60 seconds) hangs: then it is printed what each thread does.
Exit codes: 0 each call ended once and nothing is left; 1 a fault; 2 usage
)";

bool ReadNumber(std::string_view text, auto& number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && number > 0;
}

bool ReadArguments(const std::vector<std::string_view>& words, Arguments& arguments) {
  if (words.size() % 2 != 0) return false;
  for (size_t i = 0; i < words.size(); i += 2) {
    const bool read = words[i] == "--seed"       ? ReadNumber(words[i + 1], arguments.seed)
                      : words[i] == "--seconds"  ? ReadNumber(words[i + 1], arguments.seconds)
                      : words[i] == "--patience" ? ReadNumber(words[i + 1], arguments.patience)
                                                 : false;
    if (!read) return false;
  }
  return true;
}

}  // namespace
}  // namespace cursorwire::test

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  cursorwire::test::Arguments arguments;
  if (!cursorwire::test::ReadArguments(words, arguments)) {
    const bool help = words == std::vector<std::string_view>{"--help"};
    (help ? std::cout : std::cerr) << cursorwire::test::kUsage;
    return help ? 0 : 2;
  }
  return cursorwire::test::Run(arguments);
}
