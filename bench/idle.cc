#include "idle.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "clients.h"

namespace cursorwire::bench {
namespace {

absl::Status Failed(std::string_view what) { return TransportError(what, Replay::kSafe); }

double ResidentKib() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024;
}

using Holders = std::vector<std::unique_ptr<OwnClient>>;

// Each with a connection that is in use.
absl::StatusOr<Holders> Connect(const std::string& name, const ServerAddress& server,
                                size_t connections) {
  Holders holders;
  Latencies none;
  for (size_t i = 0; i < connections; ++i) {
    auto client = MakeClient(name, server);
    if (!client.ok()) return client.status();
    holders.push_back(*std::move(client));
    absl::Status status = holders.back()->Run({.shape = *FindShape("frame"), .messages = 1}, none);
    if (!status.ok()) return status;
  }
  return holders;
}

absl::StatusOr<double> KibPerStream(const std::string& name, const ServerAddress& server,
                                    size_t streams) {
  const absl::StatusOr<Holders> holders =
      Connect(name, server, (streams + kStreamsPerConnection - 1) / kStreamsPerConnection);
  if (!holders.ok()) return holders.status();
  const double before = ResidentKib();
  size_t left = streams;
  for (const auto& client : *holders) {
    const size_t part = std::min(left, kStreamsPerConnection);
    if (absl::Status status = client->Hold(part); !status.ok()) return status;
    left -= part;
  }
  return (ResidentKib() - before) / static_cast<double>(streams);
}

}  // namespace

absl::StatusOr<IdleCost> MeasureIdle(const std::string& client, const ServerAddress& server,
                                     size_t streams) {
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0) return Failed("pipe: no file descriptor left");
  const FileDescriptor read_end(fds[0]);
  FileDescriptor write_end(fds[1]);
  const pid_t process = ::fork();
  if (process < 0) return Failed("fork: no process left");
  if (process == 0) {
    const absl::StatusOr<double> kib = KibPerStream(client, server, streams);
    if (!kib.ok()) std::cerr << "stream-bench: " << client << ": " << kib.status() << "\n";
    const bool told = kib.ok() && ::write(write_end.get(), &*kib, sizeof(double)) > 0;
    ::_exit(told ? 0 : 1);
  }
  write_end.Reset();
  IdleCost cost{.client = client, .streams = streams};
  const ssize_t count = ::read(read_end.get(), &cost.resident, sizeof(double));
  ::waitpid(process, nullptr, 0);
  if (count != sizeof(double)) return Failed(client + ": the process of the idle streams failed");
  return cost;
}

}  // namespace cursorwire::bench
