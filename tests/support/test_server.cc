#include "support/test_server.h"

#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "net/poller.h"
#include "net/waker.h"
#include "support/call_log.h"
#include "support/frame_script.h"
#include "support/pair.h"
#include "upstream/server/server_connection.h"
#include "wire/envelope.h"

namespace cursorwire::test {
namespace {

using connect::Headers;
using connect::TimePoint;

// ServerStats that other threads wait for.
class Counters {
 public:
  void Change(const std::function<void(ServerStats&)>& change) {
    const std::lock_guard lock(mutex_);
    change(stats_);
    changed_.notify_all();
  }
  ServerStats Get() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }
  bool Await(const std::function<bool(const ServerStats&)>& condition) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return condition(stats_); });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  ServerStats stats_;
};

class Request;

// What a Request needs of its connection.
class PeerControl {
 public:
  virtual void SendRaw(std::string_view bytes) = 0;
  virtual void CloseAfterOutput() = 0;
  virtual std::set<Request*>& requests() = 0;

 protected:
  ~PeerControl() = default;
};

class Request final : public upstream::RequestHandler, public Exchange {
 public:
  Request(upstream::Responder& responder, PeerControl& peer,
          const std::map<std::string, Behaviour>& routes, Counters& counters)
      : responder_(responder), peer_(peer), routes_(routes), counters_(counters) {
    peer_.requests().insert(this);
  }
  ~Request() override {
    peer_.requests().erase(this);
    counters_.Change([](ServerStats& stats) { ++stats.gone; });
  }

  // upstream::RequestHandler
  void OnHeaders(const Headers& headers, TimePoint) override {
    headers_ = headers;
    const auto route = routes_.find(std::string(headers.Get(":path").value_or("")));
    behaviour_ = route == routes_.end() ? AnswerHttp(404, "text/plain", "no route") : route->second;
    counters_.Change([](ServerStats& stats) { ++stats.requests; });
    if (behaviour_.on_headers) behaviour_.on_headers(*this);
  }
  void OnBody(std::string_view bytes, TimePoint) override {
    body_.append(bytes);
    counters_.Change([&](ServerStats& stats) { stats.body_bytes += bytes.size(); });
    if (behaviour_.on_body) behaviour_.on_body(*this);
  }
  void OnRequestEnd(TimePoint) override {
    counters_.Change([](ServerStats& stats) { ++stats.complete; });
    if (behaviour_.on_end) behaviour_.on_end(*this);
  }
  std::optional<TimePoint> NextDeadline() const override { return std::nullopt; }
  void OnDeadline(TimePoint) override {}

  // Exchange
  const Headers& headers() const override { return headers_; }
  std::string TakeBody() override { return std::exchange(body_, std::string()); }
  std::vector<std::string> TakeMessages() override {
    (void)decoder_.Feed(TakeBody());
    std::vector<std::string> messages;
    for (;;) {
      const auto envelope = decoder_.Next();
      if (!envelope.ok() || !envelope->has_value()) break;
      messages.emplace_back((*envelope)->payload);
    }
    return messages;
  }
  void SendMessage(std::string_view message) override {
    StartStreaming();
    SendBody(Envelope(0, message));
  }
  void EndStream(std::string_view json) override {
    StartStreaming();
    SendBody(Envelope(wire::kEnvelopeEndStream, json));
    Finish();
  }
  void SendHeaders(const Headers& headers) override { responder_.SendHeaders(headers); }
  void SendBody(std::string_view bytes) override { responder_.SendBody(bytes); }
  void Finish() override { responder_.Finish(); }
  void Reset(uint32_t http2_code) override { responder_.Reset(http2_code); }
  void SendGoAway(int32_t last_stream_id, uint32_t http2_code) override {
    peer_.SendRaw(FrameScript::GoAway(last_stream_id, http2_code));
  }
  void CloseConnection() override { peer_.CloseAfterOutput(); }

 private:
  void StartStreaming() {
    if (std::exchange(streaming_, true)) return;
    SendHeaders({{":status", "200"}, {"content-type", "application/connect+proto"}});
  }

