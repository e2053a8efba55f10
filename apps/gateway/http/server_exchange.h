#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_SERVER_EXCHANGE_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_SERVER_EXCHANGE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/body_budget.h"
#include "http/http_exchange.h"
#include "http/http_message.h"

namespace cursor_gateway {

// Where an exchange sends its answer: a connection. `head` is that of the request.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;

  virtual void SendAnswer(const HttpHead& head, const HttpAnswer& answer) = 0;
  // Or in pieces: the head first.
  virtual void SendStreamHead(const HttpHead& head, int status, HttpFields fields) = 0;
  virtual void SendPiece(const HttpHead& head, std::string_view bytes) = 0;
  virtual void SendEnd(const HttpHead& head) = 0;
  // The client is to see that the answer is not complete.
  virtual void SendAbort() = 0;

  virtual size_t unsent_bytes() const = 0;
};

// The exchange of a server. Its sink tells it what becomes of the answer.
class ServerExchange final : public HttpExchange {
 public:
  ServerExchange(std::shared_ptr<AnswerSink> sink, HttpHead head, std::string body,
                 BodyShare share);
  ~ServerExchange() override;
  ServerExchange(const ServerExchange&) = delete;
  ServerExchange& operator=(const ServerExchange&) = delete;

  const HttpHead& head() const override { return head_; }
  const std::string& body() const override { return body_; }
  void DropBody() override;
  void AddField(std::string name, std::string value) override;
  void Answer(HttpAnswer answer) override;
  void StartStream(int status, HttpFields fields) override;
  void Write(std::string bytes) override;
  void EndStream() override;
  void Abort() override;
  size_t unsent_bytes() const override;
  void OnWritable(std::function<void()> on_writable) override;
  void OnGone(std::function<void()> on_gone) override;
  void OnEnd(std::function<void()> on_end) override;
  int status() const override { return status_; }

  // --- called by the sink

  // The client has left.
  void Gone();
  // All bytes were taken.
  void Writable();
  // The answer is on its way, or there will be none.
  void End();

 private:
  std::shared_ptr<AnswerSink> sink_;  // until the answer is complete
  HttpHead head_;
  std::string body_;
  BodyShare share_;  // of the body
  HttpFields added_;
  int status_ = 0;
  bool finished_ = false;
  std::function<void()> on_writable_;
  std::function<void()> on_gone_;
  std::function<void()> on_end_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_SERVER_EXCHANGE_H_
