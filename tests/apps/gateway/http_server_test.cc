#include "http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/gateway/http_server_fixture.h"
#include "apps/gateway/raw_client.h"
#include "error_answer.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using cursorwire::test::StatusIs;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Answers with what it was sent, or keeps the request: path "/keep", and "/hold" for many.
class EchoHandler final : public HttpHandler {
 public:
  std::optional<HttpAnswer> OnHead(const HttpHead& head) override {
    if (head.path == "/throw/early") throw std::runtime_error("early");
    if (head.path != "/refuse") return std::nullopt;
    return HttpAnswer{.status = 403, .body = "refused"};
  }
  std::string OwnerOf(const HttpHead& head) override {
    const std::string* owner = head.Find("x-owner");
    return owner == nullptr ? "" : *owner;
  }
  HttpAnswer OnUnreadable(Unreadable why, const HttpHead&) override {
    constexpr int kStatuses[] = {400, 505, 408, 413, 431, 503};  // by what was unreadable
    return {.status = kStatuses[static_cast<size_t>(why)]};
  }
  void OnRequest(std::shared_ptr<HttpExchange> exchange) override {
    if (exchange->head().path == "/keep") {
      exchange->OnGone([this] { gone.set_value(); });
      kept.set_value(std::move(exchange));
    } else if (exchange->head().path == "/hold") {
      held.push_back(std::move(exchange));
    } else if (exchange->head().path.starts_with("/throw")) {
      if (exchange->head().path == "/throw") {
        exchange->OnEnd([this, raw = exchange.get()] { note.set_value(raw->note()); });
      }
      AnswerSafely(*exchange, [&exchange] {
        if (exchange->head().path == "/throw/late") exchange->StartStream(200, {});
        throw std::runtime_error("a\nb");
      });
    } else if (exchange->head().path == "/stream") {
      exchange->StartStream(200, {});
      exchange->Write("one");
      exchange->Write("two");
      exchange->EndStream();
    } else {
      const std::string* host = exchange->head().Find("host");
      exchange->Answer(
          {.fields = {{"x-path", exchange->head().path}, {"x-host", host == nullptr ? "" : *host}},
           .body = exchange->body()});
    }
  }

  std::promise<std::shared_ptr<HttpExchange>> kept;
  std::vector<std::shared_ptr<HttpExchange>> held;
  std::promise<void> gone;
  std::promise<std::string> note;
};

using HttpServerTest = HttpServerFixture<EchoHandler>;

std::string StatusLine(const std::string& response) {
  return response.substr(0, response.find("\r\n"));
}

