#include "mcp/session.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "json/json_member.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

using connect::After;
using connect::TimePoint;
using jsonrpc::RpcError;

// Of the protocol with a handshake, the newest first, and of the one without.
constexpr const char* kHandshakeVersions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                              "2024-11-05", "2024-10-07"};
constexpr const char* kModernVersion = "2026-07-28";

// Of the logs of servers. Source: specification, logging, log levels.
constexpr std::string_view kErrorLevels[] = {"error", "critical", "alert", "emergency"};

constexpr size_t kMaxReadLineBytes = size_t{32} * 1024 * 1024;
// Servers of the common libraries refuse longer ones.
constexpr size_t kMaxWrittenLineBytes = size_t{10} * 1024 * 1024;
constexpr size_t kMaxServerWordBytes = 200;
constexpr size_t kMaxErrorBytes = 4096;
constexpr size_t kMaxInstructionsBytes = size_t{32} * 1024;
// What a server may send within a second beside answers. Faster ones keep a core busy.
constexpr size_t kMaxMessagesPerSecond = 20'000;
constexpr std::chrono::milliseconds kListInterval{1'000};
constexpr int kResourceNotFound = -32002;  // of the revisions with a handshake

std::string Word(std::string_view text) { return PlainLine(text, kMaxServerWordBytes); }

bool IsKnown(const std::string& version) {
  return std::find(std::begin(kHandshakeVersions), std::end(kHandshakeVersions), version) !=
         std::end(kHandshakeVersions);
}

// In the words of the server, since models and people read them.
absl::Status StatusOf(const RpcError& error) {
  std::string message = PlainLine(error.message, kMaxErrorBytes);
  absl::StripAsciiWhitespace(&message);
  const bool missing = error.code == kResourceNotFound;
  return LocalError(missing ? absl::StatusCode::kNotFound : absl::StatusCode::kUnknown,
                    message.empty() ? absl::StrCat("error ", error.code)
                                    : absl::StrCat(message, " (error ", error.code, ")"));
}

absl::Status TimedOut(std::string_view what, std::chrono::milliseconds time) {
  return LocalError(absl::StatusCode::kDeadlineExceeded,
                    absl::StrCat(ToAbsl(what), " within ", time.count(), " ms"));
}

jsonrpc::ConnectionOptions MessagesOfServer() {
  return {.bad_lines = jsonrpc::BadLines::kSkip,
          .batches = jsonrpc::Batches::kSplit,
          .cancel_method = "notifications/cancelled",
          .max_line_bytes = kMaxReadLineBytes,
          .max_sent_line_bytes = kMaxWrittenLineBytes};
}

}  // namespace

Session::Session(SessionOptions options, TimePoint now)
    : options_(std::move(options)),
      connection_(MessagesOfServer()),
      startup_limit_at_(After(now, options_.startup_timeout)) {
  Initialize();
}

void Session::Receive(std::string_view bytes, TimePoint now) {
  if (phase_ == Phase::kFailed) return;
  connection_.Receive(bytes);
  while (phase_ != Phase::kFailed) {
    std::optional<jsonrpc::Event> event = connection_.Next();
    if (!event) return;
    std::visit([this, now](auto& what) { Take(what, now); }, *event);
  }
}

