#include "agent/trace/trace_line.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "wire/json.h"

namespace cursorwire::agent {
namespace {

using connect::CallKind;
using connect::ErrorOrigin;

// Writes one object, member by member.
class LineWriter {
 public:
  LineWriter& Text(std::string_view name, std::string_view text) {
    Name(name);
    wire::AppendJsonString(text, line_);
    return *this;
  }
  template <typename Integer>
  LineWriter& Number(std::string_view name, Integer number) {
    return Raw(name, absl::StrCat(number));
  }
  LineWriter& TrueIf(std::string_view name, bool value) {
    return value ? Raw(name, "true") : *this;
  }
  LineWriter& Bytes(std::string_view name, std::string_view bytes) {
    return Raw(name, absl::StrCat("\"", absl::Base64Escape(ToAbsl(bytes)), "\""));
  }
  LineWriter& Headers(std::string_view name, const connect::Headers& headers) {
    std::string pairs;
    for (const connect::Header& header : headers) {
      pairs += pairs.empty() ? "[" : ",[";
      wire::AppendJsonString(header.name, pairs);
      pairs += ",";
      wire::AppendJsonString(header.value, pairs);
      pairs += "]";
    }
    return Raw(name, absl::StrCat("[", pairs, "]"));
  }
  LineWriter& Raw(std::string_view name, std::string_view json) {
    Name(name);
    line_ += json;
    return *this;
  }
  std::string Object() const { return line_ + "}"; }
  std::string Line() const { return line_ + "}\n"; }

 private:
  void Name(std::string_view name) {
    absl::StrAppend(&line_, line_.size() > 1 ? "," : "", "\"", ToAbsl(name), "\":");
  }

  std::string line_ = "{";
};

LineWriter LineOf(std::string_view type, uint64_t call) {
  LineWriter line;
  line.Text("type", type).Number("call", call);
  return line;
}

LineWriter LineAt(std::string_view type, uint64_t call, std::chrono::microseconds at) {
  LineWriter line = LineOf(type, call);
  line.Number("us", at.count());
  return line;
}

std::string DetailsJson(const std::vector<connect::ErrorDetail>& details) {
  std::string list;
  for (const connect::ErrorDetail& detail : details) {
    LineWriter object;
    object.Text("type", detail.type).Bytes("value", detail.value);
    if (!detail.debug_json.empty()) object.Text("debug", detail.debug_json);
    absl::StrAppend(&list, list.empty() ? "" : ",", object.Object());
  }
  return absl::StrCat("[", list, "]");
}

void AddError(const absl::Status& status, LineWriter& line) {
  if (status.ok()) return;
  line.Text("message", ToStd(status.message()));
  const auto info = connect::GetErrorInfo(status);
  if (!info) return;
  line.Text("origin", TraceOriginText(info->origin));
  line.TrueIf("replay_safe", info->replay_safe);
  if (info->http_status != 0) line.Number("http_status", info->http_status);
  if (info->http2_code) line.Number("http2_code", *info->http2_code);
  if (!info->unknown_code.empty()) line.Text("unknown_code", info->unknown_code);
  if (!info->details.empty()) line.Raw("details", DetailsJson(info->details));
}

}  // namespace

std::string TraceFirstLine(int64_t start_unix_us) {
  LineWriter line;
  line.Number(kTraceFormat, kTraceVersion).Number("start_unix_us", start_unix_us);
  return line.Line();
}

bool BeginsLikeTrace(std::string_view bytes) {
  return bytes.starts_with(absl::StrCat("{\"", ToAbsl(kTraceFormat), "\":"));
}

std::string TraceLineOf(const TraceCall& call) {
  LineWriter line = LineOf("request", call.number);
  line.Number("start_unix_us", call.start_unix_us)
      .Text("path", call.path)
      .Text("kind", TraceKindText(call.kind))
      .TrueIf("continued", call.is_continued);
  if (!call.is_continued) line.Headers("headers", call.headers);
  return line.Line();
}

std::string TraceLineOf(uint64_t call, const TraceHead& head) {
  LineWriter line = LineAt("head", call, head.at);
  return line.Number("http_status", head.http_status).Headers("headers", head.headers).Line();
}

std::string TraceLineOf(uint64_t call, const TraceMessage& message) {
  LineWriter line = LineAt("message", call, message.at);
  line.Text("from", message.from == TraceSide::kClient ? "client" : "server")
      .Number("bytes", message.size)
      .TrueIf("cut", message.is_cut);
  return line.Bytes("data", message.bytes).Line();
}

std::string TraceLineOf(uint64_t call, const TraceEnd& end) {
  LineWriter line = LineAt("end", call, end.at);
  line.Text("code", connect::CodeText(end.status.code()));
  AddError(end.status, line);
  if (!end.trailers.empty()) line.Headers("trailers", end.trailers);
  return line.Line();
}

std::string_view TraceKindText(CallKind kind) {
  switch (kind) {
    case CallKind::kStreaming:
      return "streaming";
    case CallKind::kUnary:
      return "unary";
    case CallKind::kRaw:
      return "raw";
  }
  return "";
}

std::string_view TraceOriginText(ErrorOrigin origin) {
  switch (origin) {
    case ErrorOrigin::kServer:
      return "server";
    case ErrorOrigin::kTransport:
      return "transport";
    case ErrorOrigin::kProtocol:
      return "protocol";
    case ErrorOrigin::kLocal:
      return "local";
  }
  return "";
}

}  // namespace cursorwire::agent
