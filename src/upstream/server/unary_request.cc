#include "upstream/server/unary_request.h"

#include <absl/strings/str_cat.h>

#include "cursorwire/connect/error_info.h"
#include "upstream/server/reply.h"

namespace cursorwire::upstream {
namespace {

// Requests of these methods have only a few bytes.
constexpr size_t kMaxRequestBytes = size_t{64} * 1024;

}  // namespace

void UnaryRequest::OnBody(std::string_view bytes, TimePoint) {
  if (answered_) return;
  if (bytes.size() > kMaxRequestBytes - body_.size()) {
    return Refuse(absl::ResourceExhaustedError(
        absl::StrCat("a unary request of more than ", kMaxRequestBytes, " bytes")));
  }
  body_ += bytes;
}

void UnaryRequest::OnRequestEnd(TimePoint) {
  if (answered_) return;
  const absl::StatusOr<std::string> response = method_(body_);
  if (!response.ok()) return Refuse(response.status());
  answered_ = true;
  responder_.SendHeaders({{":status", "200"}, {"content-type", "application/proto"}});
  responder_.SendBody(*response);
  responder_.Finish();
}

void UnaryRequest::Refuse(const absl::Status& status) {
  answered_ = true;
  const std::string message(status.message());
  violations_.Add(message);
  SendRefusal({.http_status = 400,
               .code = std::string(connect::CodeText(status.code())),
               .message = message},
              responder_);
}

}  // namespace cursorwire::upstream
