// Room: src/channel/waiting
#ifndef CURSORWIRE_CONNECT_STREAM_H_
#define CURSORWIRE_CONNECT_STREAM_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// The answer to a call that has just one.
struct UnaryResponse {
  std::string message{};
  Headers headers{};
  Headers trailers{};
};

// Makes a range of a source whose Next() gives std::optional<Element>, nullopt at the end. Making
// one, and each increment, takes the next element and may block; the elements cannot be read twice,
// and each is destroyed before the next one is waited for.
// The source must outlive it and stay where it is.
template <typename Source, typename Element>
class SinglePassIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using pointer = const Element*;
  using reference = const Element&;

  explicit SinglePassIterator(Source* source) : source_(source), current_(source->Next()) {}

  reference operator*() const { return *current_; }
  pointer operator->() const { return &*current_; }
  SinglePassIterator& operator++() {
    current_.reset();  // what the source may wait for is let go first
    current_ = source_->Next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const SinglePassIterator& it, std::default_sentinel_t) {
    return !it.current_.has_value();
  }

 private:
  Source* source_;
  std::optional<Element> current_;
};

// One call as a pair of blocking sequences: messages are sent, and messages are taken.
//
// Order: Send() and Next() in any order, also from two threads: one sends, one receives. Next()
// yields messages, then the error if there is one, then always nullopt.
//
//   for (const absl::StatusOr<std::string>& message : stream) {
//     if (!message.ok()) return message.status();   // always the last element
//     Use(*message);
//   }
//
// Memory: at most the stream's window plus one message of received bytes wait here; the server is
// slowed down then. It may outlive its Channel, whose end ends it with kCancelled. Destroying it
// cancels the call and does not wait; one that was moved from may only be destroyed or assigned to.
class CURSORWIRE_EXPORT Stream {
 public:
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // Queues one message; waits while more than kSendHighWater bytes are unsent.
  //   as Call::Send(); kFailedPrecondition if the call ended: Next() tells why
  absl::Status Send(std::string message);
  // Half-closes: no more messages will be sent.
  void CloseSend();
  // Waits for the next message. After an error, and after the end: nullopt.
  std::optional<absl::StatusOr<std::string>> Next();
  // For calls that have one answer: half-closes and waits for it. In place of Next().
  //   the error of the call, with ErrorInfo::metadata
  //   kUnimplemented  the answer has no message, or more than one
  absl::StatusOr<UnaryResponse> CloseAndReceive();
  // Ends the call and drops the messages that wait: a Next() that waits, or else the next one,
  // returns kCancelled, or the error of a call that had failed before. From any thread.
  void Cancel();

  // Waits for the response headers, or the end of the call; without any, `http_status` is 0.
  ResponseHead WaitForHead();
  // The trailers; empty until Next() has returned the last element. On the thread that receives.
  Headers trailers() const;

  using Iterator = SinglePassIterator<Stream, absl::StatusOr<std::string>>;
  // A single pass: begin() takes the next message.
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() const { return std::default_sentinel; }

 private:
  friend class CallTarget;
  class CURSORWIRE_HIDDEN Queue;
  Stream(Call call, std::shared_ptr<Queue> queue);

  Call call_;
  std::shared_ptr<Queue> queue_;  // shared with the channel's thread
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_STREAM_H_
