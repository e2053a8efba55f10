#include "turn/prompt.h"

#include <absl/strings/str_format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "common/read_file.h"
#include "common/visible_text.h"

namespace cursor_chat {
namespace {

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
    absl::StatusOr<std::string> input =
        cursor_apps::ReadDescriptor(STDIN_FILENO, "standard input", cursor_apps::kMaxTextBytes);
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

}  // namespace cursor_chat
