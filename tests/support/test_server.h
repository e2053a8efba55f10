#ifndef CURSORWIRE_TESTS_SUPPORT_TEST_SERVER_H_
#define CURSORWIRE_TESTS_SUPPORT_TEST_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/tls_options.h"
#include "net/socket.h"
#include "support/patience.h"

namespace cursorwire::test {

// One request at the server. The server's thread only, until the stream is closed.
class Exchange {
 public:
  virtual const connect::Headers& headers() const = 0;
  // What came of the body and was not taken yet; of it the complete envelopes.
  virtual std::string TakeBody() = 0;
  virtual std::vector<std::string> TakeMessages() = 0;

  // Streaming: the headers go out before the first of them.
  virtual void SendMessage(std::string_view message) = 0;
  virtual void EndStream(std::string_view json) = 0;
  // Anything else: headers with `:status`, bytes, and the end.
  virtual void SendHeaders(const connect::Headers& headers) = 0;
  virtual void SendBody(std::string_view bytes) = 0;
  virtual void Finish() = 0;
  virtual void Reset(uint32_t http2_code) = 0;

  // For the connection: a GOAWAY after what is pending (plaintext only), and its end.
  virtual void SendGoAway(int32_t last_stream_id, uint32_t http2_code) = 0;
  virtual void CloseConnection() = 0;

 protected:
  ~Exchange() = default;
};

// What a server does with the requests for one path. Empty functions do nothing.
struct Behaviour {
  std::function<void(Exchange&)> on_headers{};
  std::function<void(Exchange&)> on_body{};  // after each piece
  std::function<void(Exchange&)> on_end{};   // the request is complete
};

// Sends each envelope back, and ends after the client did.
Behaviour EchoStream();
// Sends the body back with the header `x-head` and the trailer `x-tail`.
Behaviour EchoUnary();
// Sends `count` messages of `size` bytes and the end of the stream; the window decides when.
Behaviour SendMessages(size_t count, size_t size);
Behaviour NeverAnswer();
// As soon as the headers are there.
Behaviour ResetWith(uint32_t http2_code);
Behaviour GoAwayWith(int32_t last_stream_id, uint32_t http2_code);
Behaviour CloseTheConnection();
// When the request is complete.
Behaviour AnswerHttp(int status, std::string content_type, std::string body);
Behaviour EndStreamWith(std::string json);

struct TestServerOptions {
  connect::Security security = connect::Security::kPlaintext;
  // By path; any other is answered with HTTP 404.
  std::map<std::string, Behaviour> routes{
      {"/echo", EchoStream()}, {"/unary", EchoUnary()}, {"/never", NeverAnswer()}};
  uint16_t port = 0;                       // 0: one that is free
  uint32_t max_concurrent_streams = 1000;  // that a client may open on a connection
  // Sent to each client at once, before HTTP/2.
  std::string greeting{};
  // Each connection is closed behind this many bytes of the server; of several sizes, the n-th
  // connection after the n-th, and the others not at all.
  size_t close_after_bytes = std::numeric_limits<size_t>::max();
  std::vector<size_t> close_nth_after_bytes{};
  // So many first connections are closed as soon as they are accepted.
  int connections_closed_at_once = 0;
  // Accepts connections and reads nothing from them, as after PauseReading().
  bool paused = false;
};

// Counts of a server since its start.
struct ServerStats {
  int accepted = 0;       // connections
  int closed = 0;         // of them, by either side
  int requests = 0;       // headers came
  int complete = 0;       // of them, the client half-closed
  int gone = 0;           // of them, the stream is closed
  size_t body_bytes = 0;  // of all requests
  size_t sent_bytes = 0;  // to all sockets, frame headers included
};

// Conditions for TestServer::Await(): as many of them as that, since its start.
inline auto Accepted(int count) {
  return [count](const ServerStats& stats) { return stats.accepted == count; };
}
inline auto Closed(int count) {
  return [count](const ServerStats& stats) { return stats.closed == count; };
}
inline auto Requests(int count) {
  return [count](const ServerStats& stats) { return stats.requests == count; };
}
inline auto Gone(int count) {
  return [count](const ServerStats& stats) { return stats.gone == count; };
}

// An HTTP/2 server for tests, with a thread of its own, on a port of 127.0.0.1 that the kernel
// chose. Its destructor closes all connections. Thread-safe.
class TestServer {
 public:
  explicit TestServer(TestServerOptions options = {});
  ~TestServer();

  // "https://localhost:1234" or "http://127.0.0.1:1234".
  std::string url() const;
  // A channel to this server, which trusts its certificate. An error fails the test.
  connect::Channel Connect(connect::ChannelOptions options = {}) const;

  ServerStats stats() const;
  // Waits until it holds; false after kPatience.
  bool Await(const std::function<bool(const ServerStats&)>& condition) const;

  // Runs `action` once for each open request, and returns when that was done.
  void ForEachExchange(const std::function<void(Exchange&)>& action);
  void SendGoAway(int32_t last_stream_id, uint32_t http2_code);
  void CloseConnections();
  // The sockets are left alone: TCP's own flow control stops the clients.
  void PauseReading();
  void ResumeReading();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A port that takes connections, in the kernel, and never says a word.
class SilentListener {
 public:
  SilentListener();
  std::string url(std::string_view scheme) const;
  // How many connections were made since the last call.
  size_t AcceptAll() const;

 private:
  net::LoopbackListener listener_;
};

// One whose kernel takes no more of them: whoever connects is not answered, nor refused.
class FullListener {
 public:
  FullListener();
  std::string url() const;

 private:
  net::LoopbackListener listener_;
  std::vector<net::Socket> waiting_;
};

// A URL on which nobody listens.
std::string RefusedUrl();
// The same as a number.
uint16_t RefusedPort();

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_TEST_SERVER_H_
