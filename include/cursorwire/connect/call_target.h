// Room: src/channel/waiting
#ifndef CURSORWIRE_CONNECT_CALL_TARGET_H_
#define CURSORWIRE_CONNECT_CALL_TARGET_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string_view>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/stream.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// The methods of a service, one struct for each kind: the path, and the types of the messages, said
// once for all calls. Values; `path` must outlive the calls, as a literal does.
//
//   constexpr connect::UnaryMethod<SayRequest, SayResponse> kSay{"/eliza.v1.ElizaService/Say"};
//   auto reply = connect::Unary(channel, kSay, request);

// One message each way.
template <typename Request, typename Response>
struct UnaryMethod {
  std::string_view path{};
};

// One request, any number of responses.
template <typename Request, typename Response>
struct ServerStreamMethod {
  std::string_view path{};
};

// Any number of requests, one response.
template <typename Request, typename Response>
struct ClientStreamMethod {
  std::string_view path{};
};

// Any number of messages both ways.
template <typename Request, typename Response>
struct BidiStreamMethod {
  std::string_view path{};
};

// What calls are made on: a Channel, or a ConnectionPin. Everything that makes calls takes one of
// these, and works with both. Thread-safe.
class CURSORWIRE_EXPORT CallTarget {
 public:
  virtual ~CallTarget() = default;

  // Starts a call whose events go to `observer`: one thread serves any number of calls. A call that
  // cannot be made ends with OnEnd(), too. nullptr: what comes is thrown away.
  virtual Call Start(const CallRequest& request, std::shared_ptr<CallObserver> observer) const = 0;

  // Opens a stream to be used with blocking functions.
  Stream OpenStream(std::string_view path, const CallOptions& options = {}) const;
  // The same for a call of any kind: a unary one has one message each way.
  Stream OpenStream(const CallRequest& request) const;

  // Sends one message and waits for the answer. Errors: as Stream::CloseAndReceive(), and
  //   kResourceExhausted  `message` is over CallOptions::max_send_bytes
  absl::StatusOr<UnaryResponse> Unary(std::string_view path, std::string_view message,
                                      const CallOptions& options = {}) const;

 protected:
  CallTarget() = default;
  CallTarget(const CallTarget&) = default;
  CallTarget& operator=(const CallTarget&) = default;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CALL_TARGET_H_
