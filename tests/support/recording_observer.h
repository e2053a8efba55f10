#ifndef CURSORWIRE_TESTS_SUPPORT_RECORDING_OBSERVER_H_
#define CURSORWIRE_TESTS_SUPPORT_RECORDING_OBSERVER_H_

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/channel.h"
#include "support/test_server.h"

namespace cursorwire::test {

// Lines of text that one thread writes and others wait for.
class Lines {
 public:
  void Add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  std::vector<std::string> Get() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  // Waits until the last line is `line`; false after kPatience.
  bool AwaitLast(std::string_view line) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience,
                             [&] { return !lines_.empty() && lines_.back() == line; });
  }
  // Waits until `count` lines begin with `start`; false after `patience`.
  bool Await(std::string_view start, int count = 1,
             std::chrono::seconds patience = kPatience) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] {
      return std::count_if(lines_.begin(), lines_.end(), [&](const std::string& line) {
               return line.starts_with(start);
             }) >= count;
    });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::string> lines_;
};

// Writes down what happens to a call, and does what the test wants done in its callbacks. Fails the
// test when a callback comes first that must not, after the end, or on another thread.
class RecordingObserver : public connect::CallObserver {
 public:
  // Called on the channel's thread; set them before the call is started.
  struct Hooks {
    std::function<void(const connect::Call&)> on_start{};
    std::function<void(const connect::Call&)> on_head{};
    std::function<void(const connect::Call&, std::string_view)> on_message{};
    std::function<void(const connect::Call&)> on_wake{};
    std::function<void(const connect::Call&)> on_alarm{};
    std::function<void(const connect::Call&)> on_writable{};
    std::function<void(const absl::Status&)> on_end{};
    bool keep_credit = false;
  };

  RecordingObserver() = default;
  explicit RecordingObserver(Hooks hooks) : hooks_(std::move(hooks)) {}

  // "start", "head 200", "message TEXT", "batch", "writable", "alarm", "wake", "end CODE".
  const Lines& lines() const { return lines_; }
  bool Await(std::string_view line, int count = 1) const { return lines_.Await(line, count); }
  // The status of the end; kUnknown, and a failure, if it does not come.
  absl::Status AwaitEnd() const {
    if (!lines_.Await("end ")) {
      ADD_FAILURE() << "the call did not end";
      return absl::UnknownError("the call did not end");
    }
    const std::lock_guard lock(mutex_);
    return end_->status;
  }
  connect::Headers trailers() const {
    const std::lock_guard lock(mutex_);
    return end_ ? end_->trailers : connect::Headers();
  }
  connect::Headers head() const {
    const std::lock_guard lock(mutex_);
    return head_.headers;
  }
  // The bytes of all messages.
  std::string bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  // connect::CallObserver
  void OnStart(const connect::Call& call) override {
    EXPECT_FALSE(thread_.has_value()) << "OnStart() is not the first";
    thread_ = std::this_thread::get_id();
    call_ = call;
    Note("start");
    if (hooks_.on_start) hooks_.on_start(call_);
  }
  void OnHead(connect::ResponseHead head) override {
    const int status = head.http_status;
    {
      const std::lock_guard lock(mutex_);
      head_ = std::move(head);
    }
    Note(absl::StrCat("head ", status));
    if (hooks_.on_head) hooks_.on_head(call_);
  }
  void OnMessage(const connect::MessageView& message) override {
    {
      const std::lock_guard lock(mutex_);
      bytes_.append(message.bytes);
    }
    Note(absl::StrCat("message ", std::string(message.bytes.substr(0, 100))));
    if (!hooks_.keep_credit) call_.ReleaseCredit(message.credit);
    if (hooks_.on_message) hooks_.on_message(call_, message.bytes);
  }
  void OnBatchEnd() override { Note("batch"); }
  void OnWritable() override {
    Note("writable");
    if (hooks_.on_writable) hooks_.on_writable(call_);
  }
  void OnAlarm(connect::TimePoint) override {
    Note("alarm");
    if (hooks_.on_alarm) hooks_.on_alarm(call_);
  }
  void OnWake(connect::TimePoint) override {
    Note("wake");
    if (hooks_.on_wake) hooks_.on_wake(call_);
  }
  void OnEnd(connect::CallEnd end) override {
    const absl::Status status = end.status;
    {
      const std::lock_guard lock(mutex_);
      end_ = std::move(end);
    }
    // Before the line, which lets the test go on.
    if (hooks_.on_end) hooks_.on_end(status);
    EXPECT_EQ(thread_.value_or(std::this_thread::get_id()), std::this_thread::get_id());
    EXPECT_FALSE(ended_) << "a second OnEnd()";
    ended_ = true;
    lines_.Add(absl::StrCat("end ", absl::StatusCodeToString(status.code())));
  }

 private:
  void Note(std::string line) {
    EXPECT_TRUE(thread_.has_value()) << line << " before OnStart()";
    EXPECT_EQ(thread_, std::this_thread::get_id()) << line;
    EXPECT_FALSE(ended_) << line << " after OnEnd()";
    lines_.Add(std::move(line));
  }

  const Hooks hooks_{};
  Lines lines_;
  // The channel's thread.
  std::optional<std::thread::id> thread_;
  connect::Call call_;
  bool ended_ = false;

  mutable std::mutex mutex_;
  connect::ResponseHead head_;
  std::string bytes_;
  std::optional<connect::CallEnd> end_;
};

inline std::shared_ptr<RecordingObserver> Recorder(RecordingObserver::Hooks hooks = {}) {
  return std::make_shared<RecordingObserver>(std::move(hooks));
}

// The same for a pinned connection: "up", "goaway LAST CODE", "down CODE".
class RecordingConnectionObserver final : public connect::ConnectionObserver {
 public:
  const Lines& lines() const { return lines_; }
  bool Await(std::string_view line) const { return lines_.Await(line); }

  void OnUp(const connect::ConnectionUp& up) override {
    lines_.Add(up.tls_version.empty() ? "up" : "up " + up.tls_version);
  }
  void OnGoAway(const connect::GoAwayReceived& goaway) override {
    lines_.Add(absl::StrCat("goaway ", goaway.last_stream_id, " ", goaway.http2_code));
  }
  void OnDown(const connect::ConnectionDown& down) override {
    lines_.Add(absl::StrCat("down ", absl::StatusCodeToString(down.status.code())));
  }

 private:
  Lines lines_;
};

inline connect::CallRequest StreamingRequest(std::string path, connect::CallOptions options = {}) {
  return {.path = std::move(path),
          .kind = connect::CallKind::kStreaming,
          .options = std::move(options)};
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_RECORDING_OBSERVER_H_
