#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <map>
#include <span>
#include <utility>

#include "agent/trace/trace_line.h"
#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/trace_content.h"
#include "wire/json.h"

namespace cursorwire {
namespace {

using connect::CallKind;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using wire::Json;

// In the year 2255: clocks hold it, and sums of two such numbers.
constexpr int64_t kLastMicrosecond = 9'000'000'000'000'000;

absl::Status Damage(std::string_view what) { return LocalError(absl::StatusCode::kDataLoss, what); }

// The members of one line. Remembers the first that is wrong for status(); what it returns then is
// a default.
class LineFields {
 public:
  explicit LineFields(const Json& json) : json_(json) {}

  bool Has(std::string_view name) const { return json_.Find(name) != nullptr; }
  std::string_view Text(std::string_view name) {
    const Json* value = json_.Find(name);
    if (value == nullptr || !value->is_string()) return Fail(name, "a string"), "";
    return value->text;
  }
  std::string_view TextIfAny(std::string_view name) { return Has(name) ? Text(name) : ""; }
  int64_t Number(std::string_view name, int64_t max = kLastMicrosecond) {
    const Json* value = json_.Find(name);
    int64_t number = 0;
    const bool good = value != nullptr && value->kind == Json::Kind::kNumber &&
                      absl::SimpleAtoi(value->text, &number) && number >= 0 && number <= max;
    if (!good) Fail(name, absl::StrCat("a whole number from 0 to ", max));
    return good ? number : 0;
  }
  bool IsTrue(std::string_view name) {
    const Json* value = json_.Find(name);
    if (value == nullptr) return false;
    if (value->kind != Json::Kind::kBool) Fail(name, "true or false");
    return value->boolean;
  }
  std::string Bytes(std::string_view name) {
    std::string bytes;
    if (!absl::Base64Unescape(ToAbsl(Text(name)), &bytes)) Fail(name, "base64");
    return bytes;
  }
  connect::Headers Headers(std::string_view name) {
    connect::Headers headers;
    const Json* list = json_.Find(name);
    bool good = list != nullptr && list->is_array();
    for (size_t i = 0; good && i < list->items.size(); ++i) {
      const std::vector<Json>& pair = list->items[i].items;
      good = pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
      if (good) headers.Add(pair[0].text, pair[1].text);
    }
    if (!good) Fail(name, "a list of pairs of strings");
    return headers;
  }
  // The value of the word, one of `words`.
  template <typename Value, size_t kCount>
  Value Word(std::string_view name, const std::pair<std::string_view, Value> (&words)[kCount]) {
    const std::string_view text = Text(name);
    for (const auto& [word, value] : words) {
      if (word == text) return value;
    }
    Fail(name, absl::StrCat("a word such as ", ToAbsl(words[0].first)));
    return words[0].second;
  }
  std::span<const Json> List(std::string_view name) {
    const Json* list = json_.Find(name);
    if (list == nullptr) return {};
    if (!list->is_array()) Fail(name, "a list");
    return list->items;
  }

  void Fail(std::string_view name, std::string_view wanted) {
    if (!status_.ok()) return;
    status_ = Damage(absl::StrCat("\"", ToAbsl(name), "\" must be ", ToAbsl(wanted)));
  }
  const absl::Status& status() const { return status_; }

 private:
  const Json& json_;
  absl::Status status_;
};

std::vector<connect::ErrorDetail> ReadDetails(LineFields& line) {
  std::vector<connect::ErrorDetail> details;
  for (const Json& json : line.List("details")) {
    LineFields fields(json);
    connect::ErrorDetail detail;
    detail.type = fields.Text("type");
    detail.value = fields.Bytes("value");
    detail.debug_json = fields.TextIfAny("debug");
    if (!fields.status().ok()) line.Fail("details", "a list of objects with type and value");
    details.push_back(std::move(detail));
  }
  return details;
}

absl::Status ReadStatus(LineFields& line) {
  const std::string_view code_text = line.Text("code");
  if (code_text == "ok") return absl::OkStatus();
  const auto code = connect::CodeFromText(code_text);
  if (!code) line.Fail("code", "ok or a code of Connect");
  const std::string_view message = line.Text("message");
  const absl::StatusCode known = code.value_or(absl::StatusCode::kUnknown);
  if (!line.Has("origin")) return {known, ToAbsl(message)};
  constexpr std::pair<std::string_view, ErrorOrigin> kOrigins[] = {
      {"server", ErrorOrigin::kServer},
      {"transport", ErrorOrigin::kTransport},
      {"protocol", ErrorOrigin::kProtocol},
      {"local", ErrorOrigin::kLocal}};
  ErrorInfo info;
  info.origin = line.Word("origin", kOrigins);
  info.replay_safe = line.IsTrue("replay_safe");
  if (line.Has("http_status")) info.http_status = static_cast<int>(line.Number("http_status", 999));
  if (line.Has("http2_code")) {
    info.http2_code = static_cast<uint32_t>(line.Number("http2_code", 0xFFFFFFFF));
  }
  info.unknown_code = line.TextIfAny("unknown_code");
  info.details = ReadDetails(line);
  return MakeError(known, message, info);
}

std::chrono::microseconds ReadTime(LineFields& line) {
  return std::chrono::microseconds(line.Number("us"));
}

class TraceReader {
 public:
  absl::Status Read(std::string_view text) {
    for (size_t number = 1; !text.empty(); ++number) {
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        content_.is_cut = true;
        break;
      }
      absl::Status status = ReadLine(text.substr(0, end), number == 1);
      if (!status.ok()) return Annotate(status, absl::StrCat("line ", number));
      text.remove_prefix(end + 1);
      started_ = true;
    }
    return started_ ? absl::OkStatus() : Damage("this is not a trace: it has no whole line");
  }
  TraceContent& content() { return content_; }

