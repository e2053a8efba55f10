#include "http/http_connection.h"
#include "base/url.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <algorithm>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/write.hpp>
#include <cstdint>
#include <limits>
#include <sstream>
#include <utility>

namespace cursor_gateway {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

// How a client begins that takes this for a server of TLS. Source: RFC 8446, 5.1.
constexpr char kTlsRecord = 0x16;
// Four empty lines.
constexpr size_t kMaxBlankBytes = 8;
constexpr std::string_view kHeadEnd = "\r\n\r\n";
// What a client may send ahead while its request is answered.
constexpr size_t kMaxPipelinedBytes = size_t{64} * 1024;
// How long the end of a connection waits for the client to read the last answer.
constexpr std::chrono::seconds kCloseTimeout{2};

// Beast takes a line that begins with a blank for a part of the one before (RFC 9112, 5.2, forbids
// to send it).
bool HasFoldedLine(std::string_view head) {
  for (size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    if (at + 1 < head.size() && (head[at + 1] == ' ' || head[at + 1] == '\t')) return true;
  }
  return false;
}

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

// A client that takes this for a proxy sends a whole address, whose authority counts in place of
// the field Host. Source: RFC 9112, 3.2.2.
void ReadTarget(std::string_view target, HttpHead& head) {
  const size_t path_end = std::min(target.find('?'), target.size());
  head.query = target.substr(path_end);
  target = target.substr(0, path_end);
  const std::optional<cursorwire::UrlPieces> url = cursorwire::SplitUrl(target);
  if (!url || !(SameWord(url->scheme, "http") || SameWord(url->scheme, "https"))) {
    head.path = target;
    return;
  }
  head.path = url->rest.empty() ? "/" : url->rest;
  for (auto& [name, value] : head.fields) {
    if (SameWord(name, "host")) value = url->authority;
  }
}

HttpHead HeadOf(const http::request_header<>& request) {
  HttpHead head{.method = std::string(View(request.method_string())),
                .is_http_1_0 = request.version() < 11};
  for (const auto& field : request) {
    head.fields.emplace_back(View(field.name_string()), View(field.value()));
  }
  ReadTarget(View(request.target()), head);
  return head;
}

// Source: RFC 9112, 6.1.
bool HasOtherCoding(const HttpHead& head) {
  const std::string* coding = head.Find("transfer-encoding");
  if (coding == nullptr) return false;
  return head.is_http_1_0 || head.Count("transfer-encoding") > 1 || !SameWord(*coding, "chunked");
}

}  // namespace

HttpConnection::HttpConnection(EventLoop& loop, HttpHandler& handler,
                               std::shared_ptr<BodyBudget> bodies,
                               boost::asio::ip::tcp::socket socket, Closed closed, Waits waits)
    : loop_(loop),
      handler_(handler),
      socket_(std::move(socket)),
      closed_(std::move(closed)),
      waits_(std::move(waits)),
      bodies_(std::move(bodies)),
      waits_since_(loop.Now()) {}

void HttpConnection::Start() {
  error_code ignored;
  socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  ArmHeadTimer();
  Read();
}

void HttpConnection::Drain() {
  draining_ = true;
  if (state_ == State::kHead && in_.empty()) Close();
  if (state_ != State::kBody) return;
  if (const auto refusal = handler_.OnHead(head_)) Refuse(*refusal);
}

void HttpConnection::Close() {
  if (state_ == State::kClosed) return;
  const auto self = shared_from_this();
  state_ = State::kClosed;
  timer_.reset();
  error_code ignored;
  socket_.close(ignored);
  if (const auto exchange = exchange_.lock()) exchange->Gone();
  if (const auto closed = std::exchange(closed_, nullptr)) closed(self);
}

void HttpConnection::Read() {
  if (reading_ || state_ == State::kClosed || client_done_) return;
  if (state_ == State::kAnswering && in_.size() >= kMaxPipelinedBytes) return;
  reading_ = true;
  // The buffer is the loop's: a connection that waits needs none.
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_read,
                     [this, self = shared_from_this()](error_code error) {
                       reading_ = false;
                       if (state_ == State::kClosed) return;
                       CallOrClose([this, error] { OnReadable(error); });
                       loop_.ServeTimers();
                     });
}

