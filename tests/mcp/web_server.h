#ifndef CURSORWIRE_TESTS_MCP_WEB_SERVER_H_
#define CURSORWIRE_TESTS_MCP_WEB_SERVER_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"

namespace cursorwire::mcp {

// A server of HTTP/1.1 on 127.0.0.1. A connection takes one request after the other, until an
// answer has no length.
class WebServer {
 public:
  struct Request {
    std::string head{};  // with the request line
    std::string body{};
  };
  // Makes the bytes of the answer; none: the connection ends. Called on several threads.
  using Handler = std::function<std::string(const Request& request)>;

  explicit WebServer(Handler handler);
  ~WebServer();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/mcp"; }
  // What was asked so far.
  std::vector<Request> requests() const;

  // An answer with this body.
  static std::string Answer(const std::string& status, const std::string& headers,
                            const std::string& body);

 private:
  void Accept();
  void Serve(int connection);
  // False: the connection is over.
  bool ServeOne(int connection, std::string& input);

  const Handler handler_;
  FileDescriptor listener_;
  uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;            // guarded by mutex_
  std::vector<FileDescriptor> connections_;  // guarded by mutex_
  std::vector<std::thread> threads_;         // of the accepting thread
  std::thread thread_;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_TESTS_MCP_WEB_SERVER_H_
