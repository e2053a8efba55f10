#ifndef CURSORWIRE_APPS_COLLAB_SHARE_H_
#define CURSORWIRE_APPS_COLLAB_SHARE_H_

#include <absl/status/statusor.h>
#include <cursorwire/collab/shared_text.h>
#include <cursorwire/connect/tls_options.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "options.h"

namespace cursor_collab {

// A wait that somebody else ends.
inline constexpr std::chrono::hours kLongWait{24};

// What --cacert says.
absl::StatusOr<cursorwire::connect::TlsOptions> MakeTlsOptions(const Options& options);

// The text that the options name, for a peer whose id begins with `peer_prefix`.
absl::StatusOr<std::unique_ptr<cursorwire::collab::SharedText>> OpenText(
    const Options& options, const std::string& peer_prefix, const std::string& name);

// What a text has told of its server so far. A value.
class ServerTrouble {
 public:
  void Note(const cursorwire::collab::TextEvent& event);

  // Not OK: the server has refused the login before there was a connection.
  absl::Status refused_login() const;
  // A message was refused.
  static bool IsRefusal(const cursorwire::collab::TextProblem& problem);
  // Why the last message that was refused was, and whether it is the first one of its connection.
  const absl::Status& refused_message() const { return refused_; }
  bool is_first_refused() const { return refused_count_ == 1; }
  // Why a document has not come.
  absl::Status UnavailableError(const Options& options, bool is_connected) const;

 private:
  bool was_connected_ = false;
  absl::Status lost_;  // why the last connection, or attempt, has ended
  absl::Status refused_;
  size_t refused_count_ = 0;  // of this connection
};

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_SHARE_H_