void HttpConnection::OnReadable(error_code error) {
  auto& buffer = loop_.io().read_buffer;
  size_t bytes = 0;
  if (!error) bytes = socket_.read_some(boost::asio::buffer(buffer), error);
  if (error == boost::asio::error::would_block) {
    Read();
  } else if (error) {
    OnReadFailed();
  } else {
    OnRead({buffer.data(), bytes});
  }
}

// What one step has left undone, no other would do.
void HttpConnection::CallOrClose(absl::FunctionRef<void()> step) {
  if (!loop_.Call(step)) Close();
}

void HttpConnection::OnRead(std::string_view bytes) {
  if (state_ != State::kClosing) {
    in_ += bytes;
    Process();
  }
  Read();
}

void HttpConnection::OnReadFailed() {
  client_done_ = true;
  // A whole answer is still sent: a client may have closed its side only.
  if (state_ == State::kAnswering && answer_complete_) {
    close_after_ = true;
    return;
  }
  Close();
}

void HttpConnection::ArmHeadTimer() {
  const bool waits = in_.empty() && !first_;
  timer_ = loop_.After(waits ? kIdleTimeout : kHeadTimeout, [this, waits] {
    if (waits) {
      Close();
    } else {
      RefuseUnreadable(Unreadable::kTooSlow);
    }
  });
}

void HttpConnection::Process() {
  const auto self = shared_from_this();
  for (bool more = true; more;) {
    more = false;
    if (state_ == State::kHead) more = ProcessHead();
    if (state_ == State::kBody) more = ProcessBody();
  }
}

// False: there are more than a client sends by mistake. Source: RFC 9112, 2.2.
bool HttpConnection::SkipBlankLines() {
  size_t bytes = 0;
  while (std::string_view(in_).substr(bytes).starts_with("\r\n")) bytes += 2;
  in_.erase(0, bytes);
  blank_bytes_ += bytes;
  return blank_bytes_ <= kMaxBlankBytes;
}

// True: go on with what is there.
bool HttpConnection::ProcessHead() {
  if (!SkipBlankLines()) return RefuseUnreadable(Unreadable::kMalformed);
  if (in_.starts_with(kTlsRecord)) return RefuseUnreadable(Unreadable::kOtherVersion);
  const size_t end = in_.find(kHeadEnd);
  if (std::min(end, in_.size()) > kMaxHeadBytes) return RefuseUnreadable(Unreadable::kHeadTooLarge);
  if (end == std::string::npos) {
    if (!in_.empty() && !first_) {
      first_ = true;  // the time for this head begins once
      ArmHeadTimer();
    }
    return false;
  }
  const size_t size = end + kHeadEnd.size();
  if (const auto why = ParseHead(std::string_view(in_).substr(0, size))) {
    return RefuseUnreadable(*why);
  }
  in_.erase(0, size);
  first_ = false;
  blank_bytes_ = 0;
  close_after_ = draining_ || !parser_->keep_alive();
  return LetIn();
}

// nullopt: it is a head.
std::optional<Unreadable> HttpConnection::ParseHead(std::string_view text) {
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(kMaxHeadBytes + kHeadEnd.size()));
  // LetIn() refuses a body, when the whole head is known.
  parser_->body_limit(std::numeric_limits<uint64_t>::max());
  error_code error;
  const size_t used = parser_->put(boost::asio::buffer(text.data(), text.size()), error);
  if (parser_->is_header_done()) head_ = HeadOf(parser_->get());
  // Also the preface of HTTP/2 (RFC 9113, 3.4), but not where the line has a bare line feed.
  if (error == http::error::bad_version && text.find('\n') == text.find("\r\n") + 1) {
    return Unreadable::kOtherVersion;
  }
  const bool is_head = !error && used == text.size() && parser_->is_header_done() &&
                       !HasFoldedLine(text) && !HasOtherCoding(head_);
  return is_head ? std::nullopt : std::optional(Unreadable::kMalformed);
}

