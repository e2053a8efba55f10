#include "collab/socket/web_socket.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collab/socket/script_server.h"
#include "cursorwire/connect/error_info.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

namespace websocket = boost::beast::websocket;
using absl::StatusCode;
using std::chrono::milliseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CheckWebSocketUrl, SaysWhatToDo) {
  const struct {
    const char* name;
    std::string url;
    bool allow_plaintext;
    const char* error;  // nullptr: it is fine
  } kCases[] = {
      {"TLS", "wss://sync.example.test", false, nullptr},
      {"path and query", "wss://sync.example.test:8443/sync/x?token=1", false, nullptr},
      {"query alone", "wss://sync.example.test?token=1", false, nullptr},
      {"upper case", "WSS://Sync.Example.Test/", false, nullptr},
      {"plaintext to this machine", "ws://localhost:3030/", false, nullptr},
      {"plaintext to this machine, IPv4", "ws://127.0.0.1:3030", false, nullptr},
      {"plaintext to this machine, IPv6", "ws://[::1]:3030/", false, nullptr},
      {"plaintext, allowed", "ws://sync.example.test/", true, nullptr},
      {"plaintext", "ws://sync.example.test/secret", false, "use wss://, or --allow-plaintext"},
      {"plaintext, like loopback", "ws://127.0.0.1.example.test/", false, "use wss://"},
      {"HTTP", "https://sync.example.test/secret", false, "begin with wss:// or ws://"},
      {"no scheme", "sync.example.test/secret", false, "begin with wss:// or ws://"},
      {"empty", "", false, "begin with wss:// or ws://"},
      {"user", "wss://me:secret@sync.example.test/", false, "user name or password"},
      {"user in plaintext", "ws://secret@sync.example.test/", false, "user name or password"},
      {"fragment", "wss://sync.example.test/#secret", false, "'#'"},
      {"no host", "wss:///secret", false, "no host"},
      {"bad port", "wss://sync.example.test:0/secret", false, "port"},
      {"blank in the path", "wss://sync.example.test/secret path", false, "%XX"},
      {"line end in the query", "wss://sync.example.test/?secret\r\nX: y", false, "%XX"},
      {"long path", "wss://sync.example.test/" + std::string(8192, 's'), false, "8192"},
      {"not ASCII", "wss://sync.example.test/s\xC3\xA9", false, "%XX"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = CheckWebSocketUrl(c.url, c.allow_plaintext);
    if (c.error == nullptr) {
      EXPECT_THAT(status, IsOk());
    } else {
      EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument,
                                   AllOf(HasSubstr(c.error), Not(HasSubstr("secret")))));
    }
  }
}

TEST(WebSocket, CarriesMessagesBothWays) {
  ScriptServer server({EchoScript});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.on_opened = [&] {
    bench.socket->Send("one");
    bench.socket->Send("");
    bench.socket->Send(std::string("\0\xFF", 2));
  };
  bench.on_message = [&] {
    if (bench.messages.size() == 3) bench.loop.Stop();
  };
  bench.Run();
  EXPECT_THAT(bench.messages, ElementsAre("one", "", std::string("\0\xFF", 2)));
  EXPECT_EQ(bench.opened, 1);
  EXPECT_THAT(bench.closed, ElementsAre());
}

TEST(WebSocket, CarriesALargeMessage) {
  std::string large(size_t{1} << 20, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31 >> 3);
  ScriptServer server({EchoScript});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.on_opened = [&] { bench.socket->Send(large); };
  bench.Run();
  ASSERT_EQ(bench.messages.size(), 1U);
  EXPECT_TRUE(bench.messages[0] == large);
}

TEST(WebSocket, AsksForWhatTheUrlSays) {
  std::promise<std::string> head;
  ScriptServer server({[&](tcp::socket& socket) { head.set_value(ReadHead(socket)); }});
  SocketBench bench;
  bench.options.url = server.Url("ws://127.0.0.1", "/sync/x?token=1&a=%20");
  bench.Run();
  EXPECT_THAT(test::WaitFor(head.get_future()),
              AllOf(HasSubstr("GET /sync/x?token=1&a=%20 HTTP/1.1\r\n"),
                    HasSubstr("Host: " + server.Url("127.0.0.1", "\r\n")),
                    HasSubstr("User-Agent: cursorwire\r\n"), Not(HasSubstr("Extensions")),
                    Not(HasSubstr("Protocol"))));
}

