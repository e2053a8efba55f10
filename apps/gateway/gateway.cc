#include "gateway.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "anthropic/messages_request.h"
#include "api/api_error.h"
#include "api/concat.h"
#include "api/model_list.h"
#include "error_answer.h"
#include "origin_check.h"
#include "page_file.h"
#include "random_text.h"
#include "state/state_store.h"

namespace cursor_gateway {
namespace {

constexpr size_t kRequestIdLength = 24;
// Between two looks whether the last turns have ended.
constexpr std::chrono::milliseconds kTurnsPoll{10};

std::string NewRequestId() { return Concat("req_", RandomText(kRequestIdLength)); }

ApiError ShuttingDown() {
  return {.status = 503,
          .type = "server_error",
          .code = "shutting_down",
          .message = "the gateway is shutting down",
          .retry_after_seconds = 1};
}

bool WantsAnthropicForm(const HttpHead& head, const Route& route) {
  return route.endpoint == Endpoint::kMessages || route.endpoint == Endpoint::kCountTokens ||
         head.Find("anthropic-version") != nullptr;
}

// "application/json", perhaps with parameters.
bool IsJson(const std::string* type) {
  if (type == nullptr) return false;
  std::string_view name = std::string_view(*type).substr(0, type->find(';'));
  while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);
  return SameWord(name, "application/json");
}

// Source: RFC 6455, 4.1.
bool AsksForWebSocket(const HttpHead& head) {
  const std::string* upgrade = head.Find("upgrade");
  return upgrade != nullptr && SameWord(*upgrade, "websocket");
}

absl::Status ErrorOf(Unreadable why) {
  switch (why) {
    case Unreadable::kMalformed:
      return RequestError(400, "the request is not HTTP as this server reads it");
    case Unreadable::kOtherVersion:
      return RequestError(
          400, "this server speaks HTTP/1.1 without TLS; a proxy in front of it can speak more");
    case Unreadable::kTooSlow:
      return RequestError(408, "the request took too long to arrive");
    case Unreadable::kBodyTooLarge:
      return RequestError(413, "the body is over 48 MiB");
    case Unreadable::kHeadTooLarge:
      return RequestError(431, "the headers are over 64 KiB");
    case Unreadable::kNoRoom:
      break;
  }
  return ToStatus(NoRoom());
}

// It ends with the process, and its clock is that of the loop.
std::unique_ptr<StateStore> StateInMemory(const EventLoop& loop) {
  const auto now = [&loop] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(loop.Now().time_since_epoch());
  };
  return MakeMemoryState({.ages = now, .claims = now});
}

}  // namespace

Gateway::Gateway(EventLoop& loop, const cursorwire::Client& client, GatewayOptions options)
    : loop_(loop),
      options_(std::move(options)),
      outlives_(options_.state != nullptr),
      state_(loop, metrics_,
             options_.state == nullptr ? StateInMemory(loop) : std::move(options_.state),
             options_.log),
      idempotency_(state_),
      catalog_(
          loop, [&client](const std::stop_token& stop) { return client.ListModels(stop); },
          options_.chat.model_map),
      chat_(loop, client, catalog_, metrics_, state_, options_.chat),
      documents_(loop, metrics_, state_, options_.documents) {
  // Nothing is swallowed: without a log the process ends.
  if (!options_.log) return;
  loop_.OnFailure([log = options_.log](const char* what) { log(FailureNote(what)); });
}

Gateway::~Gateway() { loop_.OnFailure(nullptr); }

void Gateway::Drain() {
  draining_ = true;
  chat_.Drain();
  documents_.Drain();
}

void Gateway::EndTurns() {
  const absl::Status why = ToStatus(ShuttingDown());
  catalog_.End(why);
  chat_.EndTurns(why);
  documents_.EndTurns(why);
}

void Gateway::WhenWritten(std::function<void()> done) {
  if (!outlives_) return done();
  AwaitTurns(loop_.Now() + kLastWrites, std::move(done));
}

void Gateway::AwaitTurns(TimePoint deadline, std::function<void()> done) {
  if (loop_.Now() >= deadline) return done();
  if (chat_.idle() && documents_.idle()) return state_.WhenWritten(std::move(done));
  write_timer_ = loop_.After(kTurnsPoll, [this, deadline, done = std::move(done)]() mutable {
    AwaitTurns(deadline, std::move(done));
  });
}

