#ifndef CURSORWIRE_SRC_UPSTREAM_SERVER_REPLY_H_
#define CURSORWIRE_SRC_UPSTREAM_SERVER_REPLY_H_

#include <string>
#include <string_view>

#include "upstream/server/request_check.h"
#include "upstream/server/server_connection.h"
#include "wire/json.h"

namespace cursorwire::upstream {

// A Connect error: {"code":...,"message":...}.
inline std::string ErrorJson(std::string_view code, std::string_view message) {
  std::string json = R"({"code":)";
  wire::AppendJsonString(code, json);
  json += R"(,"message":)";
  wire::AppendJsonString(message, json);
  return json + "}";
}

// Answers with only the refusal.
inline void SendRefusal(const Refusal& refusal, Responder& responder) {
  responder.SendHeaders(
      {{":status", std::to_string(refusal.http_status)}, {"content-type", "application/json"}});
  responder.SendBody(ErrorJson(refusal.code, refusal.message));
  responder.Finish();
}

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SERVER_REPLY_H_
