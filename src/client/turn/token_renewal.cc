#include "client/turn/token_renewal.h"

#include <chrono>

namespace cursorwire {

void TokenRenewal::Start(const connect::Call& call) {
  state_ = nullptr;
  const bool replaces = replacement_ == Replacement::kWanted;
  if (replaces) replacement_ = Replacement::kUsed;
  if (!replaces && !tokens_->IsNearEnd(std::chrono::system_clock::now())) return;
  state_ = std::make_shared<std::atomic<State>>(State::kRunning);
  const auto renew = [tokens = tokens_, state = state_, call, replaces, token = token_,
                      stop = stop_.get_token()] {
    bool good = true;  // a token that was not refused will do
    if (replaces) {
      good = tokens->Replace(token, stop);
    } else {
      tokens->Renew(stop);
    }
    *state = good ? State::kDone : State::kFailed;
    call.Wake();
  };
  if (threads_->Post(renew) == 0) *state_ = replaces ? State::kFailed : State::kDone;
}

}  // namespace cursorwire