std::optional<HttpAnswer> Gateway::OnHead(const HttpHead& head) {
  const Route route = FindRoute(head.path);
  // Codex tries a WebSocket first, and goes on without one after this answer alone.
  if (route.endpoint == Endpoint::kResponses && AsksForWebSocket(head)) {
    return Recorded({.status = 426, .fields = {{"Upgrade", "HTTP/1.1"}}}, head, route);
  }
  if (auto answer = PreflightAnswer(head, options_.names, route.methods);
      answer && CheckOrigin(head, options_.names).ok()) {
    return Recorded(*std::move(answer), head, route);
  }
  if (absl::Status status = Check(head, route); !status.ok()) return Refusal(status, head, route);
  return std::nullopt;
}

HttpAnswer Gateway::OnUnreadable(Unreadable why, const HttpHead& head) {
  HttpAnswer answer = Refusal(ErrorOf(why), head, FindRoute(head.path));
  answer.close = true;
  return answer;
}

void Gateway::OnRequest(std::shared_ptr<HttpExchange> exchange) {
  const Route route = FindRoute(exchange->head().path);
  const std::string id = NewRequestId();
  exchange->AddField("x-request-id", id);
  exchange->SetId(id);
  if (WantsAnthropicForm(exchange->head(), route)) {
    exchange->AddField("request-id", id);
    exchange->SetForm([id](HttpAnswer& answer) { ToAnthropicForm(answer, id); });
  }
  for (auto& [name, value] : CorsFields(exchange->head(), options_.names)) {
    exchange->AddField(name, std::move(value));
  }
  exchange->OnEnd([this, id, route, start = loop_.Now(), raw = exchange.get()] {
    Record(id, raw->head(), route, raw->status(), start, raw->note());
  });
  // Its body is complete only now.
  if (draining_ && route.endpoint != Endpoint::kHealth) {
    exchange->Answer(ErrorAnswer(ShuttingDown()));
    return;
  }
  switch (route.endpoint) {
    case Endpoint::kPage:
      exchange->Answer(PageAnswer(exchange->head(), route.id));
      return;
    case Endpoint::kHealth:
      AnswerHealth(*exchange);
      return;
    case Endpoint::kMetrics:
      exchange->Answer({.fields = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
                        .body = metrics_.Text()});
      return;
    case Endpoint::kModels:
    case Endpoint::kModel:
      AnswerModels(exchange, route);
      return;
    case Endpoint::kKeptResponse:
      exchange->Answer(ErrorAnswer(ApiErrorOf(RequestError(
          404,
          "responses cannot be read here: they are kept to go on from by previous_response_id"))));
      return;
    default:
      AnswerPost(std::move(exchange), route);
  }
}

void Gateway::AnswerPost(std::shared_ptr<HttpExchange> exchange, const Route& route) {
  const std::string client = OwnerOf(exchange->head());
  idempotency_.Begin(std::move(exchange), client,
                     [this, client, route](const std::shared_ptr<HttpExchange>& begun) {
                       AnswerSafely(*begun, [&] { AnswerOnce(begun, client, route); });
                     });
}

void Gateway::AnswerOnce(std::shared_ptr<HttpExchange> exchange, const std::string& client,
                         const Route& route) {
  switch (route.endpoint) {
    case Endpoint::kChatCompletions:
      return chat_.Complete(exchange, client);
    case Endpoint::kResponses:
      return chat_.Respond(exchange, client, ResponsesPath::kResponses);
    case Endpoint::kCompact:
      return chat_.Respond(exchange, client, ResponsesPath::kCompact);
    case Endpoint::kMessages:
      return chat_.AnswerMessages(exchange, client);
    case Endpoint::kCountTokens:
      return AnswerCount(*exchange);
    case Endpoint::kDocuments:
      return documents_.Complete(std::move(exchange), client, DocumentService::Path::kCompletions);
    case Endpoint::kPlan:
      return documents_.Complete(std::move(exchange), client, DocumentService::Path::kPlan);
    case Endpoint::kApproval:
      return documents_.Approve(*exchange, client, route.id);
    default:
      exchange->Answer(
          ErrorAnswer(ApiErrorOf(RequestError(404, NoSuchPath(exchange->head().path)))));
  }
}

