#ifndef CURSORWIRE_SRC_UPSTREAM_SERVER_UNARY_REQUEST_H_
#define CURSORWIRE_SRC_UPSTREAM_SERVER_UNARY_REQUEST_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>

#include "upstream/server/server_connection.h"
#include "upstream/server/violations.h"

namespace cursorwire::upstream {

// Makes the response to a request, both bare protobuf; an error is a violation by the client.
using UnaryMethod = absl::StatusOr<std::string> (*)(std::string_view request);

// One unary call: collects the request and answers it. `responder` and `violations` must outlive
// it. Thread-compatible.
class UnaryRequest final : public RequestHandler {
 public:
  UnaryRequest(UnaryMethod method, Responder& responder, Violations& violations)
      : method_(method), responder_(responder), violations_(violations) {}

  // The headers were already checked.
  void OnHeaders(const Headers&, TimePoint) override {}
  void OnBody(std::string_view bytes, TimePoint now) override;
  void OnRequestEnd(TimePoint now) override;
  std::optional<TimePoint> NextDeadline() const override { return std::nullopt; }
  void OnDeadline(TimePoint) override {}

 private:
  void Refuse(const absl::Status& status);

  const UnaryMethod method_;
  Responder& responder_;
  Violations& violations_;
  std::string body_;
  bool answered_ = false;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SERVER_UNARY_REQUEST_H_
