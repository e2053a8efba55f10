#include "client/auth/http_answer.h"

#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "cursorwire/connect/stream.h"

namespace cursorwire {

absl::StatusOr<HttpAnswer> AskHttp(const connect::CallTarget& host, const HttpQuestion& question,
                                   const std::stop_token& stop) {
  connect::Stream stream =
      host.OpenStream(connect::CallRequest{.path = question.path,
                                           .kind = connect::CallKind::kRaw,
                                           .options = {.headers = question.headers,
                                                       .http_method = question.method,
                                                       .timeout = question.timeout}});
  const std::stop_callback cancel(stop, [&stream] { stream.Cancel(); });
  // If the call has ended, Next() says why.
  if (!question.body.empty()) (void)stream.Send(question.body);
  stream.CloseSend();
  HttpAnswer answer;
  for (const absl::StatusOr<std::string>& piece : stream) {
    if (!piece.ok()) return piece.status();
    answer.body += *piece;
    if (answer.body.size() > kMaxHttpAnswerBytes) {
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat("the answer has more than ", kMaxHttpAnswerBytes, " bytes"));
    }
  }
  answer.status = stream.WaitForHead().http_status;
  return answer;
}

}  // namespace cursorwire
