#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_PIPE_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_PIPE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// Passes on what a command writes into one of its outputs, up to a limit. The rest is read all the
// same, so that the command goes on, and counted. Pieces end where characters of UTF-8 end.
// Thread-compatible.
//
// Order: ReadSome() any number of times, then Finish() once.
class OutputPipe {
 public:
  using Taker = std::function<void(std::string_view bytes)>;

  // `pipe` must outlive this and never wait. `name` is for the notice: "stdout". `take` gets what
  // is within the limit, `keep` all, in pieces as they are read.
  OutputPipe(
      const OpenFile& pipe, std::string_view name, size_t max_bytes, Taker take,
      Taker keep = [](std::string_view) {});

  // For poll(2): -1 behind the end.
  int fd() const { return at_end_ ? -1 : pipe_.fd(); }
  bool at_end() const { return at_end_; }
  // Reads once. False if there is nothing now, or the end was reached.
  bool ReadSome();
  // Passes on half a character, if the output ends in one, and a notice of what was left out, and
  // of the file in which it is.
  void Finish(std::string_view file = "");

 private:
  void Pass(std::string_view bytes);

  const OpenFile& pipe_;
  const std::string_view name_;
  const Taker take_;
  const Taker keep_;
  size_t room_;
  uint64_t left_out_ = 0;
  std::string unfinished_;  // the start of a character
  bool at_end_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_PIPE_H_
