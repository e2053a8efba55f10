// Signals of a process are for its own threads: those of the library take none.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "cursorwire/client.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

std::atomic<pid_t> got_signal = 0;

pid_t ThreadId() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

// Of all threads of this process: which signals they block. Source: man 5 proc, SigBlk.
std::map<pid_t, uint64_t> BlockedSignals() {
  std::map<pid_t, uint64_t> blocked;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigBlk:")) continue;
      blocked[std::stoi(task.path().filename())] = std::stoull(line.substr(7), nullptr, 16);
    }
  }
  return blocked;
}

bool Blocks(uint64_t mask, int signal) { return (mask >> (signal - 1) & 1) != 0; }

// What a handler of the user's is called on is a thread of the library, too.
class LooksAround final : public ExecHandler {
 public:
  absl::StatusOr<LsOutput> Ls(const LsArgs&, std::stop_token) override {
    blocked = BlockedSignals();
    ::kill(::getpid(), SIGUSR1);
    return LsOutput{};
  }

  std::map<pid_t, uint64_t> blocked;
};

TEST(Signals, AreNotTakenByThreadsOfTheLibrary) {
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = [](int) { got_signal = ThreadId(); };
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const std::map<pid_t, uint64_t> before_us = BlockedSignals();
  const auto handler = std::make_shared<LooksAround>();
  {
    const LocalUpstream upstream =
        *LocalUpstream::Start(Script().Exec(R"({"ls_args":{"path":"a"}})").TurnEnded());
    const Client client = *Client::Create({.endpoint = upstream.url(),
                                           .ca_pem = upstream.ca_pem(),
                                           .token = "t",
                                           .exec_handler = handler});
    ChatStream stream = client.Chat({.prompt = "p"});
    while (const auto event = stream.Next()) EXPECT_THAT(*event, IsOk());
  }
  EXPECT_EQ(got_signal, ThreadId());
  ASSERT_GE(handler->blocked.size(), before_us.size() + 2);
  for (const auto& [thread, mask] : handler->blocked) {
    if (before_us.contains(thread)) continue;
    SCOPED_TRACE(thread);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGPIPE, SIGALRM}) {
      EXPECT_TRUE(Blocks(mask, signal)) << signal;
    }
    // Of what the thread itself does wrong, its process must hear.
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      EXPECT_FALSE(Blocks(mask, signal)) << signal;
    }
  }
  ASSERT_EQ(::sigaction(SIGUSR1, &before, nullptr), 0);
}

}  // namespace
}  // namespace cursorwire::test
