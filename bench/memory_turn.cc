#include "memory_turn.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include "shape.h"

namespace cursorwire::bench {
namespace {

// A turn moves bytes in each step, but for the few in which only events are taken.
constexpr int kMostIdleSteps = 3;

std::string PromptFor(size_t texts, size_t message_bytes) {
  return absl::StrCat(kPromptWord, " frame ", texts, " ", message_bytes, "\n");
}

}  // namespace

MemoryTurn::MemoryTurn(const MemoryServer& server, size_t texts, size_t message_bytes,
                       ClientWork client_work)
    : wanted_(texts),
      client_work_(std::move(client_work)),
      now_(connect::TimePoint() + std::chrono::hours(1000)) {
  client_work_([&] {
    CountedUuids ids;
    const bool tls = server.context != nullptr;
    client_ = std::make_unique<connect::Connection>(
        connect::ConnectionOptions{
            .authority = "localhost:1234",
            .security = tls ? connect::Security::kTls : connect::Security::kPlaintext,
            .tls = {.ca_pem = server.ca_pem}},
        now_);
    run_ = std::make_unique<Run>(ChatRequest{.prompt = PromptFor(texts, message_bytes)},
                                 RunOptions{.token = "any"}, ids, now_);
    call_ = client_->StartCall(run_->call_request(), now_);
  });
  auto made = upstream::ServerConnection::Create(server.context, service_);
  status_ = made.status();
  if (made.ok()) server_ = *std::move(made);
}

absl::Status MemoryTurn::Play() {
  if (!status_.ok()) return status_;
  for (int idle = 0; !run_->finished() && idle < kMostIdleSteps;) {
    idle = Step() ? 0 : idle + 1;
  }
  if (!status_.ok()) return status_;
  if (!run_->finished()) return absl::InternalError("the turn hangs");
  if (texts_ == wanted_) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(texts_, " texts in place of ", wanted_));
}

// False if no byte was moved.
bool MemoryTurn::Step() {
  Send();
  const std::string_view down = server_->PendingOutput();
  const bool moved = !down.empty();
  client_work_([&] { Receive(down); });
  server_->ConsumeOutput(down.size());
  return moved;
}

void MemoryTurn::Send() {
  std::string_view up;
  client_work_([&] {
    while (const auto output = run_->PollOutput()) Apply(*output);
    up = client_->PendingOutput();
  });
  status_.Update(server_->Receive(up, now_));
  client_work_([&] { client_->ConsumeOutput(up.size()); });
}

void MemoryTurn::Receive(std::string_view bytes) {
  if (!bytes.empty()) client_->Receive(bytes, now_);
  while (const auto event = client_->PollEvent()) run_->On(*event, now_);
  while (const auto event = run_->PollEvent()) {
    status_.Update(event->status());
    if (event->ok() && (*event)->As<TextDelta>() != nullptr) ++texts_;
  }
}

void MemoryTurn::Apply(const RunOutput& output) {
  if (const auto* send = std::get_if<SendMessage>(&output)) {
    (void)client_->Send(call_, send->message);  // the end of the call says why it fails
  } else if (std::holds_alternative<CloseSend>(output)) {
    client_->CloseSend(call_);
  } else {
    client_->Cancel(call_);
  }
}

std::string CountedUuids::Uuid() {
  return absl::StrFormat("00000000-0000-4000-8000-%012d", ++count_);
}

}  // namespace cursorwire::bench
