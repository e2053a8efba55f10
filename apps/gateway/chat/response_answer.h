#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_ANSWER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chat/event_stream.h"
#include "chat/turn_answer.h"
#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "openai/fence_cutter.h"
#include "openai/response_writer.h"
#include "openai/responses_request.h"

namespace cursor_gateway {

// The answer to one request of the Responses API.
class ResponseAnswer final : public TurnAnswer,
                             public std::enable_shared_from_this<ResponseAnswer> {
 public:
  // Gets what the assistant said, and the items of the response, when the answer is complete, and
  // calls `kept`. The client hears of the end then: it may go on by the id of the response at once.
  using Finished = std::function<void(Message said, const nlohmann::json& output,
                                      const std::function<void()>& kept)>;

  ResponseAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                 const ResponsesRequest& request, CompletionHead head, Finished on_finished);

  void Text(std::string_view text) override;
  void Reasoning(std::string_view text) override;
  void Calls(const std::vector<FunctionCall>& calls) override;
  void Finish(FinishReason reason, const CompletionUsage& usage) override;
  void Fail(const ApiError& error) override;

  bool stopped() const override { return false; }
  const std::string& text() const override { return said_.text; }
  bool begun() const override { return begun_; }

  bool gone() const override { return stream_.gone(); }
  size_t unsent_bytes() const override { return stream_.unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable) override {
    stream_.OnWritable(std::move(on_writable));
  }
  void OnGone(std::function<void()> on_gone) override { stream_.OnGone(std::move(on_gone)); }

 private:
  void SendText(std::string_view text);
  void Write(const std::string& events);
  void End(const std::string& events);
  nlohmann::json Compacted();

  bool streams_ = false;
  bool compacts_ = false;      // the text is a summary
  nlohmann::json kept_items_;  // as of ResponsesRequest
  EventStream stream_;
  FenceCutter fence_;
  ResponseWriter writer_;
  Finished on_finished_;
  Message said_{.role = Role::kAssistant};
  bool begun_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_RESPONSE_ANSWER_H_
