#ifndef CURSORWIRE_LOCAL_EXEC_OPTIONS_H_
#define CURSORWIRE_LOCAL_EXEC_OPTIONS_H_

#include <chrono>
#include <cstddef>

#include "cursorwire/policy.h"

namespace cursorwire {

// Bounds of what the agent is told, so that one answer fits into the model's window; what it may
// change; bounds of that. A value.
struct LocalExecOptions {
  size_t max_read_bytes = size_t{512} * 1024;  // of one Read(); the rest is left out and said so
  size_t max_line_bytes = 2000;                // of one line of Grep()
  // Of one Grep(), context included; where names of files are the answer, each is one line.
  size_t max_grep_lines = 2000;
  // Of one Ls(), files and folders. A folder that has more than are left is only counted; the one
  // that was asked for shows its first.
  size_t max_ls_entries = 1000;
  // Of one action: the answer is what was found by then. Of Read(), `total_lines` is then what was
  // counted. A step of Grep() that cannot be interrupted takes seconds more at the very worst.
  std::chrono::milliseconds max_time{10'000};

  // Decides on every single action that writes, deletes or runs something, with what will really be
  // done. Empty: all of these are refused with kPermissionDenied, in words that say what to do
  // instead. A policy that throws refuses.
  Policy policy{};
  // Of one Write(), and of the file that it replaces if that is to be shown to the policy.
  size_t max_write_bytes = size_t{16} * 1024 * 1024;
  // Of each of the two outputs of a command; a notice says how much was left out.
  size_t max_shell_output_bytes = size_t{1} * 1024 * 1024;
  // Of a command that was given no timeout.
  std::chrono::milliseconds shell_timeout{30'000};
  // A longer timeout counts as this. Source: docs/protocol.md, execs.
  std::chrono::milliseconds max_shell_timeout{86'400'000};
  size_t max_background_shells = 16;  // that run at a time
  // Of one file that holds what a command printed, where that is more than an answer should have,
  // or the command goes on in the background. There are 16 of ended commands at most.
  size_t max_output_file_bytes = size_t{16} * 1024 * 1024;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOCAL_EXEC_OPTIONS_H_
