#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "collab/socket/script_server.h"
// After the header that mends Boost.
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include "support/status_matchers.h"
#include "tls/certificate_authority.h"

namespace cursorwire::collab {
namespace {

namespace ssl = boost::asio::ssl;
using absl::StatusCode;
using connect::TlsContext;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Trust, and a server of it.
class TlsBench {
 public:
  explicit TlsBench(const std::string& names) {
    const auto authority =
        tls::CertificateAuthority::Create(std::chrono::system_clock::now(), std::chrono::hours(24));
    EXPECT_THAT(authority, IsOk());
    const auto identity = authority->Issue(names);
    EXPECT_THAT(identity, IsOk());
    trust = *TlsContext::Create({.ca_pem = authority->certificate_pem()});
    context.use_certificate_chain(boost::asio::buffer(identity->certificate_pem));
    context.use_private_key(boost::asio::buffer(identity->private_key_pem), ssl::context::pem);
    SSL_CTX_set_alpn_select_cb(context.native_handle(), TakeAlpn, this);
  }

  // Echoes, after a first message that says what the client has asked for.
  ScriptServer::Script EchoScript() {
    return [this](tcp::socket& socket) {
      boost::beast::websocket::stream<ssl::stream<tcp::socket&>> stream(socket, context);
      stream.next_layer().handshake(ssl::stream_base::server);
      const char* const name =
          SSL_get_servername(stream.next_layer().native_handle(), TLSEXT_NAMETYPE_host_name);
      stream.accept();
      WriteMessage(stream, alpn + " " + (name == nullptr ? "no name" : name));
      Echo(stream);
    };
  }

  std::shared_ptr<const TlsContext> trust;
  ssl::context context{ssl::context::tls_server};

 private:
  static int TakeAlpn(SSL*, const unsigned char** out, unsigned char* out_size,
                      const unsigned char* offered, unsigned int size, void* bench) {
    static_cast<TlsBench*>(bench)->alpn.assign(reinterpret_cast<const char*>(offered), size);
    *out = offered + 1;
    *out_size = offered[0];
    return SSL_TLSEXT_ERR_OK;
  }

  std::string alpn = "none";
};

TEST(WebSocketTls, CarriesMessagesBothWays) {
  const std::string large(size_t{1} << 20, 'x');
  const struct {
    const char* name;
    const char* host;
    std::string hello;
  } kCases[] = {
      {"address", "wss://127.0.0.1", "\x08http/1.1 no name"},
      {"name", "wss://localhost", "\x08http/1.1 localhost"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    TlsBench tls("DNS:localhost,IP:127.0.0.1");
    ScriptServer server({tls.EchoScript()});
    SocketBench bench;
    bench.options.url = server.Url(c.host);
    bench.options.tls = tls.trust;
    bench.on_opened = [&] { bench.socket->Send(large); };
    bench.on_message = [&] {
      if (bench.messages.size() == 2) bench.loop.Stop();
    };
    bench.Run();
    bench.socket.reset();
    ASSERT_EQ(bench.messages.size(), 2U);
    EXPECT_EQ(bench.messages[0], c.hello);
    EXPECT_TRUE(bench.messages[1] == large);
  }
}

TEST(WebSocketTls, StopsAndOtherConnectionsGoOn) {
  TlsBench tls("IP:127.0.0.1");
  for (int i = 0; i < 2; ++i) {
    ScriptServer server({tls.EchoScript()});
    SocketBench bench;
    bench.options.url = server.Url("wss://127.0.0.1");
    bench.options.tls = tls.trust;
    bench.options.close_timeout = test::kPatience;
    bench.on_message = [&] { bench.socket->Stop([&] { bench.loop.Stop(); }); };
    bench.Run();
    EXPECT_EQ(bench.opened, 1);
    EXPECT_THAT(bench.closed, ElementsAre());
  }
}

TEST(WebSocketTls, MayBeDestroyedWhileItShakesHands) {
  TlsBench tls("IP:127.0.0.1");
  std::promise<void> accepted;
  ScriptServer server({[&](tcp::socket& socket) {
    std::string hello(1, '\0');
    boost::asio::read(socket, boost::asio::buffer(hello));
    accepted.set_value();
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url("wss://127.0.0.1");
  bench.options.tls = tls.trust;
  std::thread destroyer([&] {
    accepted.get_future().wait();
    bench.loop.Post([&] {
      bench.socket.reset();
      bench.loop.Stop();
    });
  });
  bench.Run();
  destroyer.join();
  EXPECT_THAT(bench.closed, ElementsAre());
}

TEST(WebSocketTls, RefusesACertificateThatIsNotTrustedForTheHost) {
  TlsBench own("IP:127.0.0.1");
  const struct {
    const char* name;
    const char* names;
    const char* host;
    bool is_own_authority;
    const char* error;
  } kCases[] = {
      {"unknown authority", "DNS:localhost,IP:127.0.0.1", "127.0.0.1", false, "certificate"},
      {"another name", "DNS:other.example.test", "localhost", true, "hostname mismatch"},
      {"another address", "DNS:127.0.0.1,IP:127.0.0.2", "127.0.0.1", true, "IP address mismatch"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    TlsBench tls(c.names);
    ScriptServer server({tls.EchoScript()});
    SocketBench bench;
    bench.options.url = server.Url(std::string("wss://") + c.host);
    bench.options.tls = c.is_own_authority ? tls.trust : own.trust;
    bench.Run();
    bench.socket.reset();
    EXPECT_EQ(bench.opened, 0);
    EXPECT_THAT(bench.closed,
                ElementsAre(StatusIs(StatusCode::kUnavailable,
                                     AllOf(HasSubstr(std::string("the certificate of ") + c.host +
                                                     " is not trusted: "),
                                           ::testing::ContainsRegex(c.error)))));
  }
}

TEST(WebSocketTls, TellsOfAServerWithoutTls) {
  TlsBench tls("IP:127.0.0.1");
  ScriptServer server({[](tcp::socket& socket) {
    boost::asio::write(socket,
                       boost::asio::buffer(std::string("HTTP/1.1 400 Bad Request\r\n\r\n")));
    socket.shutdown(tcp::socket::shutdown_send);
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url("wss://127.0.0.1");
  bench.options.tls = tls.trust;
  bench.Run();
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kUnavailable,
                                                 HasSubstr("TLS: handshake with 127.0.0.1"))));
}

}  // namespace
}  // namespace cursorwire::collab
