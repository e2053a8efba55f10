#include "idempotency.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "error_answer.h"
#include "openai/api_error.h"
#include "openai/concat.h"
#include "openai/json_text.h"
#include "openai/sha256.h"

namespace cursor_gateway {
namespace {

constexpr size_t kMaxIdempotencyKeyBytes = 255;
// The name or the value of a field of an answer in the state.
constexpr size_t kMaxKeptFieldBytes = size_t{8} * 1024;

absl::Status IdempotencyError(int status, const char* code, const char* message) {
  return ToStatus(
      {.status = status, .type = "invalid_request_error", .code = code, .message = message});
}

void Refuse(HttpExchange& exchange, const absl::Status& status) {
  exchange.Answer(ErrorAnswer(ApiErrorOf(status)));
}

absl::Status Mismatch() {
  return IdempotencyError(422, "idempotency_mismatch",
                          "this Idempotency-Key came with another body before");
}

absl::Status InProgress() {
  return IdempotencyError(409, "idempotency_in_progress",
                          "a request with this Idempotency-Key is being answered");
}

// Neither the API key nor the client's own key is in it.
StateKey AnswerKey(const std::string& name) { return {StateKind::kAnswer, Sha256(name)}; }

// An answer, which is JSON itself, and the digest of the body that it is for.
StateEntry ToEntry(const std::string& body_digest, const HttpAnswer& answer) {
  const nlohmann::json value = {
      {"status", answer.status}, {"fields", answer.fields}, {"body", answer.body}};
  return {.owner = body_digest, .value = CompactJson(value)};
}

// A damaged one would add fields to the answer, or be more than a connection can send.
bool IsFieldText(const std::string& text) {
  return text.size() <= kMaxKeptFieldBytes &&
         text.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
}

// nullopt: the entry is damaged.
std::optional<HttpAnswer> ToAnswer(const StateEntry& entry) {
  const absl::StatusOr<nlohmann::json> value = ReadJson(entry.value);
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
    return answer;
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
  DropOld();
  std::string name = Concat(client_key, "\n", exchange->head().path, "\n", *key);
  std::string digest = Sha256(exchange->body());
  const auto [it, is_new] =
      entries_.try_emplace(name, Entry{.body_digest = digest, .since = loop_.Now()});
  if (!is_new) {
    const Entry& entry = it->second;
    if (entry.body_digest != digest) return Refuse(*exchange, Mismatch());
    if (!entry.answer) return Refuse(*exchange, InProgress());
    return exchange->Answer(*entry.answer);
  }
  const auto request = std::make_shared<Request>(Request{.exchange = std::move(exchange),
                                                         .name = std::move(name),
                                                         .body_digest = digest,
                                                         .next = std::move(next)});
  if (state_ == nullptr) return Record(request);
  request->exchange->OnGone([weak = std::weak_ptr(request)] {
    if (const auto alive = weak.lock()) alive->gone = true;
  });
  state_->Claim(AnswerKey(request->name), digest, kClaimLease, -1,
                [this, request](absl::StatusOr<StateClaimed> claimed) {
                  request->exchange->OnGone(nullptr);
                  OnClaimed(request, std::move(claimed));
                });
}

void Idempotency::OnClaimed(const std::shared_ptr<Request>& request,
                            absl::StatusOr<StateClaimed> claimed) {
  if (request->gone) return Forget(request->name);
  if (!claimed.ok()) return Record(request);
  HttpExchange& exchange = *request->exchange;
  if (claimed->hold == nullptr) {
    Forget(request->name);
    return Refuse(exchange, claimed->note == request->body_digest ? InProgress() : Mismatch());
  }
  if (claimed->entry) {
    const bool is_same = claimed->entry->owner == request->body_digest;
    std::optional<HttpAnswer> answer = ToAnswer(*claimed->entry);
    if (answer || !is_same) Forget(request->name);
    if (!is_same) return Refuse(exchange, Mismatch());
    if (answer) return exchange.Answer(*std::move(answer));
    state_->CountError();
  }
  entries_.at(request->name).hold = std::move(claimed->hold);
  Record(request);
}

void Idempotency::Record(const std::shared_ptr<Request>& request) {
  request->exchange->OnAnswer([self = std::weak_ptr(self_), name = request->name](
                                  const HttpAnswer* answer, std::function<void()> send) {
    const auto owner = self.lock();
    if (owner == nullptr) return send();
    if (answer != nullptr && answer->status == 200) {
      return (*owner)->Keep(name, *answer, std::move(send));
    }
    (*owner)->Forget(name);
    send();
  });
  request->next(std::move(request->exchange));
}

void Idempotency::Keep(const std::string& name, const HttpAnswer& answer,
                       std::function<void()> kept) {
  const auto it = entries_.find(name);
  if (it == entries_.end()) return kept();
  Entry& entry = it->second;
  entry.answer = answer;
  bytes_ += answer.body.size();
  const std::shared_ptr<StateHold> hold = std::exchange(entry.hold, nullptr);
  const std::string digest = entry.body_digest;
  DropOld();
  if (hold == nullptr) return kept();
  state_->PutHeld(*hold, ToEntry(digest, answer), kIdempotencyLife, StateKeeper::Claimed::kEnds,
                  [hold, kept = std::move(kept)](const absl::Status&) { kept(); });
}

void Idempotency::Forget(const std::string& name) {
  const auto it = entries_.find(name);
  if (it == entries_.end()) return;
  if (it->second.answer) bytes_ -= it->second.answer->body.size();
  entries_.erase(it);
}

void Idempotency::DropOld() {
  std::erase_if(entries_, [this](const auto& entry) {
    if (!entry.second.answer || loop_.Now() - entry.second.since < kIdempotencyLife) return false;
    bytes_ -= entry.second.answer->body.size();
    return true;
  });
  while (entries_.size() > kMaxIdempotencyKeys || bytes_ > kMaxIdempotencyBytes) {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
          // Those that are being made last.
          return std::pair(!a.second.answer, a.second.since) <
                 std::pair(!b.second.answer, b.second.since);
        });
    if (!oldest->second.answer) return;
    Forget(oldest->first);
  }
}

}  // namespace cursor_gateway