// True: its body may come.
bool HttpConnection::LetIn() {
  if (const std::optional<HttpAnswer> refusal = handler_.OnHead(head_)) {
    if (!parser_->is_done() || refusal->close) return Refuse(*refusal);
    // There is no body that would have to be read.
    state_ = State::kAnswering;
    parser_.reset();
    SendAnswer(std::exchange(head_, {}), *refusal);
    return false;
  }
  const auto length = parser_->content_length();
  if (length.value_or(0) > kMaxBodyBytes) return RefuseUnreadable(Unreadable::kBodyTooLarge);
  parser_->body_limit(kMaxBodyBytes);
  owner_ = handler_.OwnerOf(head_);
  share_ = std::make_shared<BodyShare>(bodies_, owner_);
  if (length && !share_->Fits(*length)) return RefuseUnreadable(Unreadable::kNoRoom);
  body_deadline_ = loop_.Now() + kWholeBodyTimeout;
  if (const std::string* expect = head_.Find("expect"); expect != nullptr &&
                                                        SameWord(*expect, "100-continue") &&
                                                        in_.empty() && !parser_->is_done()) {
    SendBytes("HTTP/1.1 100 Continue\r\n\r\n");
    Flush();
  }
  parser_->eager(true);
  state_ = State::kBody;
  return true;
}

// True: go on with what is there.
bool HttpConnection::ProcessBody() {
  size_t used = 0;
  error_code error;
  while (!parser_->is_done() && used < in_.size()) {
    const size_t taken =
        parser_->put(boost::asio::buffer(in_.data() + used, in_.size() - used), error);
    used += taken;
    if (error || taken == 0) break;
  }
  in_.erase(0, used);
  if (error && error != http::error::need_more) {
    return RefuseUnreadable(error == http::error::body_limit ? Unreadable::kBodyTooLarge
                                                             : Unreadable::kMalformed);
  }
  if (!share_->Add(parser_->get().body().size() - share_->bytes())) {
    return RefuseUnreadable(Unreadable::kNoRoom);
  }
  // The line of a chunk, or trailers.
  if (!parser_->is_done() && in_.size() > kMaxHeadBytes) {
    return RefuseUnreadable(Unreadable::kMalformed);
  }
  if (!parser_->is_done()) {
    waits_since_ = loop_.Now();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(body_deadline_ - loop_.Now());
    timer_ = loop_.After(std::min<std::chrono::milliseconds>(kBodyTimeout, left),
                         [this] { RefuseUnreadable(Unreadable::kTooSlow); });
    return false;
  }
  timer_.reset();
  state_ = State::kAnswering;
  answer_complete_ = false;
  std::string body = std::move(parser_->get().body());
  parser_.reset();
  const auto exchange =
      std::make_shared<HttpExchange>(shared_from_this(), std::exchange(head_, {}), std::move(body),
                                     std::exchange(share_, nullptr));
  exchange_ = exchange;
  handler_.OnRequest(exchange);
  return state_ == State::kHead;  // it was answered at once
}

bool HttpConnection::RefuseUnreadable(Unreadable why) {
  return Refuse(handler_.OnUnreadable(why, head_));
}

bool HttpConnection::Refuse(const HttpAnswer& answer) {
  timer_.reset();
  state_ = State::kAnswering;
  close_after_ = true;
  in_.clear();
  parser_.reset();
  share_.reset();
  SendAnswer(std::exchange(head_, {}), answer);
  return false;
}

void HttpConnection::SendAnswer(const HttpHead& head, const HttpAnswer& answer) {
  if (answer.close) close_after_ = true;
  // 204 must not have the field Content-Length, and 304 stands for a body that the client has,
  // whose length nobody looks up. Source: RFC 9110, 8.6.
  const bool has_length = answer.status != 304 && answer.status != 204;
  SendHead(head, answer.status, answer.fields,
           has_length ? std::optional(answer.content().size()) : std::nullopt);
  if (head.method != "HEAD") SendBytes(answer.content());
  AnswerDone();
}

