#ifndef CURSORWIRE_TESTS_COLLAB_SOCKET_SCRIPT_SERVER_H_
#define CURSORWIRE_TESTS_COLLAB_SOCKET_SCRIPT_SERVER_H_

// Boost 1.74 uses std::exchange without its header.
#include <utility>
// What asks for it has this before.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "collab/socket/event_loop.h"
#include "collab/socket/web_socket.h"
#include "support/patience.h"

namespace cursorwire::collab {

using boost::asio::ip::tcp;
using ServerSocket = boost::beast::websocket::stream<tcp::socket&>;

// A server on 127.0.0.1 that accepts as many connections as it has scripts, and runs one after the
// other on a thread of its own, with calls that block. An exception ends its script. The destructor
// ends what still blocks.
class ScriptServer {
 public:
  using Script = std::function<void(tcp::socket& socket)>;

  explicit ScriptServer(std::vector<Script> scripts)
      : acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}),
        port_(acceptor_.local_endpoint().port()),
        thread_([this, scripts = std::move(scripts)] {
          for (const Script& script : scripts) Run(script);
        }) {}
  ~ScriptServer() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
      if (running_ >= 0) ::shutdown(running_, SHUT_RDWR);
    }
    thread_.join();
  }
  ScriptServer(const ScriptServer&) = delete;
  ScriptServer& operator=(const ScriptServer&) = delete;

  int port() const { return port_; }
  std::string Url(std::string_view scheme_and_host = "ws://127.0.0.1",
                  std::string_view target = "/") const {
    return std::string(scheme_and_host) + ":" + std::to_string(port_) + std::string(target);
  }

 private:
  void Run(const Script& script) {
    tcp::socket socket(context_);
    boost::system::error_code error;
    acceptor_.accept(socket, error);
    if (error) return;
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      running_ = socket.native_handle();
    }
    try {
      script(socket);
    } catch (const std::exception&) {
      // Such as an end of the connection, which the test sees at the client.
    }
    const std::lock_guard lock(mutex_);
    running_ = -1;
  }

  boost::asio::io_context context_;
  tcp::acceptor acceptor_;
  const unsigned short port_;
  std::mutex mutex_;
  bool ended_ = false;
  int running_ = -1;
  std::thread thread_;
};

// Reads and drops bytes until the client ends the connection.
inline void ReadToEnd(tcp::socket& socket) {
  std::string bytes(65536, '\0');
  boost::system::error_code error;
  while (!error) socket.read_some(boost::asio::buffer(bytes), error);
}

// The head of the client's request.
inline std::string ReadHead(tcp::socket& socket) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    char c = 0;
    boost::asio::read(socket, boost::asio::buffer(&c, 1));
    head += c;
  }
  return head;
}

template <typename Stream>
std::string ReadMessage(Stream& stream) {
  boost::beast::flat_buffer buffer;
  stream.read(buffer);
  return boost::beast::buffers_to_string(buffer.data());
}

template <typename Stream>
void WriteMessage(Stream& stream, std::string_view bytes) {
  stream.binary(true);
  stream.write(boost::asio::buffer(bytes.data(), bytes.size()));
}

// Sends all messages back until the client closes.
template <typename Stream>
void Echo(Stream& stream) {
  for (;;) {
    const std::string bytes = ReadMessage(stream);
    stream.binary(stream.got_binary());
    stream.write(boost::asio::buffer(bytes));
  }
}

inline void EchoScript(tcp::socket& socket) {
  ServerSocket stream(socket);
  stream.accept();
  Echo(stream);
}

// A loop that the test's thread runs, and one WebSocket on it whose calls end up in functions. What
// does not come within kPatience fails the test.
class SocketBench : public WebSocketUser {
 public:
  SocketBench() {
    options.connect_timeout = test::kPatience;
    options.first_delay = std::chrono::milliseconds(1);
    options.max_delay = std::chrono::milliseconds(1);
    options.random = [] { return 0.5; };
  }

  void Run() {
    socket = std::make_unique<WebSocket>(loop, options, *this);
    socket->Start();
    RunOn();
  }
  void RunOn() {
    Timer patience(loop, [this] {
      ADD_FAILURE() << "nothing came in time";
      loop.Stop();
    });
    patience.SetDeadline(std::chrono::steady_clock::now() + test::kPatience);
    loop.Run();
  }

  void OnOpened() override {
    ++opened;
    if (on_opened) on_opened();
  }
  void OnMessage(std::string_view bytes, MessageKind kind) override {
    messages.emplace_back(bytes);
    kinds.push_back(kind);
    if (on_message) on_message();
  }
  void OnClosed(const absl::Status& why, std::chrono::milliseconds retry_in) override {
    closed.push_back(why);
    delays.push_back(retry_in);
    if (on_closed) on_closed();
  }

  WebSocketOptions options;
  EventLoop loop;
  std::unique_ptr<WebSocket> socket;
  std::function<void()> on_opened;
  std::function<void()> on_message = [this] { loop.Stop(); };
  std::function<void()> on_closed = [this] { loop.Stop(); };
  int opened = 0;
  std::vector<std::string> messages;
  std::vector<MessageKind> kinds;  // of `messages`
  std::vector<absl::Status> closed;
  std::vector<std::chrono::milliseconds> delays;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_TESTS_COLLAB_SOCKET_SCRIPT_SERVER_H_
