#include "http/event_parser.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::http {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A server that asks for more is asked sooner.
constexpr std::chrono::milliseconds kMaxRetry{60'000};

absl::Status EventTooLarge(std::string_view what) {
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat(ToAbsl(what), " of its event stream is too long"));
}

}  // namespace

absl::Status EventParser::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') bytes.remove_prefix(1);
    const size_t end = bytes.find_first_of("\r\n");
    if (absl::Status status = Add(bytes.substr(0, end)); !status.ok()) return status;
    if (end == bytes.npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (absl::Status status = EndLine(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void EventParser::Restart() {
  line_.clear();
  after_cr_ = false;
  at_start_ = true;
  data_.clear();
  has_data_ = false;
  id_ = last_id_;
}

absl::Status EventParser::Add(std::string_view part) {
  if (line_.size() + part.size() > kMaxEventBytes) return EventTooLarge("a line");
  line_ += part;
  return absl::OkStatus();
}

absl::Status EventParser::EndLine() {
  const std::string whole = std::exchange(line_, {});
  std::string_view line = whole;
  if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) {
    EndEvent();
    return absl::OkStatus();
  }
  const size_t colon = line.find(':');
  if (colon == 0) return absl::OkStatus();  // a comment
  std::string_view value = colon == line.npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  return TakeField(line.substr(0, colon), value);
}

absl::Status EventParser::TakeField(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (data_.size() + value.size() + 1 > kMaxEventBytes) return EventTooLarge("an event");
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
  } else if (name == "id") {
    if (value.size() > kMaxEventIdBytes) return EventTooLarge("an id");
    if (value.find('\0') == value.npos) id_ = value;
  } else if (name == "retry") {
    int64_t milliseconds = 0;
    if (absl::SimpleAtoi(ToAbsl(value), &milliseconds) && milliseconds >= 0) {
      retry_ = std::chrono::milliseconds(std::min<int64_t>(milliseconds, kMaxRetry.count()));
    }
  }
  return absl::OkStatus();
}

void EventParser::EndEvent() {
  last_id_ = id_;
  // An event without data tells its id alone.
  if (std::exchange(has_data_, false) && !data_.empty()) events_.push_back(std::move(data_));
  data_.clear();
}

std::optional<std::string> EventParser::Next() {
  if (events_.empty()) return std::nullopt;
  std::string data = std::move(events_.front());
  events_.pop_front();
  return data;
}

}  // namespace cursorwire::http
