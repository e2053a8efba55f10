#ifndef CURSORWIRE_LOCAL_EXEC_HANDLER_H_
#define CURSORWIRE_LOCAL_EXEC_HANDLER_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "cursorwire/exec_handler.h"

namespace cursorwire {

// Bounds of what the agent is told, so that one answer fits into the model's window. A value.
struct LocalExecOptions {
  size_t max_read_bytes = size_t{512} * 1024;  // of one Read(); the rest is left out and said so
  size_t max_line_bytes = 2000;                // of one line of Grep()
  size_t max_grep_lines = 2000;                // of one Grep(), context included
  size_t max_ls_entries = 1000;                // of one Ls(); deeper folders are then only counted
  std::chrono::milliseconds max_time{10'000};  // of one Ls() or Grep(): what was found by then
};

// Shows the agent one folder of this machine and what is below it, and changes nothing.
//
// A path is resolved within the folder alone: one that leads out of it, by "..", as an absolute
// path elsewhere or through a symbolic link, is refused with kPermissionDenied. Only regular files
// are read; a device or pipe is kInvalidArgument. Thread-safe.
class LocalExecHandler final : public ExecHandler {
 public:
  //   kInvalidArgument  `folder` is none, or cannot be opened
  static absl::StatusOr<std::unique_ptr<LocalExecHandler>> Create(const std::string& folder,
                                                                  LocalExecOptions options = {});
  ~LocalExecHandler() override;

  // Absolute, without symbolic links.
  const std::string& folder() const;

  // Lines of a file, or all of it.
  absl::StatusOr<ReadOutput> Read(const ReadArgs& args, std::stop_token stop) override;
  // The tree below a folder, without what `.gitignore` files and the arguments ignore.
  absl::StatusOr<LsOutput> Ls(const LsArgs& args, std::stop_token stop) override;
  // Searches text files with RE2 (https://github.com/google/re2/wiki/Syntax): no back references,
  // and time linear in the size of the files.
  absl::StatusOr<GrepOutput> Grep(const GrepArgs& args, std::stop_token stop) override;

 private:
  class Impl;
  explicit LocalExecHandler(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOCAL_EXEC_HANDLER_H_
