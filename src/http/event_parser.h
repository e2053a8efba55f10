#ifndef CURSORWIRE_SRC_HTTP_EVENT_PARSER_H_
#define CURSORWIRE_SRC_HTTP_EVENT_PARSER_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::http {

// The longest that the data of one event, or one line, may be.
inline constexpr size_t kMaxEventBytes = size_t{32} * 1024 * 1024;
inline constexpr size_t kMaxEventIdBytes = 1024;

// Reads server-sent events: the data of each, and what a client needs to go on after the stream was
// cut. Types of events are not told. Thread-compatible.
// Source: WHATWG HTML, server-sent events, 9.2.5 and 9.2.6.
class EventParser {
 public:
  //   kResourceExhausted  over a bound; nothing more is read
  absl::Status Feed(std::string_view bytes);

  // Another stream goes on after the last event that is complete. What is left of the former one
  // is dropped.
  void Restart();

  // The data of the next event that has some.
  std::optional<std::string> Next();

  // The id of the last event that is complete; empty: none had one.
  const std::string& last_id() const { return last_id_; }
  // How long the server asks to wait before the next attempt.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  absl::Status Add(std::string_view part);
  absl::Status EndLine();
  absl::Status TakeField(std::string_view name, std::string_view value);
  void EndEvent();

  std::string line_;
  bool after_cr_ = false;
  bool at_start_ = true;  // of the stream, where a byte order mark may stand
  std::string data_;
  bool has_data_ = false;
  std::string id_;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
  std::deque<std::string> events_;
};

}  // namespace cursorwire::http

#endif  // CURSORWIRE_SRC_HTTP_EVENT_PARSER_H_
