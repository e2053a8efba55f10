#include "sandbox/status_pipe.h"

#include <absl/strings/numbers.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "base/strings.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxStatusBytes = size_t{64} * 1024;

std::string_view WithoutSpace(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

// The number after `"name":`. No strings of strangers are in this text.
std::optional<int32_t> NumberOf(std::string_view text, std::string_view quoted_name) {
  const size_t at = text.find(quoted_name);
  if (at == std::string_view::npos) return std::nullopt;
  text = WithoutSpace(text.substr(at + quoted_name.size()));
  if (!text.starts_with(':')) return std::nullopt;
  text = WithoutSpace(text.substr(1));
  const size_t end = text.find_first_not_of("-0123456789");
  // A number that nothing follows may be the start of a longer one.
  if (end == std::string_view::npos) return std::nullopt;
  int32_t number = 0;
  if (!absl::SimpleAtoi(ToAbsl(text.substr(0, end)), &number)) return std::nullopt;
  return number;
}

}  // namespace

BwrapStatus ParseBwrapStatus(std::string_view text) {
  return {.child_pid = NumberOf(text, "\"child-pid\"").value_or(0),
          .exit_code = NumberOf(text, "\"exit-code\"")};
}

absl::StatusOr<StatusPipe> StatusPipe::Make() {
  absl::StatusOr<process::Pipe> pipe = process::MakePipe();
  if (!pipe.ok()) return pipe.status();
  process::SetNonBlocking(pipe->read_end);
  StatusPipe made;
  made.pipe_ = *std::move(pipe);
  return made;
}

bool StatusPipe::Read() {
  std::array<char, 4096> block{};
  while (pipe_.read_end.valid()) {
    const ssize_t count = ::read(pipe_.read_end.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    const size_t room = kMaxStatusBytes - text_.size();
    text_.append(block.data(), std::min(room, static_cast<size_t>(count)));
    if (room == 0) return false;
  }
  return false;
}

}  // namespace cursorwire::sandbox