TEST_F(HttpServerTest, AnswersWhereAHandlerThrows) {
  RawClient client(port_);
  client.Send(Get("/throw"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(handler_.note.get_future().get(), EndsWith(R"(: a\nb)"));
  client.Send(Get("/throw/late"));
  const std::string cut = client.ReadToEnd();
  EXPECT_THAT(cut, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(cut, Not(EndsWith("0\r\n\r\n")));
}

// Nothing else would read from it.
TEST_F(HttpServerTest, ClosesAConnectionWhereItFailsBeforeThereIsARequest) {
  thread_.Do([this] { thread_.loop().OnFailure([](const char*) {}); });
  RawClient client(port_);
  client.Send(Get("/throw/early"));
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_EQ(Connections(), 0U);
}

TEST_F(HttpServerTest, AnswersOneRequestAfterTheOtherOnAConnection) {
  RawClient client(port_);
  client.Send(Post("/a?query=1", "first"));
  const std::string first = client.ReadResponse();
  EXPECT_THAT(first, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(first, HasSubstr("x-path: /a\r\n"));
  EXPECT_THAT(first, HasSubstr("Date: "));
  EXPECT_THAT(first, EndsWith("first"));
  client.Send(Post("/b", "2") + Post("/c", "3") + Get("/d"));  // ahead
  EXPECT_THAT(client.ReadResponse(), EndsWith("2"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("3"));
  EXPECT_THAT(client.ReadResponse(), HasSubstr("x-path: /d"));
}

TEST_F(HttpServerTest, StreamsInChunksOrUntilTheClose) {
  RawClient client(port_);
  client.Send(Get("/stream"));
  const std::string chunks = client.ReadUntil("0\r\n\r\n");
  EXPECT_THAT(chunks, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(chunks, EndsWith("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
  EXPECT_EQ(BodyOf(chunks), "onetwo");
  const std::string old = client.Ask("GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(old, Not(HasSubstr("chunked")));
  EXPECT_THAT(old, EndsWith("\r\n\r\nonetwo"));
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  RawClient client(port_);
  const std::string response =
      client.Ask("HEAD /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(response, HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(response, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, ReadsChunksWithExtensionsAndTrailers) {
  RawClient client(port_);
  client.Send(
      "POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;name=value\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), EndsWith("abcde"));
}

TEST_F(HttpServerTest, ReadsARequestByteByByte) {
  RawClient client(port_);
  for (const char c : Post("/a", "body")) client.Send(std::string(1, c));
  EXPECT_THAT(client.ReadResponse(), EndsWith("body"));
}

TEST_F(HttpServerTest, TellsAClientToSendItsBody) {
  RawClient client(port_);
  client.Send(
      "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_THAT(client.ReadResponse(), EndsWith("ok"));
}

TEST_F(HttpServerTest, RefusesBadRequestsAndCloses) {
  const std::string host = "Host: localhost\r\n";
  const struct {
    const char* name;
    std::string request;
  } cases[] = {
      {"length and chunks", "POST / HTTP/1.1\r\n" + host +
                                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"two lengths",
       "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
      {"odd length", "POST / HTTP/1.1\r\n" + host + "Content-Length: +5\r\n\r\nhello"},
      {"unknown coding",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
      {"two codings",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
      {"chunks of HTTP/1.0",
       "POST / HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"bad chunk size",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"},
      {"folded header", "GET / HTTP/1.1\r\n" + host + "A: b\r\n c: d\r\n\r\n"},
      {"blank before the colon", "GET / HTTP/1.1\r\n" + host + "A : b\r\n\r\n"},
      {"no HTTP", "hello\r\n\r\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string response = RawClient(port_).Ask(c.request);
    EXPECT_THAT(StatusLine(response), EndsWith(" 400 Bad Request"));
  }
}

TEST_F(HttpServerTest, RefusesOtherVersions) {
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  for (const std::string& request : {preface, Get("/").replace(Get("/").find("1.1"), 3, "0.9"),
                                     std::string("\x16\x03\x01\0", 4)}) {
    SCOPED_TRACE(request);
    EXPECT_THAT(StatusLine(RawClient(port_).Ask(request)), HasSubstr(" 505 "));
  }
  RawClient slow(port_);
  for (const char byte : preface.substr(0, 18)) slow.Send(std::string(1, byte));
  EXPECT_THAT(StatusLine(slow.ReadToEnd()), HasSubstr(" 505 "));
}

TEST_F(HttpServerTest, BoundsHeadsAndBodies) {
  const std::string large(kMaxHeadBytes, 'x');
  EXPECT_THAT(StatusLine(RawClient(port_).Ask(Get("/", "A: " + large + "\r\n"))),
              HasSubstr(" 431 "));
  // Without an end, too.
  EXPECT_THAT(StatusLine(RawClient(port_).Ask("GET / HTTP/1.1\r\nA: " + large)),
              HasSubstr(" 431 "));
  // At once if it is announced.
  EXPECT_THAT(StatusLine(RawClient(port_).Ask(
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50331649\r\n\r\n")),
              HasSubstr(" 413 "));
  RawClient chunks(port_);
  chunks.Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string piece = "100000\r\n" + std::string(0x100000, 'x') + "\r\n";
  for (int i = 0; i < 49; ++i) chunks.Send(piece);
  EXPECT_THAT(StatusLine(chunks.ReadToEnd()), HasSubstr(" 413 "));
}

TEST_F(HttpServerTest, ReadsABodyOfTheLargestSize) {
  RawClient client(port_);
  client.Send(Post("/a", std::string(kMaxBodyBytes, 'x')));
  EXPECT_GT(client.ReadResponse().size(), kMaxBodyBytes);
}

TEST_F(HttpServerTest, RefusesBeforeTheBodyIsRead) {
  RawClient client(port_);
  const std::string response = client.Ask(
      "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nonly the beginning");
  EXPECT_THAT(response, StartsWith("HTTP/1.1 403 Forbidden"));
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  // A request that has none leaves the connection as it is.
  RawClient other(port_);
  other.Send(Get("/refuse") + Get("/b"));
  EXPECT_THAT(other.ReadResponse(), EndsWith("refused"));
  EXPECT_THAT(other.ReadResponse(), HasSubstr("x-path: /b"));
}

TEST_F(HttpServerTest, GivesUpOnSlowClients) {
  RawClient silent(port_);
  RawClient slow_head(port_);
  slow_head.Send("GET / HTTP/1.1\r\n");
  RawClient slow_body(port_);
  slow_body.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  slow_body.ReadUntil("\r\n\r\n");
  RawClient idle(port_);
  idle.Send(Get("/a"));
  idle.ReadResponse();
  thread_.Advance(seconds(11));
  EXPECT_THAT(slow_head.ReadToEnd(), StartsWith("HTTP/1.1 408"));
  EXPECT_THAT(silent.ReadToEnd(), StartsWith("HTTP/1.1 408"));
  thread_.Advance(seconds(20));
  EXPECT_THAT(slow_body.ReadToEnd(), StartsWith("HTTP/1.1 408"));
  idle.Send(Get("/a"));
  EXPECT_THAT(idle.ReadResponse(), StartsWith("HTTP/1.1 200"));
  thread_.Advance(seconds(76));
  EXPECT_TRUE(idle.IsClosed());
}

TEST_F(HttpServerTest, NoticesAClientThatLeavesWhileNothingIsSent) {
  for (const bool by_reset : {false, true}) {
    handler_.kept = {};
    handler_.gone = {};
    RawClient client(port_);
    client.Send(Get("/keep"));
    HttpExchange& exchange = Kept();
    thread_.Do([&] { exchange.StartStream(200, {}); });
    client.ReadUntil("\r\n\r\n");
    by_reset ? client.Reset() : client.Close();
    EXPECT_EQ(handler_.gone.get_future().wait_for(seconds(10)), std::future_status::ready);
    thread_.Do([&] {
      exchange.Write("nobody reads this");
      exchange.EndStream();
    });
  }
}

TEST_F(HttpServerTest, TellsWhenASlowReaderHasTakenAll) {
  RawClient client(port_);
  client.Send(Get("/keep"));
  HttpExchange& exchange = Kept();
  std::promise<void> writable;
  thread_.Do([&] {
    exchange.StartStream(200, {});
    exchange.Write(std::string(16'000'000, 'x'));
    exchange.OnWritable([&] { writable.set_value(); });
    EXPECT_GT(exchange.unsent_bytes(), 0U);
  });
  std::future<void> taken = writable.get_future();
  EXPECT_EQ(taken.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  client.ReadUntil("\r\n\r\n");
  client.ReadUntil("xxx\r\n");
  EXPECT_EQ(taken.wait_for(seconds(10)), std::future_status::ready);
  thread_.Do([&] {
    EXPECT_EQ(exchange.unsent_bytes(), 0U);
    exchange.EndStream();
  });
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
}

TEST_F(HttpServerTest, ClosesWhenAnAnswerIsGivenUp) {
  RawClient client(port_);
  client.Send(Get("/keep"));
  Kept();
  thread_.Do([&] {
    kept_->StartStream(200, {});
    kept_->Write("part");
    kept_.reset();
  });
  EXPECT_THAT(client.ReadToEnd(), Not(HasSubstr("0\r\n\r\n")));
}

TEST_F(HttpServerTest, BoundsTheBodiesOfAllConnections) {
  // The handler keeps ten of the largest size; the next does not fit.
  std::vector<std::shared_ptr<HttpExchange>> kept;
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string body(kMaxBodyBytes, 'x');
  for (int i = 0; i < 10; ++i) {
    thread_.Do([this] { handler_.kept = {}; });  // where it was kept
    clients.push_back(std::make_unique<RawClient>(port_));
    clients.back()->Send(Post("/keep", body));
    kept.push_back(handler_.kept.get_future().get());
  }
  const std::string head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size());
  RawClient late(port_);
  late.Send(head + "\r\n\r\n");
  EXPECT_THAT(late.ReadToEnd(), StartsWith("HTTP/1.1 503"));
  RawClient small(port_);
  small.Send(Post("/", "small"));
  EXPECT_THAT(small.ReadResponse(), EndsWith("small"));
  RawClient pieces(port_);
  pieces.Send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3000000\r\n");
  pieces.Send(std::string_view(body).substr(0, size_t{33} * 1024 * 1024));
  EXPECT_THAT(pieces.ReadUntil("\r\n"), StartsWith("HTTP/1.1 503"));
  // It counts as long as what was made of it lives.
  std::shared_ptr<void> held;
  thread_.Do([&] { held = kept.back()->DropBody(); });
  RawClient later(port_);
  later.Send(head + "\r\n\r\n");
  EXPECT_THAT(later.ReadToEnd(), StartsWith("HTTP/1.1 503"));
  thread_.Do([&] { held.reset(); });
  RawClient again(port_);
  again.Send(head + "\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(again.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  // Before their clients leave, of which the handler tells once only.
  thread_.Do([&] { kept.clear(); });
}

TEST_F(HttpServerTest, BoundsTheBodiesOfAnOwner) {
  std::vector<std::shared_ptr<HttpExchange>> kept;
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string body(size_t{45} * 1024 * 1024, 'x');
  for (int i = 0; i < 2; ++i) {
    thread_.Do([this] { handler_.kept = {}; });  // where it was kept
    clients.push_back(std::make_unique<RawClient>(port_));
    clients.back()->Send(Post("/keep", body, "X-Owner: a\r\n"));
    kept.push_back(handler_.kept.get_future().get());
  }
  RawClient late(port_);
  late.Send(Post("/", body, "X-Owner: a\r\n"));
  EXPECT_THAT(late.ReadUntil("\r\n"), StartsWith("HTTP/1.1 503"));
  for (const char* owner : {"a", "b"}) {
    RawClient client(port_);
    const size_t size = *owner == 'a' ? 1 : body.size();
    client.Send(Post("/", body.substr(0, size), std::string("X-Owner: ") + owner + "\r\n"));
    EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
  }
  thread_.Do([&] { kept.clear(); });
  RawClient again(port_);
  again.Send(Post("/", body, "X-Owner: a\r\n"));
  EXPECT_THAT(again.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, GivesABodyATimeForTheWhole) {
  RawClient slow(port_);
  slow.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n");
  slow.ReadUntil("\r\n\r\n");
  for (auto time = seconds(0); time < kWholeBodyTimeout; time += seconds(20)) {
    slow.Send("x");
    RawClient(port_).Ask("GET / HTTP/1.0\r\nHost: a\r\n\r\n");  // the byte was read before
    thread_.Advance(seconds(20));
  }
  EXPECT_THAT(slow.ReadToEnd(), StartsWith("HTTP/1.1 408"));
}

TEST_F(HttpServerTest, ClosesTheLongestWaitingConnectionForAnother) {
  std::vector<std::unique_ptr<RawClient>> clients;
  const auto add = [&] { clients.push_back(std::make_unique<RawClient>(port_)); };
  add();
  clients[0]->Send(Get("/keep"));
  Kept();
  while (clients.size() < kMaxConnections) {
    add();
    clients.back()->Send(Get("/a"));
    clients.back()->ReadResponse();
  }
  clients[1]->Send(Get("/a"));  // so that the next one has waited longer
  clients[1]->ReadResponse();
  RawClient late(port_);
  late.Send(Get("/late"));
  EXPECT_THAT(late.ReadResponse(), HasSubstr("x-path: /late"));
  EXPECT_TRUE(clients[2]->IsClosed());
  EXPECT_EQ(Connections(), kMaxConnections);
  clients[1]->Send(Get("/a"));
  EXPECT_THAT(clients[1]->ReadResponse(), HasSubstr("x-path: /a"));
}

class FullHttpServerTest : public HttpServerTest {
 protected:
  static constexpr size_t kLargeBytes = size_t{32} * 1024 * 1024;  // no kernel takes it all
  static constexpr std::chrono::milliseconds kStep{100};

  ~FullHttpServerTest() override {
    thread_.Do([this] { handler_.held.clear(); });
  }

  // Each has waited less long than those before.
  RawClient& Add() {
    thread_.Advance(kStep);
    clients_.push_back(std::make_unique<RawClient>(port_));
    return *clients_.back();
  }
  // Asks for an answer that the client does not read.
  RawClient& AddUnread(const std::string& owner = "") {
    thread_.Do([this] {
      kept_.reset();
      handler_.kept = {};
    });
    RawClient& client = Add();
    client.Send(Get("/keep", "X-Owner: " + owner + "\r\n"));
    Kept();
    thread_.Do([this] { kept_->Answer({.body = std::string(kLargeBytes, 'x')}); });
    thread_.Do([] {});  // what that has led to
    return client;
  }
  // Sends a head, and has an answer that its body may come.
  RawClient& AddWithoutBody() {
    RawClient& client = Add();
    client.Send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    client.ReadUntil("\r\n\r\n");
    return client;
  }
  RawClient& AddIdle() {
    RawClient& client = Add();
    ExpectAnswer(client);
    return client;
  }
  // With requests that are being answered, until so many more fit. Meanwhile the kernel takes what
  // it can of an answer.
  void Fill(size_t left) {
    while (clients_.size() + left < kMaxConnections) {
      clients_.push_back(std::make_unique<RawClient>(port_));
      clients_.back()->Send(Get("/hold"));
      const auto is_held = [this, want = ++held_] { return handler_.held.size() == want; };
      for (bool done = false; !done;) thread_.Do([&] { done = is_held(); });
    }
  }
  static void ExpectAnswer(RawClient& client) {
    client.Send(Get("/a"));
    EXPECT_THAT(client.ReadResponse(), HasSubstr("x-path: /a"));
  }

  std::vector<std::unique_ptr<RawClient>> clients_;
  size_t held_ = 0;
};

TEST_F(FullHttpServerTest, ClosesThoseThatDoNotReadSendOrCloseForOthers) {
  AddUnread();
  Fill(3);
  EXPECT_THAT(Add().Ask(Get("/a", "Connection: close\r\n")), HasSubstr("x-path: /a"));
  RawClient& without_body = AddWithoutBody();
  RawClient& idle = AddIdle();
  for (int i = 0; i < 3; ++i) AddIdle();
  EXPECT_EQ(Connections(), kMaxConnections);
  EXPECT_TRUE(without_body.IsClosed());
  ExpectAnswer(idle);
}

TEST_F(FullHttpServerTest, ClosesThoseThatLeaveTooMuchUnread) {
  AddUnread("b");
  AddUnread("a");
  for (size_t bytes = kLargeBytes; bytes + kLargeBytes < kMaxOwnerUnreadBytes;) {
    AddUnread("a");
    bytes += kLargeBytes;
  }
  EXPECT_EQ(Connections(), clients_.size());
  AddUnread("a");
  EXPECT_EQ(Connections(), clients_.size() - 1);
  // The kernel takes some more of an answer whenever it likes: which of those of "a" has waited
  // longest is its to say, but for the last.
  size_t cut = 0;
  for (const auto& client : clients_) {
    const bool is_whole = client->ReadSize(kLargeBytes).size() == kLargeBytes;
    if (client == clients_.front() || client == clients_.back()) {
      EXPECT_TRUE(is_whole);
    } else if (!is_whole) {
      ++cut;
    }
  }
  EXPECT_EQ(cut, 1U);
}

TEST_F(FullHttpServerTest, KeepsThoseThatReadOrSend) {
  RawClient& reads = AddUnread();
  Fill(3);
  RawClient& sends = AddWithoutBody();
  RawClient& idle = AddIdle();
  RawClient& other = AddIdle();
  thread_.Advance(kStep);
  sends.Send("1");
  ExpectAnswer(other);  // it was read before
  const std::string part = reads.ReadSize(kLargeBytes / 2);
  AddIdle();
  EXPECT_TRUE(idle.IsClosed());
  EXPECT_THAT(part, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(reads.ReadSize(kLargeBytes / 2).size(), kLargeBytes / 2);
  sends.Send("2");
  EXPECT_THAT(sends.ReadResponse(), EndsWith("12"));
}

TEST_F(HttpServerTest, RefusesManyBlankLinesBeforeARequest) {
  RawClient few(port_);
  few.Send("\r\n\r\n\r\n\r\n" + Get("/a") + "\r\n" + Get("/b"));
  EXPECT_THAT(few.ReadResponse(), HasSubstr("x-path: /a"));
  EXPECT_THAT(few.ReadResponse(), HasSubstr("x-path: /b"));
  EXPECT_THAT(StatusLine(RawClient(port_).Ask("\r\n\r\n\r\n\r\n\r\n" + Get("/a"))),
              HasSubstr(" 400 "));
  RawClient slow(port_);
  for (int i = 0; i < 5; ++i) slow.Send("\r\n");
  EXPECT_THAT(StatusLine(slow.ReadToEnd()), HasSubstr(" 400 "));
}

TEST_F(HttpServerTest, TakesAWholeAddressAsItsHostAndPath) {
  const struct {
    const char* target;
    const char* path;
    const char* host;
  } cases[] = {
      {"http://here:80/a?q=1", "/a", "here:80"}, {"HTTP://here", "/", "here"},
      {"https://here/a/b", "/a/b", "here"},      {"http://", "/", ""},
      {"/a?at=http://there/b", "/a", "other"},   {"ftp://here/a", "ftp://here/a", "other"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.target);
    RawClient client(port_);
    client.Send(std::string("GET ") + c.target + " HTTP/1.1\r\nHost: other\r\n\r\n");
    const std::string response = client.ReadResponse();
    EXPECT_THAT(response, HasSubstr(std::string("x-path: ") + c.path + "\r\n"));
    EXPECT_THAT(response, HasSubstr(std::string("x-host: ") + c.host + "\r\n"));
  }
}

TEST_F(HttpServerTest, DrainsBehindTheAnswersUnderWay) {
  RawClient idle(port_);
  idle.Send(Get("/a"));
  idle.ReadResponse();
  RawClient busy(port_);
  busy.Send(Get("/keep"));
  Kept();
  std::promise<void> drained;
  thread_.Do([&] { server_->Drain([&] { drained.set_value(); }); });
  EXPECT_TRUE(idle.IsClosed());
  std::future<void> done = drained.get_future();
  EXPECT_EQ(done.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  thread_.Do([&] { kept_->Answer({.body = "the last"}); });
  const std::string last = busy.ReadToEnd();
  EXPECT_THAT(last, HasSubstr("Connection: close"));
  EXPECT_THAT(last, EndsWith("the last"));
  busy.Close();
  EXPECT_EQ(done.wait_for(seconds(10)), std::future_status::ready);
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  thread_.Do([this] {
    EXPECT_THAT(HttpServer::Listen(thread_.loop(), handler_, "nonsense", 0).status(),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(HttpServer::Listen(thread_.loop(), handler_, "127.0.0.1", port_).status(),
                StatusIs(absl::StatusCode::kUnavailable));
  });
}

}  // namespace
}  // namespace cursor_gateway
