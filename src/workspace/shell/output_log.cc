#include "workspace/shell/output_log.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace cursorwire::workspace {

OutputLog::~OutputLog() {
  if (!file_.path.empty()) folder_.Retire(file_.path);
}

void OutputLog::Append(std::string_view bytes) {
  if (in_file_) return Write(bytes);
  memory_ += bytes;
  if (memory_.size() > max_memory_bytes_) MoveToFile(folder_.FreeName());
}

void OutputLog::MoveToFile(const std::string& name) {
  if (std::exchange(in_file_, true)) {
    if (!file_.path.empty()) file_.path = folder_.Rename(file_.path, name);
    return;
  }
  if (absl::StatusOr<OutputFile> file = folder_.Create(name); file.ok()) file_ = *std::move(file);
  Write(std::exchange(memory_, std::string()));
}

void OutputLog::Write(std::string_view bytes) {
  if (file_.file.fd() < 0 || bytes.empty()) return;
  const std::string_view fits = bytes.substr(0, room_);
  WriteAll(fits);
  if (fits.size() < bytes.size()) {
    WriteAll("\n[the rest was left out]\n");
    file_.file = OpenFile();
  }
  room_ -= fits.size();
}

// If the disk is full, the rest is lost.
void OutputLog::WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.file.fd(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      file_.file = OpenFile();
      return;
    }
    const std::string_view written = bytes.substr(0, static_cast<size_t>(count));
    location_.file_bytes += count;
    location_.lines += std::count(written.begin(), written.end(), '\n');
    line_open_ = written.back() != '\n';
    bytes.remove_prefix(written.size());
  }
}

std::optional<OutputLocation> OutputLog::location() const {
  if (file_.path.empty()) return std::nullopt;
  OutputLocation location = location_;
  location.path = file_.path;
  location.lines += line_open_ ? 1 : 0;
  return location;
}

}  // namespace cursorwire::workspace
