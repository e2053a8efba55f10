#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_LOG_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_LOG_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/exec.h"
#include "workspace/shell/output_folder.h"

namespace cursorwire::workspace {

// All output of one command, in the order in which it is read: in memory up to `max_memory_bytes`,
// beyond that in a file. Thread-compatible.
class OutputLog {
 public:
  // `folder` must outlive it. A file does not exceed `max_file_bytes`: the rest is left out, and a
  // line at the end of the file says so.
  OutputLog(OutputFolder& folder, size_t max_memory_bytes, size_t max_file_bytes)
      : folder_(folder), max_memory_bytes_(max_memory_bytes), room_(max_file_bytes) {}
  ~OutputLog();
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  void Append(std::string_view bytes);
  // Moves the output to a file called `name`, however short it is.
  void MoveToFile(const std::string& name);
  // nullopt: everything is in memory, or no file could be created.
  std::optional<OutputLocation> location() const;

 private:
  void Write(std::string_view bytes);
  void WriteAll(std::string_view bytes);

  OutputFolder& folder_;
  const size_t max_memory_bytes_;
  size_t room_;
  std::string memory_;
  OutputFile file_;
  bool in_file_ = false;  // also true if the file could not be created
  OutputLocation location_;
  bool line_open_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_LOG_H_