  upstream::Responder& responder_;
  PeerControl& peer_;
  const std::map<std::string, Behaviour>& routes_;
  Counters& counters_;
  Behaviour behaviour_;
  Headers headers_;
  std::string body_;
  wire::EnvelopeDecoder decoder_;
  bool streaming_ = false;
};

// One accepted connection with its socket.
class Peer final : public upstream::Service, public PeerControl {
 public:
  Peer(net::Socket socket, const TestServerOptions& options, size_t close_after_bytes,
       Counters& counters)
      : options_(options),
        close_after_bytes_(close_after_bytes),
        counters_(counters),
        socket_(std::move(socket)),
        raw_(options.greeting) {
    const bool tls = options.security == connect::Security::kTls;
    auto connection = upstream::ServerConnection::Create(
        tls ? &TestIdentity::Get().context : nullptr, *this, options.max_concurrent_streams);
    EXPECT_TRUE(connection.ok()) << connection.status();
    connection_ = *std::move(connection);
    counters_.Change([](ServerStats& stats) { ++stats.accepted; });
  }
  ~Peer() override {
    connection_.reset();  // its requests use the rest
    counters_.Change([](ServerStats& stats) { ++stats.closed; });
  }

  bool closed() const { return !socket_.valid(); }

  std::unique_ptr<upstream::RequestHandler> StartRequest(upstream::Responder& responder) override {
    return std::make_unique<Request>(responder, *this, options_.routes, counters_);
  }

  // PeerControl
  void SendRaw(std::string_view bytes) override { raw_.append(bytes); }
  void CloseAfterOutput() override { closing_ = true; }
  std::set<Request*>& requests() override { return requests_; }

  void AddTo(net::Poller& poller) {
    const bool wants_write = !raw_.empty() || !connection_->PendingOutput().empty();
    poll_index_ = poller.Add(socket_.fd(), wants_write ? net::Poller::Interest::kReadWrite
                                                       : net::Poller::Interest::kRead);
  }

  void AfterWait(const net::Poller& poller, std::span<char> buffer) {
    const auto index = std::exchange(poll_index_, std::nullopt);
    if (!index || !poller.readable(*index)) return;
    const absl::StatusOr<std::optional<size_t>> count = socket_.Read(buffer);
    if (!count.ok() || (count->has_value() && **count == 0)) return socket_.Close();
    if (!count->has_value()) return;
    const absl::Status status = connection_->Receive({buffer.data(), **count}, net::Now());
    if (!status.ok() || connection_->peer_closed()) closing_ = true;
  }

  void Write() {
    while (!closed()) {
      // A frame of our own fits in where the session has said all it has to say, and before its
      // first word.
      const bool session_first = sent_bytes_ > 0 || raw_.empty();
      const std::string_view session = session_first ? connection_->PendingOutput() : "";
      const std::string_view output = session.empty() ? std::string_view(raw_) : session;
      const size_t allowed = close_after_bytes_ - sent_bytes_;
      if (allowed == 0 || (output.empty() && closing_)) return socket_.Close();
      if (output.empty()) return;
      const absl::StatusOr<size_t> count = socket_.Write(output.substr(0, allowed));
      if (!count.ok()) return socket_.Close();
      if (*count == 0) return;
      if (session.empty()) {
        raw_.erase(0, *count);
      } else {
        connection_->ConsumeOutput(*count);
      }
      sent_bytes_ += *count;
      counters_.Change([&](ServerStats& stats) { stats.sent_bytes += *count; });
    }
  }

 private:
  const TestServerOptions& options_;
  const size_t close_after_bytes_;
  Counters& counters_;
  net::Socket socket_;
  std::string raw_;
  size_t sent_bytes_ = 0;
  bool closing_ = false;
  std::optional<size_t> poll_index_;
  std::set<Request*> requests_;
  std::unique_ptr<upstream::ServerConnection> connection_;
};

}  // namespace

