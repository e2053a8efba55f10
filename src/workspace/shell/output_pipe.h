#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_PIPE_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_PIPE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace cursorwire::workspace {

// Passes on what a command writes to one of its outputs, up to a limit. The rest is still read and
// counted, so that the command is not blocked. Pieces end at the end of a UTF-8 character.
// Thread-compatible.
//
// Order: ReadSome() any number of times, then Finish() once.
class OutputPipe {
 public:
  using Taker = std::function<void(std::string_view bytes)>;

  // `pipe` must outlive this and be non-blocking. `name` is for the notice, such as "stdout".
  // `take` gets the output within the limit, `keep` all output, in pieces as they are read.
  OutputPipe(
      const FileDescriptor& pipe, std::string_view name, size_t max_bytes, Taker take,
      Taker keep = [](std::string_view) {});

  // For poll(2); -1 after the end.
  int fd() const { return at_end_ ? -1 : pipe_.get(); }
  bool at_end() const { return at_end_; }
  // Reads once. False if nothing is available, or the end was reached.
  bool ReadSome();
  // Passes on an incomplete character at the end of the output, and a notice that names what was
  // left out and the file that contains it.
  void Finish(std::string_view file = "");

 private:
  void Pass(std::string_view bytes);

  const FileDescriptor& pipe_;
  const std::string_view name_;
  const Taker take_;
  const Taker keep_;
  size_t room_;
  uint64_t left_out_ = 0;
  std::string unfinished_;  // the start of an incomplete character
  bool at_end_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_PIPE_H_