TEST(WebSocket, TriesAllAddressesOfAName) {
  ScriptServer server({EchoScript});  // not on ::1, which localhost may be, too
  SocketBench bench;
  bench.options.url = server.Url("ws://localhost");
  bench.on_opened = [&] { bench.loop.Stop(); };
  bench.Run();
  EXPECT_EQ(bench.opened, 1);
}

TEST(WebSocket, SendsAndTakesTextIfAsked) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    const std::string text = ReadMessage(stream);
    const bool was_text = stream.got_text();
    WriteMessage(stream, "dropped");
    stream.text(true);
    stream.write(boost::asio::buffer(text + (was_text ? " as text" : " as binary")));
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.kind = MessageKind::kText;
  bench.on_opened = [&] { bench.socket->Send("sent"); };
  bench.Run();
  EXPECT_THAT(bench.messages, ElementsAre("sent as text"));
}

TEST(WebSocket, SendsAndTakesBothKindsIfAsked) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    Echo(stream);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.takes_both_kinds = true;
  bench.on_opened = [&] {
    bench.socket->Send("text", MessageKind::kText);
    bench.socket->Send(std::string(300'000, 'x'), MessageKind::kBinary);  // several pieces
    bench.socket->Send("more text", MessageKind::kText);
    bench.socket->Send("as is usual");
  };
  bench.on_message = [&] {
    if (bench.messages.size() == 4) bench.loop.Stop();
  };
  bench.Run();
  EXPECT_THAT(bench.kinds, ElementsAre(MessageKind::kText, MessageKind::kBinary, MessageKind::kText,
                                       MessageKind::kBinary));
  EXPECT_THAT(bench.messages,
              ElementsAre("text", std::string(300'000, 'x'), "more text", "as is usual"));
}

TEST(WebSocket, SendsItsHeadersWithTheHandshake) {
  std::promise<std::string> promise;
  ScriptServer server({[&](tcp::socket& socket) { promise.set_value(ReadHead(socket)); }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.headers = {{"x-key", "a b+/="}, {"x-token", ""}};
  bench.Run();
  const std::string head = test::WaitFor(promise.get_future());
  EXPECT_THAT(head, HasSubstr("x-key: a b+/=\r\n"));
  EXPECT_THAT(head, HasSubstr("x-token: \r\n"));
}

TEST(WebSocket, RefusesHeadersThatAreNone) {
  const std::vector<std::pair<std::string, std::string>> headers[] = {
      {{"", "value"}},      {{"a b", "value"}},        {{"name:", "value"}},
      {{"name", "a\r\nb"}}, {{"name", "\xff-secret"}}, {{"name", std::string("\0", 1)}}};
  for (const auto& of_this : headers) {
    SocketBench bench;
    bench.options.url = "ws://127.0.0.1:1/";
    bench.options.headers = of_this;
    bench.Run();
    ASSERT_EQ(bench.closed.size(), 1);
    EXPECT_EQ(bench.closed[0].code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(bench.closed[0].message()), Not(HasSubstr("secret")));
  }
}

TEST(WebSocket, DropsTextWhereItIsBinary) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    stream.text(true);
    stream.write(boost::asio::buffer("dropped", 7));
    WriteMessage(stream, "taken");
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.Run();
  EXPECT_THAT(bench.messages, ElementsAre("taken"));
}

TEST(WebSocket, DropsWhatIsSentWhileItIsNotOpen) {
  ScriptServer server({EchoScript});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.socket = std::make_unique<WebSocket>(bench.loop, bench.options, bench);
  bench.socket->Send("too early");
  bench.on_opened = [&] { bench.socket->Send("sent"); };
  bench.socket->Start();
  bench.socket->Send("too early");
  bench.RunOn();
  EXPECT_THAT(bench.messages, ElementsAre("sent"));
}

TEST(WebSocket, AnswersPings) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    std::string pong = "nothing";
    stream.control_callback([&](websocket::frame_type kind, boost::beast::string_view payload) {
      if (kind == websocket::frame_type::pong) pong = std::string(payload);
    });
    stream.ping("are you there");
    WriteMessage(stream, "after the ping");
    ReadMessage(stream);
    WriteMessage(stream, pong);
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.on_message = [&] {
    if (bench.messages.size() == 2) bench.loop.Stop();
    bench.socket->Send("after the pong");
  };
  bench.Run();
  EXPECT_THAT(bench.messages, ElementsAre("after the ping", "are you there"));
}

TEST(WebSocket, StaysWithAServerThatAnswersPings) {
  std::atomic<int> pings = 0;
  ScriptServer server({[&](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    stream.control_callback([&](websocket::frame_type kind, boost::beast::string_view) {
      if (kind == websocket::frame_type::ping && ++pings == 3) {
        socket.shutdown(tcp::socket::shutdown_both);
      }
    });
    ReadMessage(stream);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.ping_interval = milliseconds(1);
  bench.options.pong_timeout = test::kPatience;
  bench.Run();
  EXPECT_EQ(pings, 3);
  ASSERT_EQ(bench.closed.size(), 1U);
  EXPECT_THAT(bench.closed[0],
              StatusIs(StatusCode::kUnavailable, Not(HasSubstr("does not answer"))));
}

TEST(WebSocket, LeavesAServerThatDoesNotAnswerPingsAndComesBack) {
  ScriptServer server({[](tcp::socket& socket) {
                         ServerSocket stream(socket);
                         stream.accept();
                         ReadToEnd(socket);
                       },
                       EchoScript});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.ping_interval = milliseconds(30);
  bench.options.pong_timeout = milliseconds(30);
  bench.on_closed = [] {};
  bench.on_opened = [&] {
    if (bench.opened == 2) bench.loop.Stop();
  };
  bench.Run();
  ASSERT_EQ(bench.closed.size(), 1U);
  EXPECT_THAT(bench.closed[0], StatusIs(StatusCode::kUnavailable, HasSubstr("does not answer")));
}

// Connects, is closed with this code by the server, and connects again.
void ReconnectAfterClose(SocketBench& bench, const websocket::close_reason& reason) {
  ScriptServer server({[&](tcp::socket& socket) {
                         ServerSocket stream(socket);
                         stream.accept();
                         stream.close(reason);
                       },
                       EchoScript});
  bench.options.url = server.Url("ws://127.0.0.1", "/?token=secret");
  bench.options.first_delay = milliseconds(3);
  bench.options.max_delay = milliseconds(3);
  bench.on_closed = [] {};
  bench.on_opened = [&] {
    if (bench.opened == 2) bench.loop.Stop();
  };
  bench.Run();
  bench.socket.reset();
  EXPECT_EQ(bench.opened, 2);
  EXPECT_EQ(bench.closed.size(), 1U);
}

TEST(WebSocket, ComesBackAtOnceAfterARestartOfTheServer) {
  const struct {
    const char* name;
    uint16_t code;
    milliseconds delay;
  } kCases[] = {
      {"normal", 1000, milliseconds(3)},
      {"going away", kCloseGoingAway, milliseconds(0)},
      {"service restart", kCloseServiceRestart, milliseconds(0)},
      {"try again later", 1013, milliseconds(3)},
      {"own code", 4001, milliseconds(3)},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    SocketBench bench;
    ReconnectAfterClose(bench, websocket::close_reason(c.code));
    EXPECT_THAT(bench.delays, ElementsAre(c.delay));
    EXPECT_THAT(bench.closed,
                ElementsAre(StatusIs(StatusCode::kUnavailable,
                                     HasSubstr("with code " + std::to_string(c.code)))));
  }
}

TEST(WebSocket, QuotesTheReasonOfTheServerPrintably) {
  SocketBench bench;
  ReconnectAfterClose(bench, {websocket::close_code::policy_error, "no\r\n\x1B[31mway"});
  EXPECT_THAT(bench.closed,
              ElementsAre(StatusIs(StatusCode::kUnavailable,
                                   AllOf(HasSubstr("no???[31mway"), Not(HasSubstr("secret"))))));
}

TEST(WebSocket, EndsAConnectionThatTheServerClosedButDoesNotEnd) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    const unsigned char kClose[] = {0x88, 2, 0x03, 0xE9};  // 1001
    boost::asio::write(socket, boost::asio::buffer(kClose));
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.close_timeout = milliseconds(1);
  bench.Run();
  EXPECT_THAT(bench.closed,
              ElementsAre(StatusIs(StatusCode::kUnavailable, HasSubstr("code 1001"))));
}

TEST(WebSocket, RefusesAMessageOverItsLimit) {
  std::promise<uint16_t> code;
  ScriptServer server({[&](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    WriteMessage(stream, std::string(1000, 'x'));
    WriteMessage(stream, std::string(1001, 'x'));
    boost::beast::flat_buffer buffer;
    boost::system::error_code error;
    stream.read(buffer, error);
    code.set_value(stream.reason().code);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.max_message_bytes = 1000;
  bench.on_message = [] {};
  bench.Run();
  EXPECT_THAT(bench.messages, ElementsAre(std::string(1000, 'x')));
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kResourceExhausted,
                                                 HasSubstr("more than 1000 bytes"))));
  EXPECT_EQ(test::WaitFor(code.get_future()), 1009);
}

TEST(WebSocket, RefusesALengthBeforeItsBytes) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    const unsigned char kHead[] = {0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    boost::asio::write(socket, boost::asio::buffer(kHead));
    ReadMessage(stream);  // a close frame, after which this end closes
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.Run();
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kResourceExhausted)));
}

TEST(WebSocket, LeavesAServerThatStaysAfterItBrokeTheProtocol) {
  std::promise<void> done;
  ScriptServer server({[wait = done.get_future().share()](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    boost::asio::write(socket, boost::asio::buffer("\xF1\x05hello", 7));
    wait.get();
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.ping_interval = milliseconds(30);
  bench.options.pong_timeout = milliseconds(30);
  bench.Run();
  done.set_value();
  // The second if a slow machine pings before the bytes have come.
  EXPECT_THAT(bench.closed, ElementsAre(::testing::AnyOf(StatusIs(StatusCode::kInternal),
                                                         StatusIs(StatusCode::kUnavailable))));
}

TEST(WebSocket, RefusesWhatBreaksTheProtocol) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    boost::asio::write(socket, boost::asio::buffer("\xF1\x05hello", 7));
    socket.shutdown(tcp::socket::shutdown_send);
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.Run();
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kInternal, HasSubstr("protocol"))));
}

TEST(WebSocket, NamesTheStatusOfAServerThatIsNoWebSocket) {
  ScriptServer server({[](tcp::socket& socket) {
    ReadHead(socket);
    boost::asio::write(socket, boost::asio::buffer(std::string(
                                   "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope")));
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url("ws://127.0.0.1", "/?secret");
  bench.Run();
  EXPECT_THAT(bench.closed,
              ElementsAre(StatusIs(StatusCode::kUnavailable,
                                   AllOf(HasSubstr("404"), Not(HasSubstr("secret"))))));
  EXPECT_EQ(connect::GetErrorInfo(bench.closed.at(0)).value_or(connect::ErrorInfo()).http_status,
            404);
}

TEST(WebSocket, TellsOfALoginThatIsRefused) {
  for (const auto& [answer, code] : {std::pair("401 Unauthorized", StatusCode::kUnauthenticated),
                                     std::pair("403 Forbidden", StatusCode::kPermissionDenied),
                                     std::pair("407 Proxy", StatusCode::kUnavailable),
                                     std::pair("503 Later", StatusCode::kUnavailable)}) {
    SCOPED_TRACE(answer);
    const std::string head = std::string("HTTP/1.1 ") + answer + "\r\nContent-Length: 0\r\n\r\n";
    ScriptServer server({[&head](tcp::socket& socket) {
      ReadHead(socket);
      boost::asio::write(socket, boost::asio::buffer(head));
      ReadToEnd(socket);
    }});
    SocketBench bench;
    bench.options.url = server.Url("ws://127.0.0.1", "/?secret");
    bench.Run();
    EXPECT_THAT(bench.closed,
                ElementsAre(StatusIs(code, AllOf(HasSubstr(std::string("status ") +
                                                           std::string(answer).substr(0, 3)),
                                                 Not(HasSubstr("secret"))))));
    const auto info = connect::GetErrorInfo(bench.closed.at(0)).value_or(connect::ErrorInfo());
    EXPECT_EQ(info.http_status, std::stoi(answer));
    EXPECT_TRUE(info.replay_safe);
  }
}

// Whatever it says, and sends, after the head of an answer that is no upgrade.
TEST(WebSocket, TakesNothingOfAnAnswerThatIsNoUpgradeButItsHead) {
  for (const std::string length :
       {"Content-Length: 20000000000", "Content-Length: 9223372036854775807",
        "Transfer-Encoding: chunked"}) {
    SCOPED_TRACE(length);
    std::atomic<size_t> taken = 0;
    {
      ScriptServer server({[&](tcp::socket& socket) {
        ReadHead(socket);
        boost::asio::write(socket, boost::asio::buffer("HTTP/1.1 401 Unauthorized\r\n" + length +
                                                       "\r\n\r\n7ffffff0\r\n"));
        const std::string piece(65536, 'x');
        boost::system::error_code error;
        while (!error && taken < size_t{256} * 1024 * 1024) {
          taken += boost::asio::write(socket, boost::asio::buffer(piece), error);
        }
      }});
      SocketBench bench;
      bench.options.url = server.Url();
      bench.Run();
      EXPECT_THAT(bench.closed,
                  ElementsAre(StatusIs(StatusCode::kUnauthenticated, HasSubstr("status 401"))));
    }
    // No more than what systems hold.
    EXPECT_LT(taken, size_t{64} * 1024 * 1024);
  }
}

// The head that RFC 6455, 4.2.2 asks for.
std::string AcceptHead(const std::string& request) {
  constexpr std::string_view kName = "Sec-WebSocket-Key: ";
  const size_t at = request.find(kName) + kName.size();
  const std::string key =
      request.substr(at, request.find("\r\n", at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char hash[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(key.data()), key.size(), hash);
  unsigned char text[64];
  const int size = EVP_EncodeBlock(text, hash, sizeof(hash));
  return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Accept: " +
         std::string(reinterpret_cast<char*>(text), static_cast<size_t>(size)) + "\r\n\r\n";
}

TEST(WebSocket, TakesMessagesThatComeWithTheAnswer) {
  std::string frames;
  for (int i = 0; i < 2000; ++i) frames += std::string("\x82\x05") + "hello";
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{100000}}) {
    SCOPED_TRACE(piece);
    ScriptServer server({[&](tcp::socket& socket) {
      socket.set_option(tcp::no_delay(true));
      const std::string answer = AcceptHead(ReadHead(socket)) + frames;
      for (size_t at = 0; at < answer.size(); at += piece) {
        boost::asio::write(socket, boost::asio::buffer(answer.substr(at, piece)));
      }
      ReadToEnd(socket);
    }});
    SocketBench bench;
    bench.options.url = server.Url();
    bench.on_message = [&] {
      if (bench.messages.size() == 2000) bench.loop.Stop();
    };
    bench.Run();
    EXPECT_EQ(bench.messages, std::vector<std::string>(2000, "hello"));
    EXPECT_THAT(bench.closed, ElementsAre());
  }
}

TEST(WebSocket, TellsOfAHandshakeThatFails) {
  const struct {
    const char* name;
    std::string answer;
  } kCases[] = {
      {"garbage", "SSH-2.0-OpenSSH_9.2\r\n\r\n"},
      {"nothing", ""},
      {"half an answer", "HTTP/1.1 101 Switching"},
      {"no upgrade", "HTTP/1.1 101 Switching Protocols\r\n\r\n"},
      {"no status", "HTTP/1.1 1x1 Switching Protocols\r\n\r\n"},
      {"a head without an end", "HTTP/1.1 101 Switching\r\nx: " + std::string(100000, 'x')},
      {"another key",
       "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
       "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ScriptServer server({[&](tcp::socket& socket) {
      ReadHead(socket);
      boost::asio::write(socket, boost::asio::buffer(c.answer));
      socket.shutdown(tcp::socket::shutdown_send);
      ReadToEnd(socket);
    }});
    SocketBench bench;
    bench.options.url = server.Url();
    bench.Run();
    bench.socket.reset();
    EXPECT_THAT(bench.closed,
                ElementsAre(StatusIs(StatusCode::kUnavailable, HasSubstr("handshake"))));
    EXPECT_EQ(bench.opened, 0);
  }
}

TEST(WebSocket, DoesNotWaitForASilentServer) {
  ScriptServer server({ReadToEnd});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.connect_timeout = milliseconds(50);
  bench.Run();
  EXPECT_THAT(bench.closed,
              ElementsAre(StatusIs(StatusCode::kUnavailable, HasSubstr("within 50 ms"))));
}

TEST(WebSocket, TellsOfEachRefusedConnection) {
  SocketBench bench;
  bench.options.url = ScriptServer({}).Url();
  bench.on_closed = [&] {
    if (bench.closed.size() == 3) bench.loop.Stop();
  };
  bench.Run();
  ASSERT_EQ(bench.closed.size(), 3U);
  for (const absl::Status& status : bench.closed) {
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("refused")));
  }
}

// 127.0.0.1, as a resolver gives it.
net::Address LoopbackAddress(int port) {
  net::Address address;
  sockaddr_in inet{};
  inet.sin_family = AF_INET;
  inet.sin_port = htons(static_cast<uint16_t>(port));
  inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::memcpy(&address.storage, &inet, sizeof(inet));
  address.size = sizeof(inet);
  return address;
}

TEST(WebSocket, TriesTheNextAddressOfAHost) {
  const int refused = ScriptServer({}).port();
  ScriptServer server({ReadToEnd});
  SocketBench bench;
  bench.options.url = "ws://localhost:1/";
  bench.options.connect_timeout = milliseconds(50);
  std::atomic<int> asked = 0;
  bench.options.resolver = [&](const std::string& host, int port) {
    EXPECT_EQ(host, "localhost");
    EXPECT_EQ(port, 1);
    ++asked;
    return std::vector<net::Address>{LoopbackAddress(refused), LoopbackAddress(server.port())};
  };
  bench.Run();
  EXPECT_GE(asked, 1);
  // The second one is silent, and does not refuse.
  EXPECT_THAT(bench.closed,
              ElementsAre(StatusIs(StatusCode::kUnavailable, HasSubstr("within 50 ms"))));
}

TEST(WebSocket, IsNotHeldUpByASlowNameServer) {
  std::promise<void> answer;
  {
    SocketBench bench;
    bench.options.url = "ws://localhost:1/";
    bench.options.connect_timeout = milliseconds(50);
    bench.options.resolver = [answered = answer.get_future().share()](
                                 const std::string&,
                                 int) -> absl::StatusOr<std::vector<net::Address>> {
      answered.wait();
      return absl::UnavailableError("too late");
    };
    bench.Run();
    EXPECT_THAT(bench.closed,
                ElementsAre(StatusIs(StatusCode::kUnavailable, HasSubstr("within 50 ms"))));
  }
  answer.set_value();  // only now, and all of the bench is gone
}

TEST(WebSocket, RefusesPlaintextToAnotherMachine) {
  SocketBench bench;
  bench.options.url = "ws://192.0.2.1/";
  bench.Run();
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kInvalidArgument)));
}

