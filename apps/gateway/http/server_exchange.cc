#include "http/server_exchange.h"

#include <utility>

namespace cursor_gateway {

ServerExchange::ServerExchange(std::shared_ptr<AnswerSink> sink, HttpHead head, std::string body,
                               BodyShare share)
    : sink_(std::move(sink)),
      head_(std::move(head)),
      body_(std::move(body)),
      share_(std::move(share)) {}

ServerExchange::~ServerExchange() {
  Abort();
  End();
}

void ServerExchange::DropBody() {
  body_ = std::string();
  share_.Free();
}

void ServerExchange::AddField(std::string name, std::string value) {
  added_.emplace_back(std::move(name), std::move(value));
}

void ServerExchange::Answer(HttpAnswer answer) {
  if (finished_) return;
  answer.fields.insert(answer.fields.end(), added_.begin(), added_.end());
  status_ = answer.status;
  const auto sink = std::exchange(sink_, nullptr);
  finished_ = true;
  sink->SendAnswer(head_, answer);
}

void ServerExchange::StartStream(int status, HttpFields fields) {
  if (finished_) return;
  status_ = status;
  fields.insert(fields.end(), added_.begin(), added_.end());
  sink_->SendStreamHead(head_, status, std::move(fields));
}

void ServerExchange::Write(std::string bytes) {
  if (finished_ || bytes.empty() || head_.method == "HEAD") return;
  sink_->SendPiece(head_, bytes);
}

void ServerExchange::EndStream() {
  if (finished_) return;
  finished_ = true;
  const auto sink = std::exchange(sink_, nullptr);
  sink->SendEnd(head_);
}

void ServerExchange::Abort() {
  if (finished_) return;
  finished_ = true;
  const auto sink = std::exchange(sink_, nullptr);
  sink->SendAbort();
  End();
}

size_t ServerExchange::unsent_bytes() const { return finished_ ? 0 : sink_->unsent_bytes(); }

void ServerExchange::OnWritable(std::function<void()> on_writable) {
  on_writable_ = std::move(on_writable);
}

void ServerExchange::OnGone(std::function<void()> on_gone) { on_gone_ = std::move(on_gone); }

void ServerExchange::OnEnd(std::function<void()> on_end) { on_end_ = std::move(on_end); }

void ServerExchange::Gone() {
  if (finished_) return;
  finished_ = true;
  sink_ = nullptr;
  if (const auto on_gone = std::exchange(on_gone_, nullptr)) on_gone();
  End();
}

void ServerExchange::Writable() {
  if (finished_ || !on_writable_) return;
  const auto on_writable = on_writable_;
  on_writable();
}

void ServerExchange::End() {
  on_writable_ = nullptr;
  on_gone_ = nullptr;
  if (const auto on_end = std::exchange(on_end_, nullptr)) on_end();
}

}  // namespace cursor_gateway
