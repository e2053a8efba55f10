#ifndef CURSORWIRE_LOCAL_EXEC_HANDLER_H_
#define CURSORWIRE_LOCAL_EXEC_HANDLER_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "cursorwire/exec_handler.h"
#include "cursorwire/export.h"

namespace cursorwire {

// Bounds of what the agent is told, so that one answer fits into the model's window. A value.
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
};

// Shows the agent one folder of this machine and what is below it, and changes nothing.
//
// A path is resolved within the folder alone: one that leads out of it, by "..", as an absolute
// path elsewhere or through a symbolic link, is refused with kPermissionDenied, whatever is moved
// at that moment. A hard link is no way out: who made it had the right to. Only regular files are
// read; a device or pipe is kInvalidArgument. Names that are no UTF-8 are told with U+FFFD in place
// of the bytes, and cannot be asked for. An action that is stopped returns kCancelled. Thread-safe.
// See also docs/workspace.md.
class CURSORWIRE_EXPORT LocalExecHandler final : public ExecHandler {
 public:
  //   kInvalidArgument  `folder` is none, or cannot be opened
  static absl::StatusOr<std::unique_ptr<LocalExecHandler>> Create(const std::string& folder,
                                                                  LocalExecOptions options = {});
  ~LocalExecHandler() override;

  // Absolute, without symbolic links.
  const std::string& folder() const;

  // Lines of a file, or all of it. A range is read wherever in the file it is: only its own lines
  // count against `max_read_bytes`. A limit of 0 lines is none.
  //   kDeadlineExceeded  lines counted from the end, of a file too large to count within `max_time`
  absl::StatusOr<ReadOutput> Read(const ReadArgs& args, std::stop_token stop) override;
  // The tree below a folder, without `.git` and what `.gitignore` files and the arguments ignore.
  // Symbolic links are shown as files. Folders more than 40 levels down are only counted.
  absl::StatusOr<LsOutput> Ls(const LsArgs& args, std::stop_token stop) override;
  // Searches text files with RE2 (https://github.com/google/re2/wiki/Syntax): no back references,
  // and time linear in the size of the files. Leaves out what Ls() leaves out, links, and files
  // with a zero byte near their start; a path that is a file is searched whatever it is called.
  // Results, for `offset` and `head_limit`, are matching lines, or files where these are the
  // answer. Without a pattern, the files whose names fit, with a count of 0.
  absl::StatusOr<GrepOutput> Grep(const GrepArgs& args, std::stop_token stop) override;

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit LocalExecHandler(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOCAL_EXEC_HANDLER_H_
