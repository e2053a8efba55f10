#include "turn/prompt.h"

#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "common/visible_text.h"

namespace cursor_chat {
namespace {

absl::StatusOr<std::string> ReadAll(int fd, const std::string& name, size_t max_bytes) {
  std::string text;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return absl::InvalidArgumentError("cannot read " + name + ": " +
                                        std::generic_category().message(errno));
    }
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > max_bytes) {
      return absl::InvalidArgumentError(name + " is larger than " +
                                        std::to_string(max_bytes / (1024 * 1024)) + " MiB");
    }
  }
}

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string::npos;
}

// Says where, since it may be one letter of a large diff.
absl::Status CheckInput(const std::string& input) {
  const size_t at = cursor_apps::FindNonUtf8(input);
  if (at == input.npos) return absl::OkStatus();
  const auto line = 1 + std::count(input.begin(), input.begin() + static_cast<ptrdiff_t>(at), '\n');
  return absl::InvalidArgumentError(absl::StrFormat(
      "the prompt is not UTF-8: byte %d of standard input, in line %d, is 0x%02X; if that is "
      "Latin-1, put \"iconv -f ISO-8859-1 -t UTF-8\" before this program",
      at + 1, line, static_cast<unsigned>(static_cast<unsigned char>(input[at]))));
}

}  // namespace

absl::StatusOr<std::string> ReadPrompt(const std::vector<std::string>& words) {
  std::string prompt;
  bool read_input = words.empty() && ::isatty(STDIN_FILENO) == 0;
  for (const std::string& word : words) {
    if (word == "-") {
      read_input = true;
    } else {
      prompt += (prompt.empty() ? "" : " ") + word;
    }
  }
  if (read_input) {
    absl::StatusOr<std::string> input = ReadAll(STDIN_FILENO, "standard input", kMaxTextBytes);
    if (!input.ok()) return input.status();
    if (absl::Status status = CheckInput(*input); !status.ok()) return status;
    if (!prompt.empty() && !input->empty()) prompt += "\n\n";
    prompt += *input;
    while (prompt.ends_with('\n')) prompt.pop_back();
  }
  if (IsBlank(prompt)) {
    return absl::InvalidArgumentError(
        "the prompt is empty: give it as an argument or through a pipe (see cursor-chat --help)");
  }
  // Only text that was read can contain a zero byte.
  if (prompt.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("standard input has a zero byte: it is no text in UTF-8");
  }
  return prompt;
}

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return absl::InvalidArgumentError("cannot read " + path + ": " +
                                      std::generic_category().message(errno));
  }
  absl::StatusOr<std::string> text = ReadAll(fd, path, max_bytes);
  ::close(fd);
  return text;
}

}  // namespace cursor_chat