std::optional<SessionEvent> Session::NextEvent() {
  if (events_.empty()) return std::nullopt;
  SessionEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::optional<TimePoint> Session::deadline() const {
  if (phase_ == Phase::kFailed) return std::nullopt;
  std::optional<TimePoint> first;
  const auto add = [&first](TimePoint at) { first = std::min(first.value_or(at), at); };
  if (phase_ != Phase::kReady) add(startup_limit_at_);
  if (phase_ == Phase::kReady && pages_) add(list_limit_at_);
  if (phase_ == Phase::kReady && !pages_ && list_again_) add(next_list_at_);
  for (const auto& [id, call] : calls_) add(std::min(call.timeout_at, call.limit_at));
  return first;
}

void Session::OnDeadline(TimePoint now) {
  if (phase_ == Phase::kFailed) return;
  if (phase_ != Phase::kReady) {
    // The handshake must not be cancelled.
    if (now >= startup_limit_at_) Fail(TimedOut("it was not ready", options_.startup_timeout));
    return;
  }
  if (pages_ && now >= list_limit_at_) {
    connection_.Cancel(page_request_, "timeout");
    EndList(TimedOut("no answer", options_.startup_timeout), now);
  }
  if (!pages_ && list_again_ && now >= next_list_at_) StartList(now);
  std::vector<uint64_t> late;
  for (const auto& [id, call] : calls_) {
    if (now >= std::min(call.timeout_at, call.limit_at)) late.push_back(id);
  }
  for (const uint64_t id : late) {
    const Call& call = calls_[id];
    const absl::Status status = now >= call.limit_at
                                    ? TimedOut("no answer", options_.max_call_time)
                                    : TimedOut("no answer and no progress", call.timeout);
    connection_.Cancel(id, "timeout");
    EndCall(id, status);
  }
}

// --- versions

void Session::Initialize() {
  Send("initialize",
       {{"protocolVersion", kHandshakeVersions[0]},
        {"capabilities", Json::object()},
        {"clientInfo", {{"name", options_.client_name}, {"version", options_.client_version}}}})
      .IgnoreError();
}

void Session::OnInitialized(jsonrpc::Answer answer, TimePoint now) {
  if (phase_ != Phase::kInitializing) return;  // an error without an id came before
  if (const auto* error = std::get_if<RpcError>(&answer.outcome)) return Discover(*error);
  const Json& result = std::get<Json>(answer.outcome);
  const std::string version = TextOf(result, "protocolVersion");
  if (!IsKnown(version)) {
    return Fail(LocalError(
        absl::StatusCode::kUnimplemented,
        absl::StrCat("it speaks version '", Word(version), "' of the protocol; known are ",
                     absl::StrJoin(kHandshakeVersions, ", "))));
  }
  protocol_version_ = version;
  ReadServer(result, MemberOf(result, "serverInfo"));
  connection_.Notify("notifications/initialized", nullptr).IgnoreError();
  StartList(now);
}

// A server without a handshake refuses it and stays.
void Session::Discover(const RpcError& refusal) {
  refusal_ = std::string(StatusOf(refusal).message());
  phase_ = Phase::kDiscovering;
  modern_ = true;
  Send("server/discover", Json::object()).IgnoreError();
}

void Session::OnDiscovered(jsonrpc::Answer answer, TimePoint now) {
  if (phase_ != Phase::kDiscovering) return;
  const Json* result = std::get_if<Json>(&answer.outcome);
  const Json& versions =
      result == nullptr ? MemberOf(Json(), "") : MemberOf(*result, "supportedVersions");
  const bool known = versions.is_array() &&
                     std::find(versions.begin(), versions.end(), kModernVersion) != versions.end();
  if (!known) {
    return Fail(LocalError(absl::StatusCode::kUnimplemented,
                           absl::StrCat("it refuses initialize: ", refusal_)));
  }
  protocol_version_ = kModernVersion;
  const Json& info = MemberOf(*result, "serverInfo");
  ReadServer(*result, info.is_object() ? info
                                       : MemberOf(MemberOf(*result, "_meta"),
                                                  "io.modelcontextprotocol/serverInfo"));
  StartList(now);
}

void Session::ReadServer(const Json& result, const Json& server_info) {
  const Json& capabilities = MemberOf(result, "capabilities");
  has_tools_ = !MemberOf(capabilities, "tools").is_null();
  has_resources_ = !MemberOf(capabilities, "resources").is_null();
  server_name_ = Word(TextOf(server_info, "name"));
  server_version_ = Word(TextOf(server_info, "version"));
  instructions_ = PlainText(TextOf(result, "instructions"));
  instructions_.resize(Utf8Prefix(instructions_, kMaxInstructionsBytes).size());
}

// --- tools

void Session::StartList(TimePoint now) {
  list_again_ = false;
  if (!has_tools_) return BecomeReady();
  if (open_requests() == 0) strays_ = 0;
  if (phase_ != Phase::kReady) phase_ = Phase::kListing;
  pages_.emplace(modern_ && options_.over_http ? HeaderArguments::kWanted
                                               : HeaderArguments::kIgnored);
  list_limit_at_ = After(now, options_.startup_timeout);
  RequestPage();
}

void Session::RequestPage() {
  Json params = Json::object();
  if (pages_->next_cursor()) params["cursor"] = *pages_->next_cursor();
  page_request_ = Send("tools/list", std::move(params)).value_or(0);
}

void Session::OnPage(jsonrpc::Answer answer, TimePoint now) {
  if (!pages_ || answer.request_id != page_request_) return;
  if (const auto* error = std::get_if<RpcError>(&answer.outcome)) {
    return EndList(StatusOf(*error), now);
  }
  const absl::Status added = pages_->Add(std::get<Json>(answer.outcome));
  if (added.ok() && pages_->next_cursor()) return RequestPage();
  EndList(added, now);
}

void Session::EndList(absl::Status status, TimePoint now) {
  const ToolPages pages = *std::exchange(pages_, std::nullopt);
  next_list_at_ = After(now, kListInterval);
  if (!status.ok()) {
    status = Annotate(status, "its list of tools");
    if (phase_ != Phase::kReady) return Fail(std::move(status));
    events_.emplace_back(SessionNotice{absl::StrCat(status.message(), "; the old one stays")});
    return;
  }
  tools_ = pages.tools();
  for (std::string& notice : pages.notices()) {
    events_.emplace_back(SessionNotice{std::move(notice)});
  }
  if (phase_ == Phase::kReady) {
    events_.emplace_back(ToolsChanged{});
  } else {
    BecomeReady();
  }
}

// Some servers say so with each tool that they add: the list is read once more, a while later.
void Session::OnListChanged(TimePoint now) {
  if (!has_tools_ || phase_ < Phase::kListing) return;
  list_again_ = true;
  if (phase_ == Phase::kReady && !pages_ && now >= next_list_at_) StartList(now);
}

void Session::BecomeReady() {
  phase_ = Phase::kReady;
  if (!has_tools_ && !has_resources_) {
    events_.emplace_back(SessionNotice{"it says that it has neither tools nor resources"});
  }
  events_.emplace_back(SessionReady{});
}

// --- calls

absl::StatusOr<uint64_t> Session::Send(const char* method, Json params) {
  if (modern_) {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = kModernVersion;
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = {{"name", options_.client_name},
                                                             {"version", options_.client_version}};
  }
  return connection_.Call(method, std::move(params));
}

absl::StatusOr<uint64_t> Session::StartCall(const char* method, Json params,
                                            std::chrono::milliseconds timeout, TimePoint now) {
  if (phase_ != Phase::kReady) {
    return LocalError(absl::StatusCode::kFailedPrecondition, "it is not ready");
  }
  if (open_requests() == 0) strays_ = 0;
  params["_meta"]["progressToken"] = next_token_;
  absl::StatusOr<uint64_t> id = Send(method, std::move(params));
  if (!id.ok()) return id;
  calls_[*id] = {.token = next_token_++,
                 .timeout = timeout,
                 .timeout_at = After(now, timeout),
                 .limit_at = After(now, options_.max_call_time)};
  return id;
}

absl::StatusOr<uint64_t> Session::CallTool(const std::string& tool, Json arguments, TimePoint now) {
  return StartCall("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}},
                   options_.call_timeout, now);
}

absl::StatusOr<uint64_t> Session::ListResources(const std::optional<std::string>& cursor,
                                                TimePoint now) {
  if (!has_resources_) {
    return LocalError(absl::StatusCode::kUnimplemented, "it has no resources");
  }
  Json params = Json::object();
  if (cursor) params["cursor"] = *cursor;
  return StartCall("resources/list", std::move(params), options_.startup_timeout, now);
}

absl::StatusOr<uint64_t> Session::ReadResource(const std::string& uri, TimePoint now) {
  if (!has_resources_) {
    return LocalError(absl::StatusCode::kUnimplemented, "it has no resources");
  }
  return StartCall("resources/read", Json{{"uri", uri}}, options_.call_timeout, now);
}

void Session::CancelCall(uint64_t call, std::string_view reason) {
  if (calls_.erase(call) > 0) connection_.Cancel(call, reason);
}

void Session::OnCallAnswer(jsonrpc::Answer answer) {
  if (const auto* error = std::get_if<RpcError>(&answer.outcome)) {
    return EndCall(answer.request_id, StatusOf(*error));
  }
  EndCall(answer.request_id, std::get<Json>(std::move(answer.outcome)));
}

// What a server logs as an error may be why its tools fail; the rest is for its authors.
void Session::OnLog(const Json& params) {
  const std::string level = TextOf(params, "level");
  if (std::find(std::begin(kErrorLevels), std::end(kErrorLevels), level) ==
      std::end(kErrorLevels)) {
    return;
  }
  const Json& data = MemberOf(params, "data");
  const std::string text =
      data.is_string() ? data.get<std::string>() : jsonrpc::WriteJsonText(data);
  events_.emplace_back(SessionNotice{absl::StrCat("it logs: ", Word(text))});
}

void Session::OnProgress(const Json& params, TimePoint now) {
  const Json& token = MemberOf(params, "progressToken");
  for (auto& [id, call] : calls_) {
    if (token == call.token) call.timeout_at = After(now, call.timeout);
  }
}

void Session::EndCall(uint64_t id, absl::StatusOr<Json> result) {
  if (calls_.erase(id) == 0) return;
  events_.emplace_back(CallEnded{.call = id, .result = std::move(result)});
}

void Session::Fail(absl::Status status) {
  if (phase_ == Phase::kFailed) return;
  phase_ = Phase::kFailed;
  pages_.reset();
  while (!calls_.empty()) EndCall(calls_.begin()->first, status);
  events_.emplace_back(SessionFailed{std::move(status)});
}

// --- what the server sends

// Answers are bounded by what was asked.
void Session::Count(TimePoint now) {
  if (now >= second_ends_at_) {
    second_ends_at_ = After(now, std::chrono::seconds(1));
    messages_of_second_ = 0;
  }
  if (++messages_of_second_ <= kMaxMessagesPerSecond) return;
  Fail(
      LocalError(absl::StatusCode::kResourceExhausted,
                 absl::StrCat("it sends more than ", kMaxMessagesPerSecond, " messages a second")));
}

void Session::Take(const jsonrpc::Request& request, TimePoint now) {
  Count(now);
  if (request.method == "ping") return connection_.Respond(request.id, Json::object());
  connection_.Respond(request.id, RpcError{.code = jsonrpc::kMethodNotFound,
                                           .message = absl::StrCat("this client does not serve ",
                                                                   Word(request.method))});
}

void Session::Take(const jsonrpc::Notification& notification, TimePoint now) {
  Count(now);
  if (notification.method == "notifications/tools/list_changed") return OnListChanged(now);
  if (notification.method == "notifications/progress") OnProgress(notification.params, now);
  if (notification.method == "notifications/message") OnLog(notification.params);
}

void Session::Take(jsonrpc::Answer& answer, TimePoint now) {
  if (answer.method == "initialize") return OnInitialized(std::move(answer), now);
  if (answer.method == "server/discover") return OnDiscovered(std::move(answer), now);
  if (answer.method == "tools/list") {
    OnPage(std::move(answer), now);
  } else {
    OnCallAnswer(std::move(answer));
  }
  EndMistaken(now);
}

// Requests of the server are answered at once, so none is left to be cancelled.
void Session::Take(const jsonrpc::Cancellation& /*cancellation*/, TimePoint now) { Count(now); }

// Some servers refuse the handshake without saying which request they mean.
void Session::Take(const jsonrpc::StrayError& stray, TimePoint now) {
  Count(now);
  if (phase_ == Phase::kInitializing) return Discover(stray.error);
  if (phase_ == Phase::kDiscovering) {
    Fail(LocalError(absl::StatusCode::kUnimplemented,
                    absl::StrCat("it refuses initialize: ", refusal_)));
  }
}

// Which request it is for cannot be told unless there is one alone.
void Session::Take(const jsonrpc::StrayAnswer& stray, TimePoint now) {
  Count(now);
  if (phase_ == Phase::kFailed) return;
  const std::string id = Word(jsonrpc::WriteJsonText(stray.id));
  const absl::Status status = LocalError(
      absl::StatusCode::kUnknown, absl::StrCat("it answers a request that was not made: id ", id));
  if (phase_ < Phase::kListing) return Fail(status);
  // Some servers answer notifications, with an id that means none.
  if (id == "null" || id == "0" || id == R"("")") return;
  if (std::exchange(stray_, status).ok()) {
    events_.emplace_back(SessionNotice{std::string(status.message())});
  }
  ++strays_;
  EndMistaken(now);
}

void Session::EndMistaken(TimePoint now) {
  if (strays_ == 0 || strays_ < open_requests()) return;
  strays_ = 0;
  while (!calls_.empty()) {
    const uint64_t id = calls_.begin()->first;
    connection_.Cancel(id, "it was answered with another id");
    EndCall(id, stray_);
  }
  if (!pages_) return;
  connection_.Cancel(page_request_, "it was answered with another id");
  EndList(stray_, now);
}

// It may have been the answer to any request, which then would never come.
void Session::Take(const jsonrpc::Overlong& line, TimePoint now) {
  Count(now);
  Fail(LocalError(absl::StatusCode::kResourceExhausted,
                  absl::StrCat("what it sends is over a bound: ", line.reason)));
}

void Session::Take(const jsonrpc::Noise& noise, TimePoint now) {
  Count(now);
  if (std::exchange(noise_told_, true)) return;
  events_.emplace_back(SessionNotice{absl::StrCat(
      "it writes to standard output what is no message (", noise.reason, "): ", Word(noise.line))});
}

}  // namespace cursorwire::mcp
