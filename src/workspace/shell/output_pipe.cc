#include "workspace/shell/output_pipe.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

constexpr size_t kPipeBytes = size_t{64} * 1024;  // capacity of a pipe

}  // namespace

OutputPipe::OutputPipe(const FileDescriptor& pipe, std::string_view name, size_t max_bytes,
                       Taker take, Taker keep)
    : pipe_(pipe), name_(name), take_(std::move(take)), keep_(std::move(keep)), room_(max_bytes) {}

bool OutputPipe::ReadSome() {
  if (at_end_) return false;
  std::array<char, kPipeBytes> block{};
  const ssize_t count = ::read(pipe_.get(), block.data(), block.size());
  if (count > 0) {
    const std::string_view bytes(block.data(), static_cast<size_t>(count));
    keep_(bytes);
    Pass(bytes);
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  at_end_ = true;
  return false;
}

void OutputPipe::Pass(std::string_view bytes) {
  if (left_out_ > 0) {
    left_out_ += bytes.size();
    return;
  }
  unfinished_ += bytes;
  const std::string text = std::exchange(unfinished_, std::string());
  std::string_view piece = Utf8Prefix(text, room_);
  if (piece.size() < text.size()) {
    left_out_ = text.size() - piece.size();
  } else {
    const size_t unfinished = UnfinishedUtf8Bytes(piece);
    unfinished_ = piece.substr(piece.size() - unfinished);
    piece.remove_suffix(unfinished);
  }
  room_ -= piece.size();
  if (!piece.empty()) take_(piece);
}

void OutputPipe::Finish(std::string_view file) {
  if (!unfinished_.empty()) take_(std::exchange(unfinished_, std::string()));
  if (left_out_ == 0) return;
  take_(absl::StrCat("\n[", left_out_, " more bytes of ", ToAbsl(name_), " were left out",
                     file.empty() ? "" : "; all is in ", ToAbsl(file), "]\n"));
}

}  // namespace cursorwire::workspace