class TestServer::Impl {
 public:
  explicit Impl(TestServerOptions options)
      : options_(std::move(options)),
        paused_(options_.paused),
        listener_(*net::LoopbackListener::Open(options.port)),
        waker_(*net::Waker::Create()),
        thread_([this] { Serve(); }) {}

  ~Impl() {
    Post([this] { stopping_ = true; });
    thread_.join();
  }

  const TestServerOptions& options() const { return options_; }
  const Counters& counters() const { return counters_; }
  int port() const { return listener_.port(); }

  void ForEachPeer(const std::function<void(Peer&)>& action) {
    std::promise<void> done;
    Post([&] {
      for (Peer& peer : peers_) action(peer);
      done.set_value();
    });
    WaitFor(done.get_future());
  }
  void SetPaused(bool paused) {
    Post([this, paused] { paused_ = paused; });
  }

 private:
  void Post(std::function<void()> command) {
    {
      const std::lock_guard lock(mutex_);
      commands_.push_back(std::move(command));
    }
    waker_->Wake();
  }

  void RunCommands() {
    std::vector<std::function<void()>> commands;
    {
      const std::lock_guard lock(mutex_);
      commands.swap(commands_);
    }
    for (const auto& command : commands) command();
  }

  void Serve() {
    std::vector<char> buffer(256 * 1024);
    net::Poller poller;
    while (!stopping_) {
      poller.Clear();
      poller.Add(waker_->fd(), net::Poller::Interest::kRead);
      const size_t listener = poller.Add(listener_.fd(), net::Poller::Interest::kRead);
      if (!paused_) {
        for (Peer& peer : peers_) peer.AddTo(poller);
      }
      poller.Wait(std::nullopt);
      if (poller.readable(0)) waker_->Drain();
      if (!paused_) {
        for (Peer& peer : peers_) peer.AfterWait(poller, buffer);
      }
      if (poller.readable(listener)) Accept();
      RunCommands();
      if (!paused_) {
        for (Peer& peer : peers_) peer.Write();
      }
      peers_.remove_if([](const Peer& peer) { return peer.closed(); });
    }
    peers_.clear();
  }

  void Accept() {
    while (std::optional<net::Socket> socket = listener_.Accept()) {
      if (closed_at_once_ < options_.connections_closed_at_once) {
        ++closed_at_once_;
        continue;
      }
      const std::vector<size_t>& nth = options_.close_nth_after_bytes;
      const size_t close_after =
          accepted_ < nth.size() ? nth[accepted_] : options_.close_after_bytes;
      ++accepted_;
      peers_.emplace_back(*std::move(socket), options_, close_after, counters_);
    }
  }

  const TestServerOptions options_;
  size_t accepted_ = 0;
  Counters counters_;
  std::mutex mutex_;
  std::vector<std::function<void()>> commands_;
  // The thread's.
  std::list<Peer> peers_;
  bool paused_;
  bool stopping_ = false;
  int closed_at_once_ = 0;

  net::LoopbackListener listener_;
  const std::shared_ptr<net::Waker> waker_;
  std::thread thread_;  // last: it uses all of the above
};