void HttpConnection::SendStreamHead(const HttpHead& head, int status, HttpFields fields) {
  in_chunks_ = !head.is_http_1_0 && head.method != "HEAD";
  if (head.is_http_1_0) {
    close_after_ = true;
  } else {
    fields.emplace_back("Transfer-Encoding", "chunked");
  }
  SendHead(head, status, fields, std::nullopt);
  Flush();
}

void HttpConnection::SendPiece(std::string_view bytes) {
  if (in_chunks_) SendBytes(absl::StrCat(absl::Hex(bytes.size()), "\r\n"));
  SendBytes(bytes);
  if (in_chunks_) SendBytes("\r\n");
  Flush();
}

void HttpConnection::SendEnd() {
  if (in_chunks_) SendBytes("0\r\n\r\n");
  AnswerDone();
}

void HttpConnection::SendHead(const HttpHead& head, int status, const HttpFields& fields,
                              std::optional<size_t> length) {
  if (draining_) close_after_ = true;
  http::response<http::empty_body> response;
  response.version(head.is_http_1_0 ? 10 : 11);
  response.result(static_cast<unsigned>(status));
  // Source: RFC 9110, 5.6.7.
  response.set(http::field::date,
               absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", absl::Now(), absl::UTCTimeZone()));
  for (const auto& [name, value] : fields) {
    response.insert(boost::beast::string_view(name.data(), name.size()),
                    boost::beast::string_view(value.data(), value.size()));
  }
  if (length) response.set(http::field::content_length, std::to_string(*length));
  response.keep_alive(!close_after_);
  std::ostringstream text;
  text << response.base();
  SendBytes(text.str());
}

void HttpConnection::SendBytes(std::string_view bytes) {
  if (state_ != State::kClosed) out_ += bytes;
}

void HttpConnection::AnswerDone() {
  if (state_ != State::kAnswering) return;
  answer_complete_ = true;
  // A client that does not read the rest of its answer does not stay forever.
  timer_ = loop_.After(kIdleTimeout, [this] { Close(); });
  Flush();
  if (writing_.empty() && out_.empty()) return OnWritten(false);
  // A short answer is written by then. Not from here, since this one may be closed.
  loop_.Post([self = shared_from_this()] {
    if (self->unread_bytes() > 0) self->waits_();
  });
}

void HttpConnection::Flush() {
  if (!writing_.empty() || out_.empty() || state_ == State::kClosed) return;
  writing_ = std::exchange(out_, std::string());
  // Asked before each part, when the client has taken the one before.
  const auto next_part = [this](const error_code& error, size_t bytes) {
    waits_since_ = loop_.Now();
    return boost::asio::transfer_all()(error, bytes);
  };
  boost::asio::async_write(socket_, boost::asio::buffer(writing_), next_part,
                           [this, self = shared_from_this()](const error_code& error, size_t) {
                             if (state_ == State::kClosed) return;
                             CallOrClose([this, &error] { OnWritten(bool{error}); });
                             loop_.ServeTimers();
                           });
}

void HttpConnection::OnWritten(bool failed) {
  writing_.clear();
  if (failed) {
    Close();
    return;
  }
  if (!out_.empty()) {
    Flush();
    return;
  }
  if (state_ != State::kAnswering) return;
  if (!answer_complete_) {
    if (const auto exchange = exchange_.lock()) exchange->Writable();
    return;
  }
  answer_complete_ = false;
  if (const auto exchange = exchange_.lock()) exchange->End();
  exchange_.reset();
  writing_ = std::string();
  if (close_after_ || draining_) {
    if (client_done_) {
      Close();
      return;
    }
    // A close with unread bytes would be a reset, and the client might not read the answer.
    state_ = State::kClosing;
    error_code ignored;
    socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    timer_ = loop_.After(kCloseTimeout, [this] { Close(); });
    Read();
    return;
  }
  state_ = State::kHead;
  waits_since_ = loop_.Now();
  ArmHeadTimer();
  if (in_.empty()) in_ = std::string();
  // What the client sent ahead. Not from here: a long row of requests would be a deep stack.
  loop_.Post([self = shared_from_this()] {
    self->CallOrClose([&self] {
      self->Process();
      self->Read();
    });
  });
}

}  // namespace cursor_gateway
