#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_PROCESS_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cursor_gateway {

// The program cursor-gateway, from its first line on.
class GatewayProcess {
 public:
  explicit GatewayProcess(std::vector<std::string> arguments);
  ~GatewayProcess();  // kills it
  GatewayProcess(const GatewayProcess&) = delete;
  GatewayProcess& operator=(const GatewayProcess&) = delete;

  uint16_t port() const { return port_; }
  // Sends it a signal, and waits until it has ended. Its exit code; -1: a signal ended it.
  int End(int signal);

 private:
  pid_t process_ = -1;
  int output_ = -1;
  uint16_t port_ = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_GATEWAY_PROCESS_H_
