#include "upstream/script/open_requests.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "upstream/script/ask_kind.h"
#include "upstream/script/expectation.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

void SetId(pb::AgentServerMessage& message, Ask::Kind kind, uint32_t id) {
  if (kind == Ask::Kind::kExec) return message.mutable_exec_server_message()->set_id(id);
  if (kind == Ask::Kind::kQuery) return message.mutable_interaction_query()->set_id(id);
  message.mutable_kv_server_message()->set_id(id);
}

uint32_t IdOf(const pb::AgentServerMessage& message, Ask::Kind kind) {
  if (kind == Ask::Kind::kExec) return message.exec_server_message().id();
  if (kind == Ask::Kind::kQuery) return message.interaction_query().id();
  return message.kv_server_message().id();
}

uint32_t ExecIdOf(const pb::ExecClientControlMessage& message) {
  if (message.has_throw_()) return message.throw_().id();
  if (message.has_stream_close()) return message.stream_close().id();
  return message.heartbeat().id();
}

std::optional<WrongAnswer> CheckAnswered(const OpenAsk& ask) {
  if (ask.aborted) return std::nullopt;
  std::optional<std::string> wrong = FindWrongAnswer(ask);
  if (!wrong) return std::nullopt;
  return WrongAnswer{*std::move(wrong), ask.step};
}

}  // namespace

const pb::AgentServerMessage& OpenRequests::Add(const Ask& ask, size_t step,
                                                pb::AgentServerMessage message) {
  OpenAsks& asks = AsksOf(ask.kind);
  if (!ask.has_id) SetId(message, ask.kind, asks.NextId());
  const uint32_t id = IdOf(message, ask.kind);
  return asks.Add(id, {.ask = &ask, .step = step, .sent = std::move(message)}).sent;
}

void OpenRequests::Abort(uint32_t exec_id) {
  OpenAsk* exec = execs_.Find(exec_id);
  if (exec != nullptr) exec->aborted = true;
}

std::optional<WrongAnswer> OpenRequests::On(const pb::ExecClientMessage& message) {
  OpenAsk* exec = execs_.Find(message.id());
  if (exec == nullptr || exec->answered) {
    return WrongAnswer{absl::StrCat("a result of exec ", message.id(), ", which ",
                                    exec == nullptr ? "was not asked for" : "is answered already",
                                    ": ", Excerpt(MessageToJson(message)))};
  }
  const bool more = exec->thrown || (!exec->results.empty() && !message.has_shell_stream());
  if (more) return WrongAnswer{"a second result: " + Excerpt(MessageToJson(message)), exec->step};
  exec->results.push_back(MessageToJson(message));
  exec->kinds.push_back(OneofCase(message, "message"));
  return std::nullopt;
}

std::optional<WrongAnswer> OpenRequests::On(const pb::ExecClientControlMessage& message) {
  const uint32_t id = ExecIdOf(message);
  OpenAsk* exec = execs_.Find(id);
  if (exec == nullptr || exec->answered) {
    return WrongAnswer{absl::StrCat(OneofCase(message, "message"), " of exec ", id, ", which ",
                                    exec == nullptr ? "was not asked for" : "is closed already")};
  }
  if (message.has_throw_()) {
    if (exec->thrown) return WrongAnswer{"a second throw", exec->step};
    exec->thrown = MessageToJson(message.throw_());
  } else if (message.has_stream_close()) {
    const bool answered = exec->thrown || !exec->results.empty() || exec->aborted;
    if (!answered) return WrongAnswer{"stream_close before a result", exec->step};
    exec->answered = true;
    return CheckAnswered(*exec);
  }
  return std::nullopt;
}

std::optional<WrongAnswer> OpenRequests::On(const pb::KvClientMessage& message) {
  OpenAsk* blob = blobs_.Find(message.id());
  const std::string kind = OneofCase(message, "message");
  const bool asked =
      blob != nullptr && !blob->answered &&
      kind == (blob->ask->kind == Ask::Kind::kGetBlob ? "get_blob_result" : "set_blob_result");
  if (!asked) {
    return WrongAnswer{
        absl::StrCat("kv answer ", message.id(), " (", kind, ") to nothing that was asked")};
  }
  blob->answered = true;
  blob->results.push_back(message.has_get_blob_result() ? MessageToJson(message.get_blob_result())
                                                        : MessageToJson(message.set_blob_result()));
  return CheckAnswered(*blob);
}

std::optional<WrongAnswer> OpenRequests::On(const pb::InteractionResponse& message) {
  OpenAsk* query = queries_.Find(message.id());
  if (query == nullptr || query->answered) {
    return WrongAnswer{absl::StrCat("an answer to query ", message.id(), ", which ",
                                    query == nullptr ? "was not asked" : "is answered already",
                                    ": ", Excerpt(MessageToJson(message)))};
  }
  query->answered = true;
  query->results.push_back(MessageToJson(message));
  query->kinds.push_back(OneofCase(message, "result"));
  return CheckAnswered(*query);
}

bool OpenRequests::AllAnswered() const {
  return execs_.AllAnswered() && queries_.AllAnswered() && blobs_.AllAnswered();
}

bool OpenRequests::AllAnswered(size_t step) const {
  return execs_.AllAnswered(step) && queries_.AllAnswered(step) && blobs_.AllAnswered(step);
}

OpenAsks& OpenRequests::AsksOf(Ask::Kind kind) {
  return kind == Ask::Kind::kExec ? execs_ : kind == Ask::Kind::kQuery ? queries_ : blobs_;
}

}  // namespace cursorwire::upstream
