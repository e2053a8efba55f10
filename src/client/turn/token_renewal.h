#ifndef CURSORWIRE_SRC_CLIENT_TURN_TOKEN_RENEWAL_H_
#define CURSORWIRE_SRC_CLIENT_TURN_TOKEN_RENEWAL_H_

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "client/turn/handler_threads.h"
#include "client/turn/token_cell.h"
#include "cursorwire/connect/call.h"

namespace cursorwire {

// The token of a turn, and its renewal between two attempts: on a thread that may wait, if it ends
// soon or the service refuses it. The functions are the role holder's.
class TokenRenewal {
 public:
  enum class State { kNone, kRunning, kDone, kFailed };

  TokenRenewal(std::shared_ptr<TokenCell> tokens, std::shared_ptr<HandlerThreads> threads)
      : tokens_(std::move(tokens)), threads_(std::move(threads)) {}

  // The token for an attempt that begins now.
  const std::string& Use() { return token_ = tokens_->token(); }

  bool can_be_replaced() const { return tokens_->can_be_replaced(); }
  // One that the service refuses is replaced once a turn.
  bool may_be_replaced() const {
    return can_be_replaced() && replacement_ == Replacement::kPossible;
  }
  // The next Start() replaces it.
  void WantReplacement() { replacement_ = Replacement::kWanted; }

  // Begins a renewal, if there is a reason for one, and wakes `call` when it is over.
  void Start(const connect::Call& call);
  // Of the last Start().
  State state() const { return state_ == nullptr ? State::kNone : state_->load(); }
  // Nobody waits for it any more.
  void Stop() { stop_.request_stop(); }

 private:
  enum class Replacement { kPossible, kWanted, kUsed };

  const std::shared_ptr<TokenCell> tokens_;        // shared with the client and its other turns
  const std::shared_ptr<HandlerThreads> threads_;  // the same
  std::string token_;                              // of the last attempt
  Replacement replacement_ = Replacement::kPossible;
  std::shared_ptr<std::atomic<State>> state_;  // shared with the task; nullptr: there is none
  std::stop_source stop_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_TOKEN_RENEWAL_H_
