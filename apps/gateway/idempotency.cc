#include "idempotency.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "error_answer.h"
#include "openai/api_error.h"
#include "openai/concat.h"
#include "openai/sha256.h"

namespace cursor_gateway {
namespace {

constexpr size_t kMaxIdempotencyKeyBytes = 255;

absl::Status IdempotencyError(int status, const char* code, const char* message) {
  return ToStatus(
      {.status = status, .type = "invalid_request_error", .code = code, .message = message});
}

}  // namespace

// An exchange that keeps its answer.
class Idempotency::Recorder final : public HttpExchange {
 public:
  Recorder(std::shared_ptr<HttpExchange> inner, std::weak_ptr<Idempotency*> owner, std::string name)
      : inner_(std::move(inner)), owner_(std::move(owner)), name_(std::move(name)) {}
  ~Recorder() override { Done(nullptr); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const HttpHead& head() const override { return inner_->head(); }
  const std::string& body() const override { return inner_->body(); }
  void DropBody() override { inner_->DropBody(); }
  void AddField(std::string name, std::string value) override {
    inner_->AddField(std::move(name), std::move(value));
  }
  void Answer(HttpAnswer answer) override {
    Done(answer.status == 200 ? &answer : nullptr);
    inner_->Answer(std::move(answer));
  }
  void StartStream(int status, HttpFields fields) override {
    inner_->StartStream(status, std::move(fields));
  }
  void Write(std::string bytes) override { inner_->Write(std::move(bytes)); }
  void EndStream() override {
    Done(nullptr);
    inner_->EndStream();
  }
  void Abort() override {
    Done(nullptr);
    inner_->Abort();
  }
  size_t unsent_bytes() const override { return inner_->unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable) override {
    inner_->OnWritable(std::move(on_writable));
  }
  void OnGone(std::function<void()> on_gone) override { inner_->OnGone(std::move(on_gone)); }
  void OnEnd(std::function<void()> on_end) override { inner_->OnEnd(std::move(on_end)); }
  int status() const override { return inner_->status(); }

 private:
  void Done(const HttpAnswer* answer) {
    if (std::exchange(done_, true)) return;
    const auto owner = owner_.lock();
    if (owner == nullptr) return;
    if (answer != nullptr) {
      (*owner)->Keep(name_, *answer);
    } else {
      (*owner)->Forget(name_);
    }
  }

  std::shared_ptr<HttpExchange> inner_;
  std::weak_ptr<Idempotency*> owner_;
  std::string name_;
  bool done_ = false;
};

std::shared_ptr<HttpExchange> Idempotency::Begin(std::shared_ptr<HttpExchange> exchange,
                                                 const std::string& client_key) {
  const std::string* key = exchange->head().Find("idempotency-key");
  if (key == nullptr) return exchange;
  const auto refuse = [&exchange](const absl::Status& status) {
    exchange->Answer(ErrorAnswer(ApiErrorOf(status)));
    return nullptr;
  };
  if (key->empty() || key->size() > kMaxIdempotencyKeyBytes) {
    return refuse(BadRequest("the header Idempotency-Key must have 1 to 255 characters", ""));
  }
  DropOld();
  std::string name = Concat(client_key, "\n", exchange->head().path, "\n", *key);
  std::string digest = Sha256(exchange->body());
  const auto [it, is_new] =
      entries_.try_emplace(name, Entry{.body_digest = digest, .since = loop_.Now()});
  if (is_new) {
    return std::make_shared<Recorder>(std::move(exchange), self_, std::move(name));
  }
  if (it->second.body_digest != digest) {
    return refuse(IdempotencyError(422, "idempotency_mismatch",
                                   "this Idempotency-Key came with another body before"));
  }
  if (!it->second.answer) {
    return refuse(IdempotencyError(409, "idempotency_in_progress",
                                   "a request with this Idempotency-Key is being answered"));
  }
  exchange->Answer(*it->second.answer);
  return nullptr;
}

void Idempotency::Keep(const std::string& name, const HttpAnswer& answer) {
  const auto it = entries_.find(name);
  if (it == entries_.end()) return;
  it->second.answer = answer;
  bytes_ += answer.body.size();
  DropOld();
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
