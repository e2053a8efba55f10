#include "workspace/search/line_reader.h"

#include <algorithm>
#include <utility>

namespace cursorwire::workspace {

LineReader::LineReader(const OpenFile& file, const WorkLimit& limit, size_t max_line_bytes)
    : file_(file), limit_(limit), max_line_bytes_(max_line_bytes) {}

absl::StatusOr<std::optional<LineReader::Line>> LineReader::Next() {
  if (absl::Status status = SkipCutLine(); !status.ok()) return status;
  size_t searched = 0;
  for (;;) {
    const std::string_view rest = std::string_view(buffer_).substr(start_);
    const size_t newline = rest.find('\n', searched);
    if (newline != rest.npos && newline < max_line_bytes_) {
      start_ += newline + 1;
      return Line{.bytes = rest.substr(0, newline + 1)};
    }
    if (rest.size() > max_line_bytes_) break;
    searched = rest.size();
    const absl::StatusOr<bool> more = ReadBlock();
    if (!more.ok()) return more.status();
    if (*more) continue;
    if (interrupted_ || searched == 0) return std::nullopt;
    const std::string_view last = std::string_view(buffer_).substr(start_);
    start_ = buffer_.size();
    return Line{.bytes = last};
  }
  cut_ = buffer_.substr(start_, max_line_bytes_);
  skips_ = true;
  return Line{.bytes = cut_, .cut = true};
}

absl::StatusOr<int64_t> LineReader::CountRest() {
  if (absl::Status status = SkipCutLine(); !status.ok()) return status;
  int64_t lines = 0;
  bool open = false;  // a line has begun but not ended
  for (;;) {
    const auto begin = buffer_.begin() + static_cast<ptrdiff_t>(start_);
    lines += std::count(begin, buffer_.end(), '\n');
    if (begin != buffer_.end()) open = buffer_.back() != '\n';
    start_ = buffer_.size();
    const absl::StatusOr<bool> more = ReadBlock();
    if (!more.ok()) return more.status();
    if (!*more) return lines + (open ? 1 : 0);
  }
}

absl::StatusOr<std::string_view> LineReader::Peek() {
  if (buffer_.empty()) {
    const absl::StatusOr<bool> more = ReadBlock();
    if (!more.ok()) return more.status();
  }
  return buffer_;
}

absl::StatusOr<bool> LineReader::ReadBlock() {
  if (end_) return false;
  if (limit_.over()) {
    interrupted_ = true;
    return false;
  }
  buffer_.erase(0, start_);
  start_ = 0;
  const size_t kept = buffer_.size();
  buffer_.resize(kept + kBlockBytes);
  const absl::StatusOr<size_t> count = file_.Read(buffer_.data() + kept, kBlockBytes);
  buffer_.resize(kept + (count.ok() ? *count : 0));
  if (!count.ok()) return count.status();
  end_ = *count == 0;
  return !end_;
}

absl::Status LineReader::SkipCutLine() {
  if (!std::exchange(skips_, false)) return absl::OkStatus();
  for (;;) {
    const size_t newline = buffer_.find('\n', start_);
    start_ = newline == buffer_.npos ? buffer_.size() : newline + 1;
    if (newline != buffer_.npos) return absl::OkStatus();
    const absl::StatusOr<bool> more = ReadBlock();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
  }
}

}  // namespace cursorwire::workspace
