#ifndef CURSORWIRE_TESTS_SUPPORT_TEST_PROXY_H_
#define CURSORWIRE_TESTS_SUPPORT_TEST_PROXY_H_

#include <memory>
#include <string>
#include <vector>

#include "proxy/proxy_choice.h"

namespace cursorwire::test {

struct TestProxyOptions {
  // kSocks5 takes names as well, as kSocks5h.
  proxy::ProxyKind kind = proxy::ProxyKind::kHttp;
  std::string user{};  // that it wants; empty: none
  std::string password{};
  // To CONNECT, in place of a tunnel; the connection is closed after it.
  std::string answer{};
  // Its first connections are closed as soon as the request is there.
  int closes = 0;
  // Reads, and never answers.
  bool silent = false;
};

// A proxy for tests, with threads of its own, on a port of 127.0.0.1 that the kernel chose. Its
// tunnels lead to 127.0.0.1 at the port that is asked for, whatever the host. Its destructor closes
// all connections. Thread-safe.
class TestProxy {
 public:
  explicit TestProxy(TestProxyOptions options = {});
  ~TestProxy();

  // "http://127.0.0.1:1234", with another scheme for other kinds; a proxy with TLS is "localhost".
  std::string url() const;
  // With a login before the host.
  std::string url(const std::string& login) const;
  // Of a proxy with TLS: who signed its certificate.
  std::string ca_pem() const;
  // What came from each connection before its tunnel, if any: CONNECT's head, or the last request
  // of SOCKS.
  std::vector<std::string> requests() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_TEST_PROXY_H_
