#include "peer_client.h"

#include <absl/strings/str_cat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cursorwire::bench {
namespace {

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  return environment;
}

// Without its end. Empty: the peer has ended.
std::string ReadAnswer(int fd) {
  std::string line;
  char c = 0;
  while (::read(fd, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PeerClient>> PeerClient::Start(std::string name,
                                                              const std::string& command, int port,
                                                              const std::string& ca_file) {
  auto process =
      StartChild({"/bin/sh", "-c", absl::StrCat("exec ", command, " ", port, " '", ca_file, "'")},
                 OwnEnvironment());
  if (!process.ok()) return process.status();
  return std::unique_ptr<PeerClient>(new PeerClient(std::move(name), *std::move(process)));
}

PeerClient::~PeerClient() {
  process_.input.Reset();
  ::waitpid(process_.id, nullptr, 0);
}

absl::StatusOr<Sample> PeerClient::Measure(const Work& work) {
  if (work.streams > 1) return absl::UnimplementedError(name_ + ": one call at a time");
  const std::string order =
      absl::StrCat(work.shape.name, " ", work.messages, " ", work.shape.message_bytes, "\n");
  const std::string answer =
      WriteAll(process_.input.get(), order) ? ReadAnswer(process_.output.get()) : "";
  if (answer == "unsupported") return absl::UnimplementedError(name_ + ": not this shape");
  Sample sample;
  std::istringstream values(answer);
  if (values >> sample.cpu >> sample.wall >> sample.p50 >> sample.p99) return sample;
  return TransportError(
      absl::StrCat("peer ", name_, answer.empty() ? " has ended" : " says: ", answer),
      Replay::kSafe);
}

}  // namespace cursorwire::bench
