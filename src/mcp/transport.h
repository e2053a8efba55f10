#ifndef CURSORWIRE_SRC_MCP_TRANSPORT_H_
#define CURSORWIRE_SRC_MCP_TRANSPORT_H_

#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/time_point.h"
#include "net/poller.h"

namespace cursorwire::mcp {

// The way to one server and back: lines, each of which is a message. Nothing blocks.
// Thread-compatible.
//
// Order: in a loop, Watch(), the poll, Handle(), ReadOutput(), Advance(), until that returns true.
// Close() at any time. The destructor gives up what is left.
class Transport {
 public:
  virtual ~Transport() = default;

  // Adds what there is to wait for. Output is not waited for unless `wants_output`.
  virtual void Watch(net::Poller& poller, bool wants_output) = 0;
  // Does what is due with the descriptors. After a poll with the same poller.
  virtual void Handle(const net::Poller& poller) = 0;
  // What came since the last call, at most 256 KiB. "" if there is nothing.
  virtual std::string ReadOutput() = 0;

  // Whole lines.
  virtual void Write(std::string_view bytes) = 0;
  // False while the server has not read what was written.
  virtual bool wants_input() const = 0;
  // Begins the end.
  virtual void Close(connect::TimePoint now) = 0;
  // What is due. True once nothing is left, then nothing else may be called but ExitText().
  virtual bool Advance(connect::TimePoint now) = 0;
  virtual std::optional<connect::TimePoint> deadline() const = 0;

  // The server has ended by itself, or cannot be reached, and nothing more comes.
  virtual bool at_end(connect::TimePoint now) const = 0;
  // Why, as a part of a sentence.
  virtual std::string ExitText() const = 0;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_TRANSPORT_H_