absl::Status Gateway::Check(const HttpHead& head, const Route& route) const {
  if (absl::Status status = CheckOrigin(head, options_.names); !status.ok()) return status;
  if (route.endpoint != Endpoint::kHealth) {
    if (draining_) return ToStatus(ShuttingDown());
    // A browser has no key yet when it opens the page, which holds nothing that is secret.
    if (route.endpoint != Endpoint::kPage && !options_.keys.OwnerOf(head)) {
      return ToStatus({.status = 401,
                       .type = "invalid_request_error",
                       .code = "invalid_api_key",
                       .message = "this gateway needs one of its own API keys",
                       .should_retry = false});
    }
  }
  return CheckMethod(head, route);
}

absl::Status Gateway::CheckMethod(const HttpHead& head, const Route& route) const {
  if (route.endpoint == Endpoint::kUnknown) return RequestError(404, NoSuchPath(head.path));
  if (!Allows(route, head.method)) {
    return RequestError(405, Concat("this path allows ", route.methods));
  }
  if (head.method != "POST") return absl::OkStatus();
  if (!IsJson(head.Find("content-type"))) {
    return RequestError(415, "the header Content-Type must be application/json");
  }
  const std::string* encoding = head.Find("content-encoding");
  if (encoding != nullptr && !SameWord(*encoding, "identity")) {
    return RequestError(415, "the body must not be encoded");
  }
  return absl::OkStatus();
}

HttpAnswer Gateway::Refusal(const absl::Status& status, const HttpHead& head, const Route& route) {
  const ApiError error = ApiErrorOf(status);
  HttpAnswer answer = Recorded(ErrorAnswer(error), head, route);
  if (error.status == 405) answer.fields.emplace_back("Allow", route.methods);
  // Not for a client that asks for a path that is not there, or in another way.
  answer.close = error.status != 404 && error.status != 405;
  return answer;
}

HttpAnswer Gateway::Recorded(HttpAnswer answer, const HttpHead& head, const Route& route) {
  const std::string id = NewRequestId();
  answer.fields.emplace_back("x-request-id", id);
  if (WantsAnthropicForm(head, route)) {
    answer.fields.emplace_back("request-id", id);
    ToAnthropicForm(answer, id);
  }
  for (auto& field : CorsFields(head, options_.names)) answer.fields.push_back(std::move(field));
  Record(id, head, route, answer.status, loop_.Now(), "");
  return answer;
}

void Gateway::Record(const std::string& id, const HttpHead& head, const Route& route, int status,
                     TimePoint start, const std::string& note) {
  metrics_.CountRequest(route.pattern, status);
  if (!options_.log) return;
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(loop_.Now() - start).count();
  // A method is a word of the client's: only those that are known are repeated.
  constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "OPTIONS"};
  const bool known =
      std::find(std::begin(kMethods), std::end(kMethods), head.method) != std::end(kMethods);
  options_.log(Concat(id, " ", known ? head.method : "-", " ", route.pattern, " ", status, " ",
                      time, " ms", note.empty() ? "" : ", ", note));
}

// It was let in, so that it has a key if there are some.
std::string Gateway::OwnerOf(const HttpHead& head) {
  return options_.keys.OwnerOf(head).value_or("");
}

void Gateway::AnswerCount(HttpExchange& exchange) const {
  const absl::StatusOr<int64_t> tokens = CountTokens(exchange.body());
  exchange.Answer(tokens.ok() ? JsonAnswer(Concat("{\"input_tokens\":", *tokens, "}"))
                              : ErrorAnswer(ApiErrorOf(tokens.status())));
}

void Gateway::AnswerHealth(HttpExchange& exchange) const {
  HttpAnswer answer = JsonAnswer(draining_ ? R"({"status":"draining"})" : R"({"status":"ok"})");
  answer.status = draining_ ? 503 : 200;
  exchange.Answer(std::move(answer));
}

void Gateway::AnswerModels(const std::shared_ptr<HttpExchange>& exchange, const Route& route) {
  catalog_.Get([this, exchange, route](const absl::StatusOr<Catalog>& catalog) {
    if (!catalog.ok()) {
      exchange->Answer(ErrorAnswer(ApiErrorOf(catalog.status())));
      return;
    }
    const bool for_codex = exchange->head().query.find("client_version=") != std::string::npos;
    absl::StatusOr<std::string> body =
        route.endpoint == Endpoint::kModels
            ? (for_codex ? catalog->codex_body : catalog->list_body)
            : ModelBody(catalog->models, options_.chat.model_map, route.id);
    exchange->Answer(body.ok() ? JsonAnswer(*std::move(body))
                               : ErrorAnswer(ApiErrorOf(body.status())));
  });
}

}  // namespace cursor_gateway
