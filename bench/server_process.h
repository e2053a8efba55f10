#ifndef CURSORWIRE_BENCH_SERVER_PROCESS_H_
#define CURSORWIRE_BENCH_SERVER_PROCESS_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cursorwire::bench {

// A server as a child process that tells its address in its first line, and whose log nobody reads.
// It ends with this object. Thread-compatible.
class ServerProcess {
 public:
  // Waits for the first line, whose last word is the URL.
  //   kUnavailable  it cannot be started, or ends without one
  static absl::StatusOr<ServerProcess> Start(std::vector<std::string> command,
                                             std::vector<std::string> environment);
  ~ServerProcess();
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;

  const std::string& url() const { return url_; }
  // The port of `url`.
  int port() const;

  // Of the process until now: user and system.
  double CpuSeconds() const;
  double ResidentKib() const;
  size_t Threads() const;

 private:
  ServerProcess(pid_t process, std::string url) : process_(process), url_(std::move(url)) {}

  pid_t process_;
  std::string url_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SERVER_PROCESS_H_
