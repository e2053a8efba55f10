#ifndef CURSORWIRE_SRC_CLIENT_TURN_TOKEN_CELL_H_
#define CURSORWIRE_SRC_CLIENT_TURN_TOKEN_CELL_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "cursorwire/credentials.h"

namespace cursorwire {

//   kUnauthenticated  there is no token; the message says where to get one
//   kInvalidArgument  HTTP does not allow it
absl::Status CheckToken(const std::string& token);

// The token that a client uses now, shared by its turns. Thread-safe.
class TokenCell {
 public:
  // `source`: nullptr if the token cannot be renewed.
  TokenCell(AccessToken token, std::shared_ptr<TokenSource> source)
      : source_(std::move(source)), token_(std::move(token)) {}

  std::string token() const;
  // It can be renewed, and should be: it ends soon.
  bool IsNearEnd(std::chrono::system_clock::time_point now) const;
  // Asks the source, and waits for it. Where another thread does so, waits for that alone.
  void Renew(std::stop_token stop);
  // Whether the caller is to call RenewInBackground(), once: it should be renewed, nobody does so
  // in the background, and it is kRenewalPause since that failed.
  bool StartsRenewal(std::chrono::system_clock::time_point now);
  void RenewInBackground();
  // A renewal in the background is told to stop, and there will be none any more.
  void StopRenewals() { stop_.request_stop(); }
  bool can_be_replaced() const { return source_ != nullptr; }
  // The same for a token that the service refuses. False: there is no other.
  bool Replace(const std::string& refused, std::stop_token stop);

  static constexpr std::chrono::seconds kRenewalPause{30};

 private:
  bool Take(absl::StatusOr<AccessToken> token);

  const std::shared_ptr<TokenSource> source_;  // the user's
  std::mutex renewing_;  // held while the source is asked, and nothing else is
  mutable std::mutex mutex_;
  AccessToken token_ ABSL_GUARDED_BY(mutex_);
  bool renews_in_background_ ABSL_GUARDED_BY(mutex_) = false;
  std::chrono::system_clock::time_point next_renewal_ ABSL_GUARDED_BY(mutex_){};
  std::stop_source stop_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_TOKEN_CELL_H_
