#include "http/http2_connection.h"

#include <utility>

namespace cursor_gateway {

namespace {

using boost::system::error_code;

constexpr size_t kMaxHttp2WriteBytes = size_t{64} * 1024;
// How long the end of a connection waits for the client to read the last frames.
constexpr std::chrono::seconds kHttp2CloseTimeout{2};

}  // namespace

Http2Connection::Http2Connection(EventLoop& loop, HttpHandler& handler, BodyBudget bodies,
                                 boost::asio::ip::tcp::socket socket, Closed closed)
    : loop_(loop),
      socket_(std::move(socket)),
      closed_(std::move(closed)),
      session_(
          handler, std::move(bodies), [&loop] { return loop.Now(); }, [this] { PostWork(); }) {}

void Http2Connection::Start(std::string_view received) {
  session_.Receive(received);
  Work();
  Read();
}

void Http2Connection::Drain() {
  if (session_.open_streams() == 0) close_behind_ = true;
  session_.Drain();
  Work();
}

void Http2Connection::Close() {
  if (std::exchange(is_closed_, true)) return;
  const auto self = shared_from_this();
  timer_.Cancel();
  error_code ignored;
  socket_.close(ignored);
  session_.Leave();
  if (const auto closed = std::exchange(closed_, nullptr)) closed(self);
}

void Http2Connection::Read() {
  if (is_closed_) return;
  // The buffer is the loop's: a connection that waits needs none.
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_read,
                     [this, self = shared_from_this()](error_code error) {
                       if (is_closed_) return;
                       auto& buffer = loop_.io().read_buffer;
                       size_t bytes = 0;
                       if (!error) bytes = socket_.read_some(boost::asio::buffer(buffer), error);
                       if (error && error != boost::asio::error::would_block) {
                         Close();
                       } else {
                         OnRead({buffer.data(), bytes});
                       }
                       loop_.ServeTimers();
                     });
}

void Http2Connection::OnRead(std::string_view bytes) {
  session_.Receive(bytes);
  Work();
  Read();
}

// Not from within what an exchange does, which does not expect the end of its connection.
void Http2Connection::PostWork() {
  if (std::exchange(work_posted_, true)) return;
  loop_.Post([self = shared_from_this()] {
    self->work_posted_ = false;
    self->Work();
  });
}

void Http2Connection::Work() {
  Flush();
  ArmTimer();
}

void Http2Connection::Flush() {
  if (is_closed_ || !writing_.empty()) return;
  session_.TakeOutput(kMaxHttp2WriteBytes, writing_);
  if (writing_.empty()) {
    OnFlushed();
    return;
  }
  boost::asio::async_write(socket_, boost::asio::buffer(writing_),
                           [this, self = shared_from_this()](const error_code& error, size_t) {
                             if (is_closed_) return;
                             writing_.clear();
                             if (error) {
                               Close();
                             } else {
                               Work();
                             }
                             loop_.ServeTimers();
                           });
}

void Http2Connection::OnFlushed() {
  writing_ = std::string();
  if (!session_.IsOver()) return;
  if (close_behind_) {
    Close();
    return;
  }
  // A close with unread bytes would be a reset, and the client might not read the last frames.
  error_code ignored;
  socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

void Http2Connection::ArmTimer() {
  if (is_closed_ || ending_) return;
  if (session_.IsOver()) {
    ending_ = true;
    timer_ = loop_.After(kHttp2CloseTimeout, [this] { Close(); });
    return;
  }
  const std::optional<TimePoint> next = session_.NextDeadline();
  if (next == timer_time_) return;
  timer_time_ = next;
  timer_.Cancel();
  if (!next) return;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*next - loop_.Now());
  timer_ = loop_.After(wait, [this] {
    const auto self = shared_from_this();
    timer_time_.reset();
    session_.OnDeadline();
    Work();
  });
}

}  // namespace cursor_gateway
