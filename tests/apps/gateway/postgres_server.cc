#include "apps/gateway/postgres_server.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace cursor_gateway {
namespace {

// Debian keeps the programs of each version apart.
std::string FindPrograms() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", error)) {
    const std::filesystem::path bin = version.path() / "bin";
    if (std::filesystem::exists(bin / "initdb") && std::filesystem::exists(bin / "pg_ctl")) {
      found.push_back(bin.string());
    }
  }
  return found.empty() ? "" : *std::max_element(found.begin(), found.end());
}

}  // namespace

std::unique_ptr<PostgresServer> PostgresServer::Start() {
  const std::string programs = FindPrograms();
  if (programs.empty()) return nullptr;
  std::unique_ptr<PostgresServer> server(new PostgresServer(programs));
  if (::getuid() == 0) {
    const std::string owner = "chown nobody '" + server->folder_.path() + "'";
    EXPECT_EQ(::system(owner.c_str()), 0);
  }
  EXPECT_TRUE(server->Run(programs + "/initdb -D data -U gateway -A trust -N -E UTF8 --no-locale"));
  server->Restart();
  return server;
}

PostgresServer::~PostgresServer() { Kill(); }

std::string PostgresServer::url() const {
  return "postgresql://gateway@/postgres?host=" + folder_.path();
}

void PostgresServer::Kill() { Run(programs_ + "/pg_ctl -D data -m immediate stop"); }

void PostgresServer::Restart() {
  EXPECT_TRUE(Run(programs_ +
                  "/pg_ctl -D data -l log -w -o \"-c listen_addresses= -c fsync=off -k " +
                  folder_.path() + "\" start"));
}

bool PostgresServer::Run(const std::string& command) const {
  std::string line = "cd '" + folder_.path() + "' && ";
  if (::getuid() == 0) line += "setpriv --reuid nobody --regid nogroup --clear-groups ";
  line += command + " >>output 2>&1";
  // The file of the output belongs to whoever runs this.
  return ::system(line.c_str()) == 0;
}

}  // namespace cursor_gateway
