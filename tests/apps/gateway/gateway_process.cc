#include "apps/gateway/gateway_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace cursor_gateway {

GatewayProcess::GatewayProcess(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), CURSOR_GATEWAY);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::string token = "CURSOR_ACCESS_TOKEN=a-token-of-a-test";
  char* environment[] = {token.data(), nullptr};
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  EXPECT_EQ(::posix_spawn(&process_, CURSOR_GATEWAY, &actions, nullptr, argv.data(), environment),
            0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ends[0];
  std::string line;
  for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) line += c;
  const size_t colon = line.rfind(':');
  EXPECT_NE(colon, std::string::npos) << "it did not start: " << line;
  if (colon != std::string::npos) port_ = static_cast<uint16_t>(std::stoi(line.substr(colon + 1)));
}

GatewayProcess::~GatewayProcess() {
  End(SIGKILL);
  ::close(output_);
}

int GatewayProcess::End(int signal) {
  if (process_ < 0) return -1;
  ::kill(process_, signal);
  int status = 0;
  EXPECT_EQ(::waitpid(std::exchange(process_, -1), &status, 0) > 0, true);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace cursor_gateway
