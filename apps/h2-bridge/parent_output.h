#ifndef CURSORWIRE_APPS_H2_BRIDGE_PARENT_OUTPUT_H_
#define CURSORWIRE_APPS_H2_BRIDGE_PARENT_OUTPUT_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace h2_bridge {

// What the parent is told when a response of a persistent session has ended. It compares whole
// messages with this. Source: docs/bridge.md, "Persistent sessions".
inline constexpr std::string_view kDoneSentinel = "PI_CURSOR_STREAM_DONE";
// Longest message of a response: longer pieces of it are cut.
inline constexpr size_t kMaxOutputMessageBytes = size_t{64} * 1024;

// Messages that wait for the parent to read them. Their number is bounded by whoever adds them: a
// response by its HTTP/2 window, whose credit goes back as the parent reads. Thread-compatible.
class ParentOutput {
 public:
  // One message.
  void Add(std::string_view message);
  // Bytes of a response, as one message or several, none of which is the sentinel. Small ones that
  // follow each other become one message. `credit` comes back from Consume() with the bytes.
  void AddBody(std::string_view bytes, size_t credit);
  // The response has ended: what waits of it is never dropped, and its credit is lost.
  void Seal();

  bool empty() const { return begin_ == buffer_.size(); }
  // Bytes that wait and are sealed.
  size_t sealed_bytes() const { return sealed_; }
  // What is to be written next. The view is valid until the next function that is not const.
  std::string_view view() const { return std::string_view(buffer_).substr(begin_); }
  // So many bytes of view() are written. Returns the credit of the messages that are complete.
  size_t Consume(size_t bytes);
  // Drops the messages that are not sealed and of which no byte is written: their response is given
  // up. The credit of what stays is lost.
  void DropUnsealed();

 private:
  struct Message {
    size_t left = 0;  // bytes, the prefix among them
    size_t credit = 0;
    bool started = false;
  };

  void AppendBody(std::string_view piece, size_t credit);
  void Append(std::string_view message, size_t credit);
  bool CanMerge(std::string_view piece) const;
  void Merge(std::string_view piece, size_t credit);
  void ForgetCredit();

  std::string buffer_;
  size_t begin_ = 0;
  size_t sealed_ = 0;  // bytes from begin_
  std::deque<Message> messages_;
  bool grows_ = false;  // the last message may take more bytes of the response
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_PARENT_OUTPUT_H_
