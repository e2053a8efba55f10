#ifndef CURSORWIRE_BENCH_HTTP_CLIENT_H_
#define CURSORWIRE_BENCH_HTTP_CLIENT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace cursorwire::bench {

// A connection to a server of HTTP/1.1 on 127.0.0.1 that does as little as a client can: it looks
// for texts in what comes. Each function waits. Thread-compatible.
class HttpClient {
 public:
  //   kUnavailable  nobody listens
  static absl::StatusOr<HttpClient> Connect(int port);

  //   kUnavailable  the server is gone
  absl::Status Send(std::string_view bytes);
  // Until `text` has come; what comes after it is kept for the next call.
  //   kUnavailable  the server ended before
  absl::Status ReadUntil(std::string_view text);

 private:
  explicit HttpClient(FileDescriptor socket) : socket_(std::move(socket)) {}

  FileDescriptor socket_;
  std::string input_;
};

// A request of /v1/chat/completions for a stream, and one of /v1/models.
std::string StreamRequest();
std::string ModelsRequest();

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_HTTP_CLIENT_H_
