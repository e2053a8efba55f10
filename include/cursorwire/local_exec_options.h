// Room: src/workspace/fs
#ifndef CURSORWIRE_LOCAL_EXEC_OPTIONS_H_
#define CURSORWIRE_LOCAL_EXEC_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cursorwire/action_policy.h"

namespace cursorwire {

// Bounds of what the agent is told, so that one answer fits into the model's window; what it may
// change; bounds of that. A value.
struct LocalExecOptions {
  size_t max_read_bytes = size_t{512} * 1024;  // of one Read(); the rest is left out and said so
  size_t max_line_bytes = 2000;                // of one line of Grep()
  // Lines of one Grep(), context included; if it answers with file names, each name is one line.
  size_t max_grep_lines = 2000;
  // Files and folders of one Ls(). A folder with more entries than are left is only counted; the
  // folder that was asked for shows its first ones.
  size_t max_ls_entries = 1000;
  // Longest time of one action: the answer is what was found by then, and `total_lines` of Read()
  // is what was counted by then. A step of Grep() that cannot be interrupted may take seconds more.
  std::chrono::milliseconds timeout{10'000};

  // Decides on every single action that writes, deletes or runs something, with what will really be
  // done. Empty: all of these are refused with kPermissionDenied, in words that say what to do
  // instead. A policy that throws refuses.
  ActionPolicy policy{};
  // Decides on every single read, list and search, with the file or folder that will really be
  // opened: links are not followed any more after that. Empty: all of these are allowed. It needs
  // /proc. A policy that throws refuses.
  LookPolicy look_policy{};
  // Files that decide what the host itself runs, such as its lists of tools, and the programs in
  // them: WriteAction::runs_code and DeleteAction::runs_code are true for them, by whatever path or
  // other name they are reached. Absolute paths; they need not exist.
  std::vector<std::string> code_files{};
  // Size of one Write(), and of the replaced file if the policy is to see it.
  size_t max_write_bytes = size_t{16} * 1024 * 1024;
  // Bytes of each of the two outputs of a command; a notice says how much was left out.
  size_t max_shell_output_bytes = size_t{1} * 1024 * 1024;
  // The file of the shell that runs commands, bash or zsh; empty: what the variable SHELL names.
  // Where that is neither, /bin/sh. The agent is told which one it is.
  std::string shell{};
  // Variables that commands get beside those that they always get (LocalExecHandler::
  // CommandVariables()): NAME, with its value in the environment of this process, if it has one; or
  // NAME=VALUE, which goes first.
  std::vector<std::string> variables{};
  // Timeout of a command that sets none.
  std::chrono::milliseconds shell_timeout{30'000};
  // A longer timeout counts as this. Source: docs/protocol.md, execs.
  std::chrono::milliseconds max_shell_timeout{86'400'000};
  size_t max_background_shells = 16;  // that run at a time
  // Size of one file with the output of a command. There is a file if the output is more than an
  // answer should have, or if the command runs in the background. The files of the last 16 commands
  // that ended are kept.
  size_t max_output_file_bytes = size_t{16} * 1024 * 1024;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOCAL_EXEC_OPTIONS_H_
