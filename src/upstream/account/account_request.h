#ifndef CURSORWIRE_SRC_UPSTREAM_ACCOUNT_ACCOUNT_REQUEST_H_
#define CURSORWIRE_SRC_UPSTREAM_ACCOUNT_ACCOUNT_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>

#include "upstream/account/account_state.h"
#include "upstream/server/server_connection.h"
#include "upstream/server/violations.h"

namespace cursorwire::upstream {

// Whether a path is one of a login, a renewal, or the account's usage.
bool IsAccountPath(std::string_view path);

// One such request: answers as the book says. `responder`, `book` and `violations` must outlive it.
// Thread-compatible. Source: docs/protocol.md, tokens and login; usage.
class AccountRequest final : public RequestHandler {
 public:
  AccountRequest(Responder& responder, AccountState& book, Violations& violations)
      : responder_(responder), book_(book), violations_(violations) {}

  void OnHeaders(const Headers& headers, TimePoint now) override;
  void OnBody(std::string_view bytes, TimePoint now) override;
  void OnRequestEnd(TimePoint now) override;
  std::optional<TimePoint> NextDeadline() const override { return std::nullopt; }
  void OnDeadline(TimePoint) override {}

 private:
  void Poll();
  void Exchange();
  void Usage();
  // What is wrong with the request; empty: nothing.
  std::string FindFault() const;
  void Answer(int status, const std::string& json);

  Responder& responder_;
  AccountState& book_;
  Violations& violations_;
  Headers headers_;
  std::string body_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ACCOUNT_ACCOUNT_REQUEST_H_
