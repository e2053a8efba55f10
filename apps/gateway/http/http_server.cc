#include "http/http_server.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "api/concat.h"
#include "http/asio_api.h"
#include "http/body_budget.h"
#include "http/http_connection.h"

namespace cursor_gateway {

namespace {

using boost::asio::ip::tcp;
// Until another connection is taken, where the process has no room or no file descriptor left.
constexpr std::chrono::milliseconds kAcceptPause{100};

class TcpServer final : public HttpServer, public std::enable_shared_from_this<TcpServer> {
 public:
  TcpServer(EventLoop& loop, HttpHandler& handler)
      : loop_(loop), handler_(handler), acceptor_(loop.io().context) {}
  ~TcpServer() override {
    on_drained_ = nullptr;
    Close();
  }

  absl::Status Open(const std::string& address, uint16_t port) {
    boost::system::error_code error;
    const auto ip = boost::asio::ip::make_address(address, error);
    if (error) return absl::InvalidArgumentError(Concat("'", address, "' is no address"));
    const tcp::endpoint endpoint(ip, port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (!error) acceptor_.non_blocking(true, error);
    if (error) {
      return absl::UnavailableError(
          Concat("cannot listen on ", address, " port ", port, ": ", error.message()));
    }
    Accept();
    return absl::OkStatus();
  }

  uint16_t port() const override {
    boost::system::error_code ignored;
    return acceptor_.local_endpoint(ignored).port();
  }
  size_t connections() const override { return connections_.size(); }

  void Drain(std::function<void()> on_drained) override {
    on_drained_ = std::move(on_drained);
    draining_ = true;
    StopAccepting();
    for (const auto& connection : std::set(connections_)) connection->Drain();
    if (connections_.empty()) Drained();
  }

  void Close() override {
    draining_ = true;
    StopAccepting();
    for (const auto& connection : std::set(connections_)) connection->Close();
  }

 private:
  void StopAccepting() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    pause_.reset();
  }

  void Accept() {
    if (accepting_ || draining_) return;
    accepting_ = true;
    acceptor_.async_wait(
        tcp::acceptor::wait_read, [weak = weak_from_this()](const boost::system::error_code&) {
          const auto self = weak.lock();
          if (self == nullptr) return;
          self->accepting_ = false;
          if (self->draining_) return;
          bool accepted = false;
          self->loop_.Call([&] { accepted = self->AcceptOne(); });
          if (accepted) {
            self->Accept();
          } else {
            self->pause_ = self->loop_.After(kAcceptPause, [raw = self.get()] { raw->Accept(); });
          }
          self->loop_.ServeTimers();
        });
  }

  // False: there is no room for a connection, or no file descriptor.
  bool AcceptOne() {
    if (connections_.size() >= kMaxConnections && !CloseLongestWaiting()) return false;
    boost::system::error_code error;
    tcp::socket socket = acceptor_.accept(error);
    if (!error) Add(std::move(socket));
    return !error || error == boost::asio::error::would_block;
  }

  // Makes room, so that clients that are waited for keep nobody out. False: the handler has a
  // request of each.
  bool CloseLongestWaiting() {
    std::shared_ptr<HttpConnection> longest;
    for (const auto& connection : connections_) {
      const auto since = connection->waits_since();
      if (since && (longest == nullptr || *since < *longest->waits_since())) longest = connection;
    }
    if (longest != nullptr) longest->Close();
    return longest != nullptr;
  }

  // Closes those whose clients have left too much unread, the longest waiting first.
  void BoundUnread() {
    std::vector<std::shared_ptr<HttpConnection>> unread;
    size_t all = 0;
    std::map<std::string, size_t> sums;  // by owner
    for (const auto& connection : connections_) {
      const size_t bytes = connection->unread_bytes();
      if (bytes == 0) continue;
      unread.push_back(connection);
      all += bytes;
      sums[connection->owner()] += bytes;
    }
    std::sort(unread.begin(), unread.end(),
              [](const auto& a, const auto& b) { return a->waits_since() < b->waits_since(); });
    for (const auto& connection : unread) {
      size_t& own = sums[connection->owner()];
      // Without keys everybody has all of the room.
      const bool is_own_over = !connection->owner().empty() && own > kMaxOwnerUnreadBytes;
      if (all <= kMaxAllUnreadBytes && !is_own_over) continue;
      all -= connection->unread_bytes();
      own -= connection->unread_bytes();
      connection->Close();
    }
  }

  void Add(tcp::socket socket) {
    auto connection = std::make_shared<HttpConnection>(loop_, handler_, bodies_, std::move(socket),
                                                       OnClosed(), [weak = weak_from_this()] {
                                                         if (const auto self = weak.lock())
                                                           self->BoundUnread();
                                                       });
    connections_.insert(connection);
    connection->Start();
  }

  HttpConnection::Closed OnClosed() {
    return [weak = weak_from_this()](const std::shared_ptr<HttpConnection>& closed) {
      const auto self = weak.lock();
      if (self == nullptr) return;
      self->connections_.erase(closed);
      self->Accept();
      if (self->draining_ && self->connections_.empty()) self->Drained();
    };
  }

  void Drained() {
    if (const auto on_drained = std::exchange(on_drained_, nullptr)) on_drained();
  }

  EventLoop& loop_;
  HttpHandler& handler_;
  const std::shared_ptr<BodyBudget> bodies_ =  // shared with connections and requests
      std::make_shared<BodyBudget>(
          BodyBudget{.max_bytes = kMaxAllBodiesBytes, .max_owner_bytes = kMaxOwnerBodiesBytes});
  tcp::acceptor acceptor_;
  bool accepting_ = false;
  bool draining_ = false;
  EventLoop::Timer pause_;
  std::set<std::shared_ptr<HttpConnection>> connections_;  // shared with their operations
  std::function<void()> on_drained_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<HttpServer>> HttpServer::Listen(EventLoop& loop,
                                                               HttpHandler& handler,
                                                               const std::string& address,
                                                               uint16_t port) {
  const auto server = std::make_shared<TcpServer>(loop, handler);
  if (absl::Status status = server->Open(address, port); !status.ok()) return status;
  return server;
}

}  // namespace cursor_gateway
