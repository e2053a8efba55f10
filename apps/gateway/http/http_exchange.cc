#include "http/http_exchange.h"

#include "http/http_connection.h"

namespace cursor_gateway {

HttpExchange::HttpExchange(std::shared_ptr<HttpConnection> connection, HttpHead head,
                           std::string body, std::shared_ptr<BodyShare> share)
    : connection_(std::move(connection)),
      head_(std::move(head)),
      body_(std::move(body)),
      share_(std::move(share)) {}

HttpExchange::~HttpExchange() {
  Abort();
  TellOfNoAnswer();
  End();
}

std::shared_ptr<BodyShare> HttpExchange::DropBody() {
  body_ = std::string();
  return std::exchange(share_, nullptr);
}

void HttpExchange::AddField(std::string name, std::string value) {
  added_.emplace_back(std::move(name), std::move(value));
}

void HttpExchange::Answer(HttpAnswer answer) {
  if (const AnswerHook hook = std::exchange(on_answer_, nullptr)) {
    hook(&answer, [self = shared_from_this(), answer] { self->Answer(answer); });
    return;
  }
  const auto connection = std::exchange(connection_, nullptr);
  if (connection == nullptr) return;
  if (form_) form_(answer);
  answer.fields.insert(answer.fields.end(), added_.begin(), added_.end());
  status_ = answer.status;
  connection->SendAnswer(head_, answer);
}

void HttpExchange::StartStream(int status, HttpFields fields) {
  if (connection_ == nullptr) return;
  status_ = status;
  fields.insert(fields.end(), added_.begin(), added_.end());
  connection_->SendStreamHead(head_, status, std::move(fields));
}

void HttpExchange::Write(const std::string& bytes) {
  if (connection_ == nullptr || bytes.empty() || head_.method == "HEAD") return;
  connection_->SendPiece(bytes);
}

void HttpExchange::EndStream() {
  TellOfNoAnswer();
  if (const auto connection = std::exchange(connection_, nullptr)) connection->SendEnd();
}

void HttpExchange::Abort() {
  const auto connection = std::exchange(connection_, nullptr);
  if (connection == nullptr) return;
  TellOfNoAnswer();
  connection->Close();
  End();
}

size_t HttpExchange::unsent_bytes() const {
  return connection_ == nullptr ? 0 : connection_->unsent_bytes();
}

void HttpExchange::Gone() {
  if (std::exchange(connection_, nullptr) == nullptr) return;
  if (const auto on_gone = std::exchange(on_gone_, nullptr)) on_gone();
  End();
}

void HttpExchange::Writable() {
  if (connection_ == nullptr || !on_writable_) return;
  const auto on_writable = on_writable_;
  on_writable();
}

void HttpExchange::End() {
  on_writable_ = nullptr;
  on_gone_ = nullptr;
  if (const auto on_end = std::exchange(on_end_, nullptr)) on_end();
}

void HttpExchange::TellOfNoAnswer() {
  if (const AnswerHook hook = std::exchange(on_answer_, nullptr)) hook(nullptr, [] {});
}

}  // namespace cursor_gateway
