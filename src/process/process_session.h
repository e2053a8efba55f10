#ifndef CURSORWIRE_SRC_PROCESS_PROCESS_SESSION_H_
#define CURSORWIRE_SRC_PROCESS_PROCESS_SESSION_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::process {

// An environment variable, "NAME=value", that is unique to one command. All that the command starts
// inherits it, even in another session.
std::string MakeCommandMark();

// Processes of a command that were still there when it was killed, but for its leader.
struct LeftProcesses {
  struct Process {
    pid_t id = 0;
    std::string arguments{};  // each ended by a zero byte; the start of them, if they are long
    // It has the arguments of the leader: a part of it, such as a shell in a shell.
    bool is_part = false;
  };

  std::vector<Process> first{};  // a few of them
  size_t count = 0;              // of all
};

// Kills, by SIGKILL, what a command has started: its process group, its session, and every process
// of this user that has its mark. `leader` is the first process of the session and must not have
// been waited for yet, so that its number is still its own. Does not find processes that have left
// both the session and their environment, or those of other users (sudo).
LeftProcesses KillSession(pid_t leader, std::string_view mark);

}  // namespace cursorwire::process

#endif  // CURSORWIRE_SRC_PROCESS_PROCESS_SESSION_H_
