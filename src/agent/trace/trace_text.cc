#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "agent/trace/message_tree.h"
#include "agent/trace/trace_line.h"
#include "agent/trace/visible_bytes.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/trace_content.h"

namespace cursorwire {
namespace {

using agent::QuotedBytes;
using agent::VisibleLine;
using agent::VisibleStart;
using std::chrono::microseconds;

constexpr size_t kBarColumns = 24;
constexpr size_t kTreeIndent = 6;

std::string ClockText(int64_t unix_us) {
  const std::chrono::sys_time<microseconds> time{microseconds(unix_us)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<microseconds> clock(time - day);
  return absl::StrFormat("%04d-%02u-%02u %02d:%02d:%02d.%06d UTC", static_cast<int>(date.year()),
                         static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                         clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                         clock.subseconds().count());
}

std::string Milliseconds(microseconds time) {
  return absl::StrFormat("%10.3f ms", static_cast<double>(time.count()) / 1000);
}

microseconds LengthOf(const TraceCall& call) {
  microseconds length{0};
  if (call.head) length = std::max(length, call.head->at);
  for (const TraceMessage& message : call.messages) length = std::max(length, message.at);
  if (call.end) length = std::max(length, call.end->at);
  return length;
}

// Marks when in the call something happened.
std::string Bar(microseconds at, microseconds length) {
  std::string bar(kBarColumns, '.');
  const double part = length.count() == 0
                          ? 0
                          : static_cast<double>(at.count()) / static_cast<double>(length.count());
  bar[std::min(kBarColumns - 1, static_cast<size_t>(part * kBarColumns))] = '#';
  return absl::StrCat("|", bar, "|");
}

std::string HeaderLines(std::string_view mark, const connect::Headers& headers) {
  std::string lines;
  for (const connect::Header& header : headers) {
    absl::StrAppend(&lines, "  ", ToAbsl(mark), " ", VisibleLine(header.name), ": ",
                    VisibleLine(header.value), "\n");
  }
  return lines;
}

std::string HeadText(const TraceHead& head, microseconds length) {
  return absl::StrCat("  ", Milliseconds(head.at), "  <-               ", Bar(head.at, length),
                      "  HTTP status ", head.http_status, "\n", HeaderLines("<", head.headers));
}

// What the message is, and its tree.
std::pair<std::string, std::string> KindAndTree(const TraceCall& call,
                                                const TraceMessage& message) {
  const auto unread = [&message] {
    return std::string(kTreeIndent, ' ') + QuotedBytes(message.bytes) + "\n";
  };
  if (message.is_cut) {
    return {absl::StrCat("(the trace has the first ", message.bytes.size(), " bytes)"), unread()};
  }
  const auto parsed = agent::ParseTracedMessage(call.path, message.from, message.bytes);
  if (parsed == nullptr) return {"(not protobuf)", unread()};
  return {agent::KindOfMessage(*parsed), agent::MessageTree(*parsed, kTreeIndent)};
}

std::string MessageText(const TraceCall& call, const TraceMessage& message, microseconds length) {
  const auto [kind, tree] = KindAndTree(call, message);
  return absl::StrCat("  ", Milliseconds(message.at),
                      message.from == TraceSide::kClient ? "  ->" : "  <-",
                      absl::StrFormat(" %10d B", message.size), "  ", Bar(message.at, length),
                      kind.empty() ? "" : "  ", kind, "\n", tree);
}

std::string ErrorText(const absl::Status& status) {
  std::string text = VisibleLine(ToStd(status.message()));
  const auto info = connect::GetErrorInfo(status);
  if (!info) return text;
  absl::StrAppend(&text, " (from: ", ToAbsl(agent::TraceOriginText(info->origin)));
  if (info->http_status != 0) absl::StrAppend(&text, ", HTTP status ", info->http_status);
  if (info->http2_code) absl::StrAppend(&text, ", HTTP/2 code ", *info->http2_code);
  text += ")";
  for (const connect::ErrorDetail& detail : info->details) {
    absl::StrAppend(
        &text, "\n  < detail ", VisibleLine(detail.type), ": ",
        detail.debug_json.empty() ? QuotedBytes(detail.value) : VisibleStart(detail.debug_json));
  }
  return text;
}

std::string EndText(const TraceCall& call, microseconds length) {
  if (!call.end) return "  the trace ends before the call\n";
  const TraceEnd& end = *call.end;
  return absl::StrCat("  ", Milliseconds(end.at), "  end              ", Bar(end.at, length), "  ",
                      ToAbsl(connect::CodeText(end.status.code())),
                      end.status.ok() ? "" : ": " + ErrorText(end.status), "\n",
                      HeaderLines("<", end.trailers));
}

}  // namespace

std::string DescribeTraceCall(const TraceCall& call) {
  const microseconds length = LengthOf(call);
  std::string text = absl::StrCat("call ", call.number, ": ", VisibleLine(call.path), " (",
                                  ToAbsl(agent::TraceKindText(call.kind)), "), ",
                                  ClockText(call.start_unix_us), "\n");
  if (call.is_continued) text += "  it began in an older file of the trace\n";
  text += HeaderLines(">", call.headers);
  bool head_is_shown = !call.head;
  const auto show_head = [&] {
    if (!std::exchange(head_is_shown, true)) text += HeadText(*call.head, length);
  };
  for (const TraceMessage& message : call.messages) {
    if (message.from == TraceSide::kServer || (call.head && message.at > call.head->at)) {
      show_head();
    }
    text += MessageText(call, message, length);
  }
  show_head();
  return text + EndText(call, length);
}

}  // namespace cursorwire
