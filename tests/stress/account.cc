#include "stress/account.h"

#include <iostream>

#include "stress/raw_peer.h"

namespace cursorwire::test {

using connect::CallRecord;

void Account::Fault(const std::string& what) {
  constexpr int kMostPrinted = 20;
  if (++faults_ <= kMostPrinted) std::cout << "stress: FAULT: " + what + "\n" << std::flush;
}

void Account::TakeMessage(std::string_view bytes, std::string_view what) {
  ++messages_;
  const bool large = bytes.size() == RawPeer::kLargeBytes;
  const char text = large ? RawPeer::kLargeText : RawPeer::kSmallText;
  if ((!large && bytes.size() > RawPeer::kMaxSmallBytes) ||
      bytes.find_first_not_of(text) != std::string_view::npos) {
    Fault(std::string(what) + ": a message that nobody sent, of " + std::to_string(bytes.size()) +
          " bytes");
  }
}

void Account::BeginCoroutine() {
  const std::lock_guard lock(mutex_);
  ++coroutines_;
}

void Account::EndCoroutine() {
  const std::lock_guard lock(mutex_);
  --coroutines_;
  changed_.notify_all();
}

void Account::AwaitEnds() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return open_.empty() && coroutines_ == 0; });
}

absl::Status Account::OnRequest(const CallRecord& call, connect::Headers& headers) {
  headers.Add("x-call", std::to_string(++calls_));
  const std::lock_guard lock(mutex_);
  if (!open_.insert(&call).second) Fault("a call is made that is open already: " + call.path);
  return absl::OkStatus();
}

void Account::OnHead(const CallRecord& call, const connect::Headers&) {
  const std::lock_guard lock(mutex_);
  if (!open_.contains(&call)) Fault("a head after the end: " + call.path);
}

void Account::OnEnd(const CallRecord& call, const connect::CallEnd& end) {
  if (end.status.ok()) ++ended_well_;
  const std::lock_guard lock(mutex_);
  if (open_.erase(&call) != 1) Fault("a second end: " + call.path);
  if (open_.empty()) changed_.notify_all();
}

}  // namespace cursorwire::test
