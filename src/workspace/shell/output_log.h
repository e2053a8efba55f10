#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_LOG_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_LOG_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/exec.h"
#include "workspace/shell/output_folder.h"

namespace cursorwire::workspace {

// All that one command prints, in the order in which it is read: in memory until there is more than
// `max_memory_bytes`, then in a file. Thread-compatible.
class OutputLog {
 public:
  // `folder` must outlive it. If a file would be larger than `max_file_bytes`, the rest is left
  // out, and a line at its end says so.
  OutputLog(OutputFolder& folder, size_t max_memory_bytes, size_t max_file_bytes)
      : folder_(folder), max_memory_bytes_(max_memory_bytes), room_(max_file_bytes) {}
  ~OutputLog();
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  void Append(std::string_view bytes);
  // Also of little; the file is called `name`.
  void MoveToFile(const std::string& name);
  // nullopt: all is in memory, or no file could be made.
  std::optional<OutputLocation> location() const;

 private:
  void Write(std::string_view bytes);
  void WriteAll(std::string_view bytes);

  OutputFolder& folder_;
  const size_t max_memory_bytes_;
  size_t room_;
  std::string memory_;
  OutputFile file_;
  bool in_file_ = false;  // or would be, if there was one
  OutputLocation location_;
  bool line_open_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_LOG_H_
