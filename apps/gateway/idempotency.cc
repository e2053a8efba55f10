#include "idempotency.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_text.h"
#include "base/sha256.h"
#include "error_answer.h"

namespace cursor_gateway {
namespace {

constexpr size_t kMaxIdempotencyKeyBytes = 255;
// The name or the value of a field of an answer in the state.
constexpr size_t kMaxKeptFieldBytes = size_t{8} * 1024;

void Refuse(HttpExchange& exchange, const absl::Status& status) {
  exchange.Answer(ErrorAnswer(ApiErrorOf(status)));
}

absl::Status Mismatch() {
  return RequestError(422, "this Idempotency-Key came with another body before", "",
                      "idempotency_mismatch");
}

absl::Status InProgress() {
  return RequestError(409, "a request with this Idempotency-Key is being answered", "",
                      "idempotency_in_progress");
}

// Neither the API key nor the client's own key is in it.
StateKey AnswerKey(const std::string& name) {
  return {StateKind::kAnswer, cursorwire::Sha256(name)};
}

// An answer, and the digest of the body that it is for.
struct KeptAnswer {
  std::string body_digest;
  HttpAnswer answer;
};

std::string ToText(const KeptAnswer& kept) {
  return CompactJson({{"asked", kept.body_digest},
                      {"status", kept.answer.status},
                      {"fields", kept.answer.fields},
                      {"body", kept.answer.body}});
}

// A damaged one would add fields to the answer, or be more than a connection can send.
bool IsFieldText(const std::string& text) {
  return text.size() <= kMaxKeptFieldBytes &&
         text.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
}

// nullopt: the entry is damaged.
std::optional<KeptAnswer> ToKeptAnswer(std::string_view text) {
  const absl::StatusOr<nlohmann::json> value = ReadJson(text);
  if (!value.ok()) return std::nullopt;
  // What is of another type than it was written with throws.
  try {
    if (value->at("status") != 200) return std::nullopt;  // no other is kept
    HttpAnswer answer{.fields = value->at("fields").get<HttpFields>(),
                      .body = value->at("body").get<std::string>()};
    const bool can_be_sent =
        std::all_of(answer.fields.begin(), answer.fields.end(), [](const auto& field) {
          return !field.first.empty() && IsFieldText(field.first) && IsFieldText(field.second);
        });
    if (!can_be_sent) return std::nullopt;
    return KeptAnswer{.body_digest = value->at("asked").get<std::string>(),
                      .answer = std::move(answer)};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

void Idempotency::Begin(std::shared_ptr<HttpExchange> exchange, const std::string& client_key,
                        Next next) {
  const std::string* key = exchange->head().Find("idempotency-key");
  if (key == nullptr) return next(std::move(exchange));
  if (key->empty() || key->size() > kMaxIdempotencyKeyBytes) {
    return Refuse(*exchange,
                  BadRequest("the header Idempotency-Key must have 1 to 255 characters", ""));
  }
  std::string name = Concat(client_key, "\n", exchange->head().path, "\n", *key);
  std::string digest = absl::BytesToHexString(cursorwire::Sha256(exchange->body()));
  std::shared_ptr<Request>& request = requests_[name];
  if (request != nullptr) {
    return Refuse(*exchange, request->body_digest == digest ? InProgress() : Mismatch());
  }
  request = std::make_shared<Request>(Request{.client_key = client_key,
                                              .name = name,
                                              .body_digest = std::move(digest),
                                              .next = std::move(next),
                                              .exchange = std::move(exchange)});
  request->exchange->OnGone([weak = std::weak_ptr(request)] {
    if (const auto alive = weak.lock()) alive->gone = true;
  });
  state_.Claim(AnswerKey(request->name), request->body_digest, kClaimLease, -1,
               [this, request](absl::StatusOr<StateClaimed> claimed) {
                 OnClaimed(request, std::move(claimed));
               });
}

void Idempotency::OnClaimed(const std::shared_ptr<Request>& request,
                            absl::StatusOr<StateClaimed> claimed) {
  if (request->gone) {
    requests_.erase(request->name);
    return;
  }
  HttpExchange& exchange = *request->exchange;
  exchange.OnGone(nullptr);
  if (!claimed.ok()) return Record(request);
  if (claimed->hold == nullptr) {
    requests_.erase(request->name);
    return Refuse(exchange, claimed->note == request->body_digest ? InProgress() : Mismatch());
  }
  if (claimed->entry) {
    std::optional<KeptAnswer> kept = ToKeptAnswer(claimed->entry->value);
    if (kept) {
      requests_.erase(request->name);
      if (kept->body_digest != request->body_digest) return Refuse(exchange, Mismatch());
      return exchange.Answer(std::move(kept->answer));
    }
    state_.CountError();
  }
  request->hold = std::move(claimed->hold);
  Record(request);
}

void Idempotency::Record(const std::shared_ptr<Request>& request) {
  request->exchange->OnAnswer(
      [self = std::weak_ptr(self_), request](const HttpAnswer* answer, std::function<void()> send) {
        const auto owner = self.lock();
        if (owner == nullptr) return send();
        (*owner)->requests_.erase(request->name);
        if (answer != nullptr && answer->status == 200 && !answer->failed) {
          return (*owner)->Keep(*request, *answer, std::move(send));
        }
        request->hold.reset();
        send();
      });
  request->next(std::move(request->exchange));
}

void Idempotency::Keep(const Request& request, const HttpAnswer& answer,
                       std::function<void()> kept) {
  if (request.hold == nullptr) return kept();
  state_.Put(
      request.hold->key(),
      {.owner = request.client_key,
       .value = ToText({.body_digest = request.body_digest, .answer = answer})},
      kIdempotencyLife,
      [hold = request.hold, kept = std::move(kept)](const absl::Status&) { kept(); },
      request.hold->holder(), StateKeeper::Claimed::kEnds);
}

}  // namespace cursor_gateway
