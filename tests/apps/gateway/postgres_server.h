#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_POSTGRES_SERVER_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_POSTGRES_SERVER_H_

#include <memory>
#include <string>

#include "support/scratch_folder.h"

namespace cursor_gateway {

// A server of PostgreSQL with an empty database, in a folder of its own; it listens on a socket in
// that folder alone. Where the test is root, which the server refuses to be, it runs as another
// user.
class PostgresServer {
 public:
  // nullptr: none is installed on this machine.
  static std::unique_ptr<PostgresServer> Start();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // A URL of it.
  std::string url() const;
  // Ends it at once, as a failure would, or starts it again.
  void Kill();
  void Restart();

 private:
  explicit PostgresServer(std::string programs) : programs_(std::move(programs)) {}
  bool Run(const std::string& command) const;

  const std::string programs_;
  cursorwire::test::ScratchFolder folder_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_POSTGRES_SERVER_H_
