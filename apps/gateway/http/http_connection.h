#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_CONNECTION_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_CONNECTION_H_

#include <absl/functional/function_ref.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/asio_api.h"
// After it.
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/body_budget.h"
#include "http/http_exchange.h"
#include "http/http_server.h"

namespace cursor_gateway {

// One connection of a client: reads a request, hands it out, sends the answer, reads the next.
class HttpConnection final : public std::enable_shared_from_this<HttpConnection> {
 public:
  // Called once, at the end of the connection.
  using Closed = std::function<void(const std::shared_ptr<HttpConnection>&)>;
  // Called each time when the end of a complete answer has to wait for the client.
  using Waits = std::function<void()>;

  HttpConnection(EventLoop& loop, HttpHandler& handler, std::shared_ptr<BodyBudget> bodies,
                 boost::asio::ip::tcp::socket socket, Closed closed, Waits waits);

  void Start();
  // No other request is answered; closes at once if none is being read or answered.
  void Drain();
  void Close();
  // Since when it has waited for its client: to send a head, or the next part of a body; to read
  // the next part of a complete answer; to close. nullopt: the handler has its request.
  std::optional<TimePoint> waits_since() const {
    const bool is_handled = state_ == State::kAnswering && !answer_complete_;
    return is_handled ? std::nullopt : std::optional(waits_since_);
  }
  // The end of a complete answer that the client has not read, and whose request it was.
  size_t unread_bytes() const {
    return state_ == State::kAnswering && answer_complete_ ? unsent_bytes() : 0;
  }
  const std::string& owner() const { return owner_; }

  // --- called by the exchange, whose request has this head

  void SendAnswer(const HttpHead& head, const HttpAnswer& answer);
  // Or in pieces: the head first.
  void SendStreamHead(const HttpHead& head, int status, HttpFields fields);
  void SendPiece(std::string_view bytes);
  void SendEnd();
  size_t unsent_bytes() const { return out_.size() + writing_.size(); }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  enum class State {
    kHead,       // reads a head
    kBody,       // reads a body
    kAnswering,  // the handler has the request
    kClosing,    // waits until the client has read the last answer
    kClosed,
  };

  void Read();
  void OnReadable(boost::system::error_code error);
  void OnRead(std::string_view bytes);
  void CallOrClose(absl::FunctionRef<void()> step);
  void OnReadFailed();
  void Process();
  bool SkipBlankLines();
  bool ProcessHead();
  std::optional<Unreadable> ParseHead(std::string_view text);
  bool LetIn();
  bool ProcessBody();
  void ArmHeadTimer();
  // Both return false.
  bool Refuse(const HttpAnswer& answer);
  bool RefuseUnreadable(Unreadable why);
  void AnswerDone();

  void SendHead(const HttpHead& head, int status, const HttpFields& fields,
                std::optional<size_t> length);
  void SendBytes(std::string_view bytes);
  void Flush();
  void OnWritten(bool failed);

  EventLoop& loop_;
  HttpHandler& handler_;
  boost::asio::ip::tcp::socket socket_;
  Closed closed_;
  Waits waits_;

  State state_ = State::kHead;
  bool reading_ = false;
  std::string in_;  // received, and not read by the parser
  std::optional<Parser> parser_;
  HttpHead head_;  // that was read last, until it is answered or handed out; else empty
  const std::shared_ptr<BodyBudget> bodies_;
  std::string owner_;                 // of the last request that was let in
  std::shared_ptr<BodyShare> share_;  // of the body that is read
  TimePoint body_deadline_;
  TimePoint waits_since_;
  size_t blank_bytes_ = 0;  // before the next request
  EventLoop::Timer timer_;
  bool first_ = true;  // no request was read yet
  bool draining_ = false;
  bool close_after_ = false;  // the connection ends after this answer
  bool client_done_ = false;  // it has sent its last byte
  std::weak_ptr<HttpExchange> exchange_;

  std::string out_;         // to send
  std::string writing_;     // being sent
  bool in_chunks_ = false;  // the pieces of the answer
  bool answer_complete_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_CONNECTION_H_
