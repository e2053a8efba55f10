#include "channel/waiting/unary_result.h"

#include <absl/strings/str_cat.h>

#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::connect::internal {
namespace {

absl::Status NotOneMessage(std::string_view what) {
  return MakeError(absl::StatusCode::kUnimplemented,
                   absl::StrCat("the answer has ", ToAbsl(what), " instead of one"),
                   {.origin = ErrorOrigin::kProtocol});
}

absl::Status WithMetadata(absl::Status status, const UnaryResponse& response) {
  ErrorInfo info = GetErrorInfo(status).value_or(ErrorInfo{});
  info.metadata = {};
  for (const Headers* headers : {&response.headers, &response.trailers}) {
    for (const Header& header : *headers) info.metadata.Add(header.name, header.value);
  }
  SetErrorInfo(status, info);
  return status;
}

}  // namespace

bool UnaryResult::Add(absl::StatusOr<std::string> element) {
  if (!element.ok()) {
    status_ = element.status();
    return true;
  }
  if (++count_ > 1) return false;
  response_.message = *std::move(element);
  return true;
}

absl::StatusOr<UnaryResponse> UnaryResult::Finish(Headers headers, Headers trailers) && {
  response_.headers = std::move(headers);
  response_.trailers = std::move(trailers);
  if (count_ > 1) status_ = NotOneMessage("more than one message");
  if (status_.ok() && count_ == 0) status_ = NotOneMessage("no message");
  if (!status_.ok()) return WithMetadata(std::move(status_), response_);
  return std::move(response_);
}

}  // namespace cursorwire::connect::internal
