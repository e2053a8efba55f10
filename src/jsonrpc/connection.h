#ifndef CURSORWIRE_SRC_JSONRPC_CONNECTION_H_
#define CURSORWIRE_SRC_JSONRPC_CONNECTION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "base/line_splitter.h"
#include "jsonrpc/json_text.h"
#include "jsonrpc/message.h"

namespace cursorwire::jsonrpc {

// What becomes of lines that are no message.
enum class BadLines {
  kAnswer,  // they are answered with an error, as the specification says
  // They are reported as Noise or Overlong. Bytes that are not UTF-8 are replaced by U+FFFD, values
  // that are nested too deep by kDeepValue. What was meant to be an answer to a request of ours,
  // but is no message, answers it with an error.
  kSkip,
};

// Several messages in one list, which older revisions of protocols over JSON-RPC allow.
enum class Batches {
  kRefuse,  // a bad line
  kSplit,   // each member is a message of its own; answers go out one by one
};

struct ConnectionOptions {
  BadLines bad_lines = BadLines::kAnswer;
  Batches batches = Batches::kRefuse;
  // The notification by which either side gives a request up: its params have `requestId`. Empty:
  // there is none.
  std::string cancel_method{};
  size_t max_line_bytes = size_t{64} * 1024 * 1024;       // of a line of the peer
  size_t max_sent_line_bytes = size_t{64} * 1024 * 1024;  // of a line of ours
  size_t max_open_requests = 1024;                        // of each side
  size_t max_output_bytes = size_t{8} * 1024 * 1024;      // see wants_input()
};

// The answer to a request of ours.
struct Answer {
  uint64_t request_id = 0;
  std::string method{};  // of the request
  std::variant<Json, RpcError> outcome{};
};
// The peer does not want an answer to that request any more. It may still be answered.
struct Cancellation {
  Json request_id{};
  Json params{};
};
// An error that the peer could not say of which request it is.
struct StrayError {
  RpcError error{};
};
// An answer to a request that was never made.
struct StrayAnswer {
  Json id{};  // null with a result alone: a StrayError has no id either
};
// A line over the bounds, which was not read: it may have been any message.
struct Overlong {
  std::string reason{};
};
// A line that is no message and that was not answered.
struct Noise {
  std::string line{};  // its start, as it came
  std::string reason{};
};

// Each Request of the peer's is to be answered once.
using Event = std::variant<Request, Notification, Answer, Cancellation, StrayError, StrayAnswer,
                           Overlong, Noise>;

// Both directions of JSON-RPC 2.0 over lines, as the Model Context Protocol and the Agent Client
// Protocol have it on pipes: one message a line. Without I/O, clock or thread.
//
// Order: Receive() what came, then Next() until it returns nullopt; the rest at any time. What is
// to be sent is in TakeOutput(). Answers to requests that are not open any more (cancelled, or
// answered before) are ignored. Ids of answers may be numbers or their texts. A request of the
// peer's whose id is in use is refused. No input ends the connection.
//
// Memory: a line of the peer, the value that it is, what Receive() got since the last Next(), and
// the ids of `max_open_requests`. The output is bounded if its user stops reading while
// wants_input() is false. Thread-compatible.
class Connection {
 public:
  explicit Connection(ConnectionOptions options);

  // Bytes of the peer, in pieces of any size.
  void Receive(std::string_view bytes);
  std::optional<Event> Next();

  // Sends a request and returns its id. Its Answer comes once, unless it is cancelled.
  //   kResourceExhausted  too many requests are open, or the line is too long; nothing is sent
  absl::StatusOr<uint64_t> Call(std::string method, Json params);
  //   kResourceExhausted  the line is too long; nothing is sent
  absl::Status Notify(std::string method, Json params);
  // Answers a request of the peer's; ignored if it is not open. An answer that is too long for a
  // line becomes an error that says so.
  void Respond(const Json& id, std::variant<Json, RpcError> outcome);
  // Gives a request of ours up: its answer is ignored, and the peer is told if there is a
  // `cancel_method` and `tell` is true. False if the request is not open.
  enum class Tell { kPeer, kNobody };
  bool Cancel(uint64_t request_id, std::string_view reason, Tell tell = Tell::kPeer);

  // All lines that are to be sent, each with its end.
  std::string TakeOutput();
  bool has_output() const { return !output_.empty(); }
  size_t output_bytes() const { return output_.size(); }
  // False while more than `max_output_bytes` wait in the output: the peer does not read, and what
  // it sends must not be answered without bound.
  bool wants_input() const { return output_.size() <= options_.max_output_bytes; }

  size_t open_requests() const { return ours_.size(); }
  size_t open_peer_requests() const { return theirs_.size(); }

 private:
  void ReadLine(LineSplitter::Line line);
  void ReadValue(Json value, std::string_view line);
  void Take(Request request);
  void Take(Notification notification);
  void Take(Response response);
  // Ends the request of ours that the id names. False if there is none that is open.
  bool End(const Json& id, std::variant<Json, RpcError>& outcome);
  void OnOverlong(std::string reason);
  void OnBadLine(int64_t code, const Json& id, std::string_view line, std::string reason);
  absl::Status Send(const Message& message);

  const ConnectionOptions options_;
  LineSplitter lines_;
  std::deque<Event> events_;  // of the line that was read last
  std::string output_;
  uint64_t next_id_ = 1;
  std::map<uint64_t, std::string> ours_;  // methods of open requests
  std::set<Json> theirs_;                 // ids of open requests
};

}  // namespace cursorwire::jsonrpc

#endif  // CURSORWIRE_SRC_JSONRPC_CONNECTION_H_
