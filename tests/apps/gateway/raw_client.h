#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_RAW_CLIENT_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_RAW_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cursor_gateway {

// A client of HTTP that sends the bytes it is given, and blocks while it reads: for at most ten
// seconds, against hangs.
class RawClient {
 public:
  explicit RawClient(uint16_t port);
  ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void Send(std::string_view bytes);
  // All up to and with the next `end`; what is behind it is for the next call. What came, if the
  // connection ends before.
  std::string ReadUntil(std::string_view end);
  std::string ReadToEnd();
  // So many bytes.
  std::string ReadSize(size_t size);
  // A response with a Content-Length: its head and body.
  std::string ReadResponse();
  // Sends, and reads until the connection ends.
  std::string Ask(std::string_view bytes);

  // Whether the server has closed: waits for it.
  bool IsClosed() { return ReadToEnd().empty(); }
  void Close();
  // A close by a reset.
  void Reset();

 private:
  bool Receive();

  int socket_ = -1;
  std::string received_;
};

// A request with a body in JSON.
std::string Post(std::string_view path, std::string_view body, std::string_view fields = "");
std::string Get(std::string_view path, std::string_view fields = "");

// The body of a response: what is behind its head, without the marks of chunks.
std::string BodyOf(const std::string& response);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_RAW_CLIENT_H_
