// Room: values
#ifndef CURSORWIRE_CONNECT_CALL_OPTIONS_H_
#define CURSORWIRE_CONNECT_CALL_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "cursorwire/connect/headers.h"

namespace cursorwire::connect {

// Runs a function once, soon, on a thread of its choice: where a coroutine goes on. It is called on
// the channel's thread with no lock held, or on the thread that starts a call on a closed channel,
// and must not throw. What it refers to must stay until the calls that use it have ended, or be
// shared by it. Empty: at once, on the channel's thread.
//
//   connect::Executor executor = [&io](std::function<void()> run) { asio::post(io, run); };
using Executor = std::function<void(std::function<void()> run)>;

// Unsent bytes of one call: above the first, its user is asked to wait until they have fallen below
// the second. More is taken all the same.
inline constexpr size_t kSendHighWater = size_t{1024} * 1024;
inline constexpr size_t kSendLowWater = size_t{256} * 1024;

// How the messages of a call are encoded; part of its content type.
enum class Codec { kProto, kJson };

// How the bytes of a message are made smaller.
enum class Compression { kIdentity, kGzip };

// What a unary or raw call is sent as.
enum class HttpMethod {
  kPost,
  // The request stands in the URL, so that caches can answer it: for methods without side effects
  // only. A request whose URL would be over CallOptions::max_get_url_bytes goes out as POST.
  kGet,
};

// Whether the server is told of CallOptions::timeout in the header `connect-timeout-ms`.
enum class AnnounceTimeout { kYes, kNo };

// Whether a call that the server certainly did not act on is sent once more: see Channel.
enum class AutoReplay { kYes, kNo };

// What becomes of a call whose server cannot be reached: its name is not found, or no address of it
// takes a connection.
enum class WaitForReady {
  kNo,   // it ends at once with kUnavailable
  kYes,  // it waits, and the channel tries again: after 100 ms at first, 10 s at the longest
};

// What a call may be given. A value. No member is a std::string: `{}` as an argument of a coroutine
// would not survive g++ 12.
struct CallOptions {
  // Sent with the request, after the headers of the protocol.
  Headers headers{};
  Codec codec = Codec::kProto;

  // Compresses sent messages of at least `compress_min_bytes`. A server that does not support it
  // answers with kUnimplemented.
  Compression send_compression = Compression::kIdentity;
  size_t compress_min_bytes = 1024;
  // What the server may send, besides messages as they are.
  Compression accept_compression = Compression::kGzip;

  // The method of unary and raw calls; streaming calls are always POST. A raw GET has no body:
  // send nothing, and half-close it at once.
  HttpMethod http_method = HttpMethod::kPost;
  size_t max_get_url_bytes = 8000;

  // Longest time for the whole call, waiting for a connection included. 0: no limit. When it
  // passes, the call ends with kDeadlineExceeded, and its HTTP/2 stream is reset with CANCEL.
  std::chrono::milliseconds timeout{0};
  AnnounceTimeout announce_timeout = AnnounceTimeout::kYes;
  // Longest time in which nothing is received for the call. 0: no limit. It does not run while
  // half of the window or more waits for the user, who is then the one to be waited for. When it
  // passes: kDeadlineExceeded.
  std::chrono::milliseconds idle_timeout{0};

  // Largest message taken from the peer, decompressed; a larger one ends the call with
  // kResourceExhausted before it is stored.
  size_t max_receive_bytes = size_t{64} * 1024 * 1024;
  // Largest message that is sent, before compression; Send() refuses a larger one with
  // kResourceExhausted.
  size_t max_send_bytes = size_t{64} * 1024 * 1024;

  // Only a Channel replays calls; a Connection does not.
  AutoReplay auto_replay = AutoReplay::kYes;
  // Set `timeout` too, or the call may wait forever; the timeout runs while it waits. Messages sent
  // meanwhile are kept; a call with more than 1 MiB of them ends with kUnavailable. Has no effect
  // on calls of a ConnectionPin.
  WaitForReady wait_for_ready = WaitForReady::kNo;
};

enum class CallKind {
  // Any number of messages both ways, each in an envelope; ended by an end-stream envelope.
  kStreaming,
  // One message each way, bare.
  kUnary,
  // Bytes both ways, uninterpreted: for programs that speak a protocol of their own on HTTP/2. The
  // call ends when the HTTP/2 stream does, and any HTTP status is handed out as it is.
  kRaw,
};

// One call that is to be made. A value.
struct CallRequest {
  // The path of the URL, such as "/agent.v1.AgentService/Run".
  std::string path{};
  CallKind kind = CallKind::kStreaming;
  CallOptions options{};
  // The last message of a streaming call, sent when CallOptions::timeout or idle_timeout passes, so
  // that the server knows that nobody waits any more. The call is half-closed after it, and its
  // stream is reset a second later; the user is told at once. It is not sent if the server's window
  // has no room for it, or if the call was half-closed before. The destructor of a channel waits up
  // to 500 ms for the server to end the streams of such messages, and of half-closed calls that
  // have one set: otherwise the end of the connection could overtake their last words. Empty: no
  // message.
  std::string message_at_deadline{};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CALL_OPTIONS_H_
