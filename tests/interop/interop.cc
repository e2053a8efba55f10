#include "interop/interop.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) return value;
  std::cerr << name << " is not set: tests/interop/run.sh starts the server and this program\n";
  std::exit(2);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Interop::Interop() : channel_(NewChannel()) {}

connect::Channel Interop::NewChannel() {
  auto channel =
      GetParam() == Transport::kTls
          ? connect::Channel::Create(FromEnvironment("INTEROP_TLS_URL"),
                                     {.tls = {.ca_pem = ReadFile(FromEnvironment("INTEROP_CA"))}})
          : connect::Channel::Create(FromEnvironment("INTEROP_H2C_URL"));
  if (channel.ok()) return *std::move(channel);
  std::cerr << channel.status() << "\n";
  std::exit(2);
}

std::string Interop::Key() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }

void Interop::AwaitCancel() const {
  pb::AwaitCancelRequest request;
  request.set_key(Key());
  EXPECT_THAT(connect::Unary(channel_, kAwaitCancel, request, {.timeout = std::chrono::minutes(1)}),
              IsOk());
}

std::string TransportName(const testing::TestParamInfo<Transport>& info) {
  return info.param == Transport::kTls ? "Tls" : "H2c";
}

}  // namespace cursorwire::test
