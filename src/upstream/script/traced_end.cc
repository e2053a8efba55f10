#include "upstream/script/traced_end.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/redactor.h"
#include "upstream/script/expectation.h"
#include "wire/json.h"

namespace cursorwire::upstream {
namespace {

using connect::ErrorInfo;
using connect::ErrorOrigin;
using connect::Headers;

// A frame of HTTP/2 that no connection may have: a RST_STREAM of one byte on stream 0.
constexpr char kBrokenFrame[] = R"({"hex":"00000103000000000078"})";

// That a step may send.
constexpr int kFirstStatus = 200;
constexpr int kLastStatus = 599;

Json Object() { return Json::object(); }

std::string DumpEnd(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Headers as an object, whose members are lists where a name occurs several times.
Json HeadersObject(const Headers& headers) {
  Json object = Object();
  for (const connect::Header& header : headers) {
    Json& values = object[header.name];
    if (values.is_null()) values = Json::array();
    values.push_back(header.value);
  }
  return object;
}

// Those that the local upstream may send: it writes its own about the form of the body, which the
// trace has decompressed.
Headers PlayableHeaders(const Headers& headers) {
  Headers playable;
  for (const connect::Header& header : headers) {
    const std::string& name = header.name;
    const bool is_form = name.starts_with(':') || name.find("encoding") != std::string::npos ||
                         name == "content-length" || name == "date" || name == "trailer";
    if (!is_form && header.value != connect::Redactor::kReplacement) {
      playable.Add(name, header.value);
    }
  }
  return playable;
}

bool IsConnectStream(const Headers& headers) {
  return headers.Get("content-type").value_or("").starts_with("application/connect+proto");
}

// The error as Connect writes it.
Json ErrorObject(const absl::Status& status, const ErrorInfo& info) {
  Json details = Json::array();
  for (const connect::ErrorDetail& detail : info.details) {
    std::string value = absl::Base64Escape(detail.value);
    while (value.ends_with('=')) value.pop_back();
    Json one = {{"type", detail.type}, {"value", value}};
    // Within its limits: what is nested too deep would exhaust the stack.
    if (wire::ParseJson(detail.debug_json).ok()) {
      one["debug"] = Json::parse(detail.debug_json, nullptr, false);
    }
    details.push_back(std::move(one));
  }
  const std::string code =
      info.unknown_code.empty() ? std::string(connect::CodeText(status.code())) : info.unknown_code;
  Json error = {{"code", code}, {"message", std::string(ToStd(status.message()))}};
  if (!details.empty()) error["details"] = std::move(details);
  return error;
}

void AddServerError(const TraceEnd& end, const ErrorInfo& info, Script& script) {
  if (!end.trailers.empty() || !info.unknown_code.empty()) {
    Json json = {{"error", ErrorObject(end.status, info)}};
    if (!end.trailers.empty()) json["metadata"] = HeadersObject(end.trailers);
    script.Step("end_stream", DumpEnd({{"json", std::move(json)}}));
    return;
  }
  Json error = ErrorObject(end.status, info);
  if (error.contains("details")) {
    for (Json& detail : error["details"]) detail = Json::object({{"raw", detail}});
  }
  script.Step("error", DumpEnd(error));
}

// By the words of core/call.cc and core/connection_phase.cc.
bool TellsOfGoAway(const absl::Status& status) {
  const std::string_view message = ToStd(status.message());
  return message.find("GOAWAY") != std::string_view::npos ||
         message.find("shutting the connection down") != std::string_view::npos;
}

// A response of another HTTP status. What was no error of Connect is quoted in the message.
void AddHttpStatus(const TraceCall& call, const TraceHead& head, const ErrorInfo& info,
                   Script& script) {
  const absl::Status& status = call.end->status;
  const std::string quoted = absl::StrCat("HTTP status ", head.http_status);
  const std::string_view message = ToStd(status.message());
  Json json = {{"status", std::clamp(head.http_status, kFirstStatus, kLastStatus)},
               {"headers", HeadersObject(PlayableHeaders(head.headers))}};
  if (message == quoted) {
    json["text"] = "";
  } else if (message.starts_with(quoted + ": ")) {
    json["text"] = message.substr(quoted.size() + 2);
  } else {
    json["text"] = ErrorObject(status, info).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  script.Step("http_status", DumpEnd(json));
}

void AddLostConnection(const absl::Status& status, const ErrorInfo& info, Script& script) {
  const bool is_goaway = TellsOfGoAway(status);
  if (info.replay_safe && is_goaway) {
    script.GoAwayBefore().ExpectDisconnect();
  } else if (info.http2_code && !is_goaway) {
    script.Step("reset", std::to_string(*info.http2_code));
  } else if (status.code() == absl::StatusCode::kInternal) {
    script.Finish();  // the response ended without an end-stream
  } else {
    if (is_goaway && info.http2_code) {
      script.Step("goaway", DumpEnd({{"code", *info.http2_code}}));
    }
    script.Drop();
    if (info.replay_safe) {
      script.With("comment", R"("the service was not reached; here it is, and goes away")");
    }
  }
}

// The length that the prefix of an envelope claims, by the error of a client that refuses it.
int64_t ClaimedLength(std::string_view message) {
  constexpr std::string_view kBefore = "message of ";
  const size_t start = message.find(kBefore);
  uint32_t length = 0;
  if (start == std::string_view::npos) return std::numeric_limits<uint32_t>::max();
  const char* first = message.data() + start + kBefore.size();
  const auto [rest, error] = std::from_chars(first, message.data() + message.size(), length);
  return error == std::errc() ? length : std::numeric_limits<uint32_t>::max();
}

// Errors of the protocol whose cause is known by their text; the bytes are not in the trace.
void AddBrokenProtocol(const absl::Status& status, Script& script) {
  const auto says = [text = ToStd(status.message())](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (status.code() == absl::StatusCode::kResourceExhausted) {
    const Json envelope = {{"length", ClaimedLength(ToStd(status.message()))}, {"text", "x"}};
    script.Step("envelope", DumpEnd(envelope)).Stall();
  } else if (says("after the end-stream") || says("behind the end-stream")) {  // former versions
    script.EndStream().Step("envelope", R"({"text":"late"})");
  } else if (says("end-stream envelope")) {
    script.Step("end_stream", R"({"text":"not JSON"})");
  } else if (says("no compression was negotiated")) {
    script.Step("envelope", R"({"flags":1,"text":"compressed"})").Stall();
  } else if (says("unknown flags")) {
    script.Step("envelope", R"({"flags":128,"text":"x"})").Stall();
  } else if (says("HTTP/2")) {
    script.Step("raw_connection", kBrokenFrame).Stall();
  } else {
    script.Step("raw_body", R"({"text":"abc"})").Finish();
  }
  script.With("comment", R"("the trace does not have the bytes that broke the protocol")");
}

void AddErrorSteps(const TraceCall& call, const ErrorInfo& info, Script& script) {
  const absl::Status& status = call.end->status;
  const bool has_messages =
      std::any_of(call.messages.begin(), call.messages.end(),
                  [](const TraceMessage& message) { return message.from == TraceSide::kServer; });
  if (call.head && call.head->http_status != 200 && info.origin == ErrorOrigin::kServer &&
      !has_messages) {
    return AddHttpStatus(call, *call.head, info, script);
  }
  if (call.head && !IsConnectStream(call.head->headers)) {
    script.Finish();
    return;
  }
  switch (info.origin) {
    case ErrorOrigin::kServer:
      return AddServerError(*call.end, info, script);
    case ErrorOrigin::kTransport:
      return AddLostConnection(status, info, script);
    case ErrorOrigin::kProtocol:
      return AddBrokenProtocol(status, script);
    case ErrorOrigin::kLocal:
      break;
  }
  script.Stall();  // the client gave up
}

}  // namespace

void AddHeadSteps(const TraceCall& call, Script& script) {
  if (!call.head || call.head->http_status != 200) return;
  const Headers headers = PlayableHeaders(call.head->headers);
  const bool is_usual = headers.size() == 1 && IsConnectStream(headers);
  if (!is_usual) script.Step("response_headers", DumpEnd(HeadersObject(headers)));
}

void AddEndSteps(const TraceCall& call, Script& script) {
  if (!call.end) {
    script.Stall().With("comment", R"("the trace ends here")");
    return;
  }
  if (!call.end->status.ok()) {
    const std::optional<ErrorInfo> info = connect::GetErrorInfo(call.end->status);
    return AddErrorSteps(call, info.value_or(ErrorInfo{}), script);
  }
  if (call.end->trailers.empty()) {
    script.EndStream();
  } else {
    const Json json = {{"metadata", HeadersObject(call.end->trailers)}};
    script.Step("end_stream", DumpEnd({{"json", json}}));
  }
}

bool WasRefusedTwice(const TraceCall& call) {
  if (!call.end || call.head) return false;
  const std::optional<ErrorInfo> info = connect::GetErrorInfo(call.end->status);
  return info && info->replay_safe && info->origin == ErrorOrigin::kTransport &&
         (info->http2_code.has_value() || TellsOfGoAway(call.end->status));
}

}  // namespace cursorwire::upstream