TEST(WebSocket, RefusesTlsWithoutTrust) {
  SocketBench bench;
  bench.options.url = "wss://127.0.0.1:1/";
  bench.Run();
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kInvalidArgument)));
}

TEST(WebSocket, SendsWhatIsUnsentAndACloseFrameAtItsStop) {
  const std::string large(size_t{1} << 20, 'x');
  std::promise<void> read_all;
  std::promise<uint16_t> code;
  ScriptServer server({[&](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    WriteMessage(stream, "not told any more");
    for (int i = 0; i < 3; ++i) {
      if (ReadMessage(stream) != large) return;
    }
    read_all.set_value();
    boost::beast::flat_buffer buffer;
    boost::system::error_code error;
    stream.read(buffer, error);
    code.set_value(stream.reason().code);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.close_timeout = test::kPatience;
  bool in_stop = false;
  bench.on_opened = [&] {
    for (int i = 0; i < 3; ++i) bench.socket->Send(large);
    in_stop = true;
    bench.socket->Stop([&] {
      EXPECT_FALSE(in_stop);
      bench.loop.Stop();
    });
    in_stop = false;
    bench.socket->Send("dropped");
  };
  bench.Run();
  test::WaitFor(read_all.get_future());
  EXPECT_EQ(test::WaitFor(code.get_future()), 1000);
  EXPECT_THAT(bench.messages, ElementsAre());
  EXPECT_THAT(bench.closed, ElementsAre());
}

TEST(WebSocket, StopsThoughTheServerDoesNot) {
  ScriptServer server({[](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    ReadToEnd(socket);
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.close_timeout = milliseconds(1);
  bench.on_opened = [&] { bench.socket->Stop([&] { bench.loop.Stop(); }); };
  bench.Run();
  EXPECT_THAT(bench.closed, ElementsAre());
}

TEST(WebSocket, StopsBeforeItIsOpenAndWhileItWaits) {
  ScriptServer server({ReadToEnd});
  SocketBench connecting;
  connecting.options.url = server.Url();
  connecting.socket = std::make_unique<WebSocket>(connecting.loop, connecting.options, connecting);
  connecting.socket->Start();
  connecting.loop.Post([&] { connecting.socket->Stop([&] { connecting.loop.Stop(); }); });
  connecting.RunOn();
  EXPECT_THAT(connecting.closed, ElementsAre());

  SocketBench waiting;
  waiting.options.url = "ws://192.0.2.1/";
  waiting.on_closed = [&] { waiting.socket->Stop([&] { waiting.loop.Stop(); }); };
  waiting.Run();
  EXPECT_EQ(waiting.closed.size(), 1U);
}

TEST(WebSocket, FailsWithACodeAndComesBack) {
  std::promise<uint16_t> code;
  ScriptServer server({[&](tcp::socket& socket) {
                         ServerSocket stream(socket);
                         stream.accept();
                         boost::beast::flat_buffer buffer;
                         boost::system::error_code error;
                         while (!error) stream.read(buffer, error);
                         code.set_value(stream.reason().code);
                       },
                       EchoScript});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.close_timeout = test::kPatience;
  bench.on_closed = [] {};
  bench.on_opened = [&] {
    if (bench.opened == 2) {
      bench.loop.Stop();
      return;
    }
    bench.socket->Send(std::string(size_t{8} << 20, 'x'));
    bench.socket->Send("dropped");
    bench.socket->Fail(kCloseProtocolError, absl::InternalError("nonsense"));
    bench.socket->Fail(kCloseProtocolError, absl::InternalError("once is enough"));
    EXPECT_THAT(bench.closed, ElementsAre());
  };
  bench.Run();
  EXPECT_EQ(test::WaitFor(code.get_future()), kCloseProtocolError);
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kInternal, HasSubstr("nonsense"))));
}

TEST(WebSocket, GivesUpAServerThatDoesNotRead) {
  std::promise<void> done;
  std::shared_future<void> wait(done.get_future());
  ScriptServer server({[wait](tcp::socket& socket) {
    ServerSocket stream(socket);
    stream.accept();
    wait.get();
  }});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.options.close_timeout = milliseconds(1);
  bench.on_opened = [&] {
    bench.socket->Send("taken");
    bench.socket->Send(std::string(WebSocket::kMaxUnsentBytes, 'x'));
  };
  bench.Run();
  EXPECT_THAT(bench.closed, ElementsAre(StatusIs(StatusCode::kResourceExhausted)));
  done.set_value();
}

TEST(WebSocket, MayBeDestroyedInEachCallOfItsUser) {
  enum class Where { kOpened, kMessage, kClosed };
  const struct {
    const char* name;
    Where where;
  } kCases[] = {
      {"opened", Where::kOpened}, {"message", Where::kMessage}, {"closed", Where::kClosed}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ScriptServer server({[](tcp::socket& socket) {
      ServerSocket stream(socket);
      stream.accept();
      WriteMessage(stream, ReadMessage(stream));
      stream.close(websocket::close_code::normal);
    }});
    SocketBench bench;
    bench.options.url = server.Url();
    const auto destroy = [&] {
      bench.socket.reset();
      bench.loop.Stop();
    };
    bench.on_opened = [&] {
      bench.socket->Send("message");
      if (c.where == Where::kOpened) destroy();
    };
    bench.on_message = [&] {
      if (c.where == Where::kMessage) destroy();
    };
    bench.on_closed = destroy;
    bench.Run();
    EXPECT_EQ(bench.socket, nullptr);
    EXPECT_EQ(bench.messages.size(), c.where == Where::kOpened ? 0U : 1U);
    EXPECT_EQ(bench.closed.size(), c.where == Where::kClosed ? 1U : 0U);
  }
}

TEST(WebSocket, DropsItsLastCallIfItIsDestroyed) {
  ScriptServer server({EchoScript});
  SocketBench bench;
  bench.options.url = server.Url();
  bench.on_opened = [&] {
    bench.socket->Stop([] { ADD_FAILURE() << "called after its end"; });
    bench.socket.reset();
    bench.loop.Stop();
  };
  bench.Run();
}

}  // namespace
}  // namespace cursorwire::collab
