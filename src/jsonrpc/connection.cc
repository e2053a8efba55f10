#include "jsonrpc/connection.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "json/json_member.h"

namespace cursorwire::jsonrpc {
namespace {

// Of a line that is no message.
constexpr size_t kMaxQuotedBytes = 200;
constexpr size_t kMaxBatch = 1000;

absl::Status LineTooLong(size_t bytes, size_t limit) {
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat("a message of ", bytes, " bytes, over the limit of ", limit));
}

}  // namespace

Connection::Connection(ConnectionOptions options)
    : options_(std::move(options)), lines_(options_.max_line_bytes) {}

void Connection::Receive(std::string_view bytes) { lines_.Feed(bytes); }

std::optional<Event> Connection::Next() {
  while (events_.empty()) {
    std::optional<LineSplitter::Line> line = lines_.Next();
    if (!line) return std::nullopt;
    ReadLine(*std::move(line));
  }
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Connection::ReadLine(LineSplitter::Line line) {
  if (line.too_long) {
    return OnOverlong(absl::StrCat("a line is longer than ", options_.max_line_bytes, " bytes"));
  }
  const bool skips = options_.bad_lines == BadLines::kSkip;
  if (skips && !IsUtf8(line.text)) line.text = ToUtf8(line.text);
  absl::StatusOr<Json> value =
      ParseJsonText(line.text, skips ? DeepValues::kCut : DeepValues::kRefuse);
  if (!value.ok()) {
    std::string reason(value.status().message());
    if (absl::IsResourceExhausted(value.status())) return OnOverlong(std::move(reason));
    return OnBadLine(kParseError, nullptr, line.text, std::move(reason));
  }
  if (!value->is_array() || options_.batches == Batches::kRefuse) {
    return ReadValue(*std::move(value), line.text);
  }
  std::string size = absl::StrCat("it is a list of ", value->size(), " messages");
  if (value->size() > kMaxBatch) return OnOverlong(std::move(size));
  if (value->empty()) return OnBadLine(kInvalidRequest, nullptr, line.text, std::move(size));
  for (Json& member : *value) ReadValue(std::move(member), line.text);
}

void Connection::ReadValue(Json value, std::string_view line) {
  std::variant<Message, NoMessage> read = ReadMessage(std::move(value));
  if (const auto* none = std::get_if<NoMessage>(&read)) {
    std::variant<Json, RpcError> broken =
        RpcError{.message = absl::StrCat("its answer cannot be used: ", none->reason)};
    if (options_.bad_lines == BadLines::kSkip && End(none->answers, broken)) return;
    return OnBadLine(kInvalidRequest, none->id, line, none->reason);
  }
  std::visit([this](auto& message) { Take(std::move(message)); }, std::get<Message>(read));
}

void Connection::Take(Request request) {
  if (theirs_.size() >= options_.max_open_requests) {
    Send(Response{
             .id = std::move(request.id),
             .outcome = RpcError{.code = kInternalError, .message = "too many requests are open"}})
        .IgnoreError();
    return;
  }
  if (!theirs_.insert(request.id).second) {
    // Not with that id: its answer belongs to the other request.
    Send(Response{.outcome = RpcError{.code = kInvalidRequest,
                                      .message = "the id of a request that is still open"}})
        .IgnoreError();
    return;
  }
  events_.emplace_back(std::move(request));
}

void Connection::Take(Notification notification) {
  if (options_.cancel_method.empty() || notification.method != options_.cancel_method) {
    events_.emplace_back(std::move(notification));
    return;
  }
  Json id = MemberOf(notification.params, "requestId");
  if (!theirs_.contains(id)) return;
  events_.emplace_back(
      Cancellation{.request_id = std::move(id), .params = std::move(notification.params)});
}

void Connection::Take(Response response) {
  auto* error = std::get_if<RpcError>(&response.outcome);
  if (response.id.is_null() && error != nullptr) {
    events_.emplace_back(StrayError{.error = std::move(*error)});
    return;
  }
  if (End(response.id, response.outcome)) return;
  const std::optional<uint64_t> id = NumberOfId(response.id);
  const bool was_ours = id && *id > 0 && *id < next_id_;
  if (!was_ours) events_.emplace_back(StrayAnswer{.id = std::move(response.id)});
}

bool Connection::End(const Json& id, std::variant<Json, RpcError>& outcome) {
  const std::optional<uint64_t> number = NumberOfId(id);
  const auto open = number ? ours_.find(*number) : ours_.end();
  if (open == ours_.end()) return false;
  events_.emplace_back(Answer{
      .request_id = *number, .method = std::move(open->second), .outcome = std::move(outcome)});
  ours_.erase(open);
  return true;
}

void Connection::OnOverlong(std::string reason) {
  if (options_.bad_lines == BadLines::kAnswer) {
    return OnBadLine(kInvalidRequest, nullptr, "", std::move(reason));
  }
  events_.emplace_back(Overlong{.reason = std::move(reason)});
}

void Connection::OnBadLine(int64_t code, const Json& id, std::string_view line,
                           std::string reason) {
  if (options_.bad_lines == BadLines::kSkip) {
    events_.emplace_back(
        Noise{.line = std::string(line.substr(0, kMaxQuotedBytes)), .reason = std::move(reason)});
    return;
  }
  Send(Response{.id = id, .outcome = RpcError{.code = code, .message = std::move(reason)}})
      .IgnoreError();
}

absl::StatusOr<uint64_t> Connection::Call(std::string method, Json params) {
  if (ours_.size() >= options_.max_open_requests) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat(ours_.size(), " requests wait for their answers"));
  }
  const uint64_t id = next_id_;
  absl::Status sent = Send(Request{.id = id, .method = method, .params = std::move(params)});
  if (!sent.ok()) return sent;
  ++next_id_;
  ours_.emplace(id, std::move(method));
  return id;
}

absl::Status Connection::Notify(std::string method, Json params) {
  return Send(Notification{.method = std::move(method), .params = std::move(params)});
}

void Connection::Respond(const Json& id, std::variant<Json, RpcError> outcome) {
  if (theirs_.erase(id) == 0) return;
  const absl::Status sent = Send(Response{.id = id, .outcome = std::move(outcome)});
  if (sent.ok()) return;
  Send(Response{.id = id, .outcome = RpcError{.message = std::string(sent.message())}})
      .IgnoreError();
}

bool Connection::Cancel(uint64_t request_id, std::string_view reason, Tell tell) {
  if (ours_.erase(request_id) == 0) return false;
  if (tell == Tell::kPeer && !options_.cancel_method.empty()) {
    Json params = {{"requestId", request_id}};
    if (!reason.empty()) params["reason"] = reason;
    Notify(options_.cancel_method, std::move(params)).IgnoreError();
  }
  return true;
}

std::string Connection::TakeOutput() { return std::exchange(output_, std::string()); }

absl::Status Connection::Send(const Message& message) {
  const std::string line = WriteMessage(message);
  if (line.size() > options_.max_sent_line_bytes) {
    return LineTooLong(line.size(), options_.max_sent_line_bytes);
  }
  absl::StrAppend(&output_, line, "\n");
  return absl::OkStatus();
}

}  // namespace cursorwire::jsonrpc