 private:
  absl::Status ReadLine(std::string_view text, bool is_first) {
    const absl::StatusOr<Json> json = wire::ParseJson(text);
    if (!json.ok()) return Damage(ToStd(json.status().message()));
    if (!json->is_object()) return Damage("not a JSON object");
    LineFields line(*json);
    if (line.Has(agent::kTraceFormat)) return ReadFirstLine(line);
    if (is_first) return Damage("this is not a trace: the line does not say its version");
    const std::string_view type = line.Text("type");
    if (type == "request") return ReadRequest(line);
    if (!line.status().ok() || (type != "head" && type != "message" && type != "end")) {
      return line.status();  // what a newer library adds is passed over
    }
    const auto number = static_cast<uint64_t>(line.Number("call"));
    if (!line.status().ok()) return line.status();
    const auto open = open_.find(number);
    if (open == open_.end()) {
      return Damage(absl::StrCat("call ", number, " did not begin, or has ended"));
    }
    return ReadPart(type, line, content_.calls[open->second]);
  }

  absl::Status ReadFirstLine(LineFields& line) {
    const int64_t version = line.Number(agent::kTraceFormat);
    const int64_t start = line.Number("start_unix_us");
    if (!line.status().ok()) return line.status();
    if (version != agent::kTraceVersion) {
      return LocalError(absl::StatusCode::kUnimplemented,
                        absl::StrCat("version ", version, " of the format is not known"));
    }
    if (start != start_unix_us_) open_.clear();  // another trace, whose calls count from 1
    start_unix_us_ = start;
    return absl::OkStatus();
  }

  absl::Status ReadRequest(LineFields& line) {
    constexpr std::pair<std::string_view, CallKind> kKinds[] = {
        {"streaming", CallKind::kStreaming}, {"unary", CallKind::kUnary}, {"raw", CallKind::kRaw}};
    TraceCall call;
    call.number = static_cast<uint64_t>(line.Number("call"));
    call.path = line.Text("path");
    call.kind = line.Word("kind", kKinds);
    call.start_unix_us = line.Number("start_unix_us");
    call.is_continued = line.IsTrue("continued");
    if (!call.is_continued) call.headers = line.Headers("headers");
    if (!line.status().ok()) return line.status();
    const bool is_open = open_.contains(call.number);
    if (is_open && call.is_continued) return absl::OkStatus();  // the older file was read too
    if (is_open) return Damage(absl::StrCat("call ", call.number, " begins a second time"));
    open_[call.number] = content_.calls.size();
    content_.calls.push_back(std::move(call));
    return absl::OkStatus();
  }

  absl::Status ReadPart(std::string_view type, LineFields& line, TraceCall& call) {
    if (type == "head") return ReadHead(line, call);
    if (type == "message") return ReadMessage(line, call);
    TraceEnd end;
    end.at = ReadTime(line);
    end.status = ReadStatus(line);
    if (line.Has("trailers")) end.trailers = line.Headers("trailers");
    if (!line.status().ok()) return line.status();
    call.end = std::move(end);
    open_.erase(call.number);
    return absl::OkStatus();
  }

  static absl::Status ReadHead(LineFields& line, TraceCall& call) {
    TraceHead head;
    head.at = ReadTime(line);
    head.http_status = static_cast<int>(line.Number("http_status", 999));
    head.headers = line.Headers("headers");
    if (!line.status().ok()) return line.status();
    if (call.head) return Damage(absl::StrCat("call ", call.number, " has a second head"));
    call.head = std::move(head);
    return absl::OkStatus();
  }

  static absl::Status ReadMessage(LineFields& line, TraceCall& call) {
    constexpr std::pair<std::string_view, TraceSide> kSides[] = {{"client", TraceSide::kClient},
                                                                 {"server", TraceSide::kServer}};
    TraceMessage message;
    message.at = ReadTime(line);
    message.from = line.Word("from", kSides);
    message.size = static_cast<uint64_t>(line.Number("bytes"));
    message.bytes = line.Bytes("data");
    message.is_cut = line.IsTrue("cut");
    if (!line.status().ok()) return line.status();
    const bool fits =
        message.is_cut ? message.bytes.size() < message.size : message.bytes.size() == message.size;
    if (!fits) return Damage(R"("data" and "bytes" do not agree)");
    call.messages.push_back(std::move(message));
    return absl::OkStatus();
  }

  TraceContent content_;
  std::map<uint64_t, size_t> open_;  // the numbers of open calls, with their places
  int64_t start_unix_us_ = -1;
  bool started_ = false;
};

}  // namespace

absl::StatusOr<TraceContent> ParseTrace(std::string_view text) {
  TraceReader reader;
  if (absl::Status status = reader.Read(text); !status.ok()) return status;
  return std::move(reader.content());
}

}  // namespace cursorwire