TestServer::TestServer(TestServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
TestServer::~TestServer() = default;

std::string TestServer::url() const {
  const bool tls = impl_->options().security == connect::Security::kTls;
  return absl::StrCat(tls ? "https://localhost:" : "http://127.0.0.1:", impl_->port());
}

connect::Channel TestServer::Connect(connect::ChannelOptions options) const {
  if (impl_->options().security == connect::Security::kTls) {
    options.tls.ca_pem = TestIdentity::Get().ca_pem;
  }
  auto channel = connect::Channel::Create(url(), std::move(options));
  EXPECT_TRUE(channel.ok()) << channel.status();
  return *std::move(channel);
}

ServerStats TestServer::stats() const { return impl_->counters().Get(); }

bool TestServer::Await(const std::function<bool(const ServerStats&)>& condition) const {
  return impl_->counters().Await(condition);
}

void TestServer::ForEachExchange(const std::function<void(Exchange&)>& action) {
  impl_->ForEachPeer([&](Peer& peer) {
    for (Request* request : peer.requests()) action(*request);
  });
}

void TestServer::SendGoAway(int32_t last_stream_id, uint32_t http2_code) {
  impl_->ForEachPeer(
      [&](Peer& peer) { peer.SendRaw(FrameScript::GoAway(last_stream_id, http2_code)); });
}

void TestServer::CloseConnections() {
  impl_->ForEachPeer([](Peer& peer) { peer.CloseAfterOutput(); });
}

void TestServer::PauseReading() { impl_->SetPaused(true); }
void TestServer::ResumeReading() { impl_->SetPaused(false); }

Behaviour EchoStream() {
  return {.on_body =
              [](Exchange& exchange) {
                for (const std::string& message : exchange.TakeMessages()) {
                  exchange.SendMessage(message);
                }
              },
          .on_end = [](Exchange& exchange) { exchange.EndStream("{}"); }};
}

Behaviour EchoUnary() {
  return {.on_end = [](Exchange& exchange) {
    exchange.SendHeaders({{":status", "200"},
                          {"content-type", "application/proto"},
                          {"x-head", "1"},
                          {"trailer-x-tail", "2"}});
    exchange.SendBody(exchange.TakeBody());
    exchange.Finish();
  }};
}

Behaviour SendMessages(size_t count, size_t size) {
  return {.on_headers = [count, size](Exchange& exchange) {
    const std::string message(size, 'm');
    for (size_t i = 0; i < count; ++i) exchange.SendMessage(message);
    exchange.EndStream("{}");
  }};
}

Behaviour NeverAnswer() { return {}; }

Behaviour ResetWith(uint32_t http2_code) {
  return {.on_headers = [http2_code](Exchange& exchange) { exchange.Reset(http2_code); }};
}

Behaviour GoAwayWith(int32_t last_stream_id, uint32_t http2_code) {
  return {.on_headers = [last_stream_id, http2_code](Exchange& exchange) {
    exchange.SendGoAway(last_stream_id, http2_code);
  }};
}

Behaviour CloseTheConnection() {
  return {.on_headers = [](Exchange& exchange) { exchange.CloseConnection(); }};
}

Behaviour AnswerHttp(int status, std::string content_type, std::string body) {
  return {.on_end = [status, content_type = std::move(content_type),
                     body = std::move(body)](Exchange& exchange) {
    exchange.SendHeaders({{":status", std::to_string(status)}, {"content-type", content_type}});
    exchange.SendBody(body);
    exchange.Finish();
  }};
}

Behaviour EndStreamWith(std::string json) {
  return {.on_headers = [json = std::move(json)](Exchange& exchange) { exchange.EndStream(json); }};
}

SilentListener::SilentListener() : listener_(*net::LoopbackListener::Open()) {}

std::string SilentListener::url(std::string_view scheme) const {
  return std::string(scheme) + "://127.0.0.1:" + std::to_string(listener_.port());
}

size_t SilentListener::AcceptAll() const {
  size_t count = 0;
  while (listener_.Accept().has_value()) ++count;
  return count;
}

FullListener::FullListener() : listener_(*net::LoopbackListener::Open()) {
  EXPECT_EQ(::listen(listener_.fd(), 0), 0);
  net::Address address{.size = sizeof(sockaddr_in)};
  auto& ip4 = reinterpret_cast<sockaddr_in&>(address.storage);
  ip4.sin_family = AF_INET;
  ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ip4.sin_port = htons(static_cast<uint16_t>(listener_.port()));
  // The first is the queue's; the others are not answered.
  for (int i = 0; i < 3; ++i) waiting_.push_back(*net::Socket::Connect(address));
}

std::string FullListener::url() const {
  return "http://127.0.0.1:" + std::to_string(listener_.port());
}

uint16_t RefusedPort() {
  // One that was free a moment ago, and that nobody listens on.
  return static_cast<uint16_t>(net::LoopbackListener::Open()->port());
}

std::string RefusedUrl() { return "http://127.0.0.1:" + std::to_string(RefusedPort()); }

}  // namespace cursorwire::test
