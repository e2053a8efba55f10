#include "mcp/http_dialog.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "jsonrpc/message.h"
#include "mcp/http_error.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

using connect::After;
using connect::TimePoint;
using jsonrpc::Json;
using jsonrpc::MemberOf;
using jsonrpc::TextOf;

constexpr size_t kMaxAnswerBytes = size_t{32} * 1024 * 1024;
constexpr size_t kMaxBatch = 1000;
constexpr size_t kMaxResumptions = 5;
constexpr size_t kMaxResumptionsInAll = 1000;
constexpr std::chrono::milliseconds kMinPause{100};
// Messages that expect no answer: at a time, and how long one may take.
constexpr size_t kMaxNotes = 16;
constexpr std::chrono::milliseconds kNoteTime{10'000};
constexpr std::chrono::milliseconds kRenewalTime{30'000};
constexpr size_t kMaxRenewals = 3;
constexpr std::chrono::milliseconds kRenewalsTime{60'000};
constexpr std::chrono::milliseconds kResumeAfter{1'000};
constexpr std::chrono::milliseconds kListenAgainAfter{5'000};
constexpr size_t kMaxShownIdBytes = 200;
constexpr int kServerError = -32000;  // of JSON-RPC, for what is no error of the protocol's

constexpr char kInitialized[] = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
constexpr char kListChanged[] = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

bool IsSuccess(int status) { return status >= 200 && status < 300; }

// The protocol without a handshake says its version in each message.
std::string ModernVersionOf(const Json& message) {
  return TextOf(MemberOf(MemberOf(message, "params"), "_meta"),
                "io.modelcontextprotocol/protocolVersion");
}

// Of a session or an event: what a server sends must not become headers of ours.
bool IsVisible(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

bool IsVersion(std::string_view text) {
  return text.size() == 10 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isdigit(c) || c == '-';
         });
}

// A header's value must be visible ASCII. Source: docs/mcp.md, servers over HTTP.
std::string HeaderValue(const std::string& text) {
  if (IsVisible(text) && !text.starts_with("=?")) return text;
  return absl::StrCat("=?base64?", absl::Base64Escape(text), "?=");
}

// JSON has no line end within a text.
std::string OnOneLine(std::string_view json) {
  std::string line(json);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line += '\n';
  return line;
}

// Whether this is the answer to a request, whatever its id is.
bool IsAnswer(const Json& message) {
  return message.is_object() && !message.contains("method") &&
         (message.contains("result") || message.contains("error"));
}

}  // namespace

void HttpDialog::Send(std::string_view lines, TimePoint now) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) held_.push_back({.text = std::string(lines.substr(0, end))});
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  Release(now);
}

void HttpDialog::Release(TimePoint now) {
  const auto is_open = [this] { return !shaking_hands_ && !renewing_; };
  while (is_open() && !notes_.empty() && notes_under_way() < kMaxNotes) {
    std::string line = std::move(notes_.front());
    notes_.pop_front();
    Post({.text = std::move(line)}, Kind::kMessage, now);
  }
  while (is_open() && !held_.empty()) {
    Line line = std::move(held_.front());
    held_.pop_front();
    Post(std::move(line), Kind::kMessage, now);
  }
}

size_t HttpDialog::notes_under_way() const {
  return static_cast<size_t>(
      std::count_if(exchanges_.begin(), exchanges_.end(), [](const auto& entry) {
        return entry.second.kind == Kind::kMessage && entry.second.request_id.is_null();
      }));
}

void HttpDialog::Post(Line line, Kind kind, TimePoint now) {
  absl::StatusOr<Json> message = jsonrpc::ParseJsonText(line.text);
  if (!message.ok()) return;  // the client writes no such lines
  const std::string method = TextOf(*message, "method");
  const bool is_note = method.empty() || MemberOf(*message, "id").is_null();
  if (method == "notifications/cancelled") {
    GiveUp(MemberOf(MemberOf(*message, "params"), "requestId"));
    // Without a handshake the end of the stream says it.
    if (protocol_version_.empty()) return;
  }
  if (kind == Kind::kMessage) {
    const bool is_handshake = method == "initialize" || method == "notifications/initialized";
    if (is_note && !is_handshake && notes_under_way() >= kMaxNotes) {
      notes_.push_back(std::move(line.text));
      return;
    }
    shaking_hands_ = is_handshake;
    if (method == "initialize") initialize_line_ = line.text;
  }
  Exchange exchange{.kind = kind, .line = std::move(line.text), .again = line.again};
  if (!is_note) exchange.request_id = MemberOf(*message, "id");
  if (!is_note && !method.empty()) {
    last_request_ = std::max(last_request_, jsonrpc::NumberOfId(exchange.request_id).value_or(0));
  }
  if (is_note) exchange.limit_at = After(now, kNoteTime);
  if (kind == Kind::kRenewal) exchange.limit_at = After(now, kRenewalTime);
  exchange.message = *std::move(message);
  Start(next_id_++, std::move(exchange), "POST");
}

template <typename Match>
void HttpDialog::Drop(const Match& match) {
  for (auto it = exchanges_.begin(); it != exchanges_.end();) {
    if (!match(it->second)) {
      ++it;
      continue;
    }
    const uint64_t id = it->first;
    const size_t waiting =
        std::erase_if(requests_, [id](const HttpRequest& request) { return request.id == id; });
    if (waiting == 0) aborts_.push_back(id);
    it = exchanges_.erase(it);
  }
  std::erase_if(later_, [&match](const auto& entry) { return match(entry.second); });
}

void HttpDialog::GiveUp(const Json& request_id) {
  Drop([&request_id](const Exchange& exchange) {
    return !exchange.request_id.is_null() && exchange.request_id == request_id;
  });
  const auto is_it = [&request_id](const std::string& line) {
    const absl::StatusOr<Json> message = jsonrpc::ParseJsonText(line);
    return message.ok() && message->contains("method") && MemberOf(*message, "id") == request_id;
  };
  std::erase_if(held_, [&is_it](const Line& line) { return is_it(line.text); });
  std::erase_if(lost_, is_it);
}

void HttpDialog::Start(uint64_t id, Exchange exchange, const char* method) {
  exchange.session = session_;
  const bool has_body = std::string_view(method) == "POST";
  requests_.push_back({.id = id,
                       .method = method,
                       .headers = HeadersOf(exchange),
                       .body = has_body ? exchange.line : "",
                       .once = TextOf(exchange.message, "method") == "tools/call"});
  exchanges_.emplace(id, std::move(exchange));
}

HttpHeaders HttpDialog::HeadersOf(const Exchange& exchange) const {
  HttpHeaders headers = headers_;
  const bool posts = exchange.kind != Kind::kListen && !exchange.resumes;
  headers.emplace_back("Accept",
                       posts ? "application/json, text/event-stream" : "text/event-stream");
  if (posts) headers.emplace_back("Content-Type", "application/json");
  if (!exchange.events.last_id().empty() && IsVisible(exchange.events.last_id())) {
    headers.emplace_back("Last-Event-ID", exchange.events.last_id());
  }
  if (const std::string modern = ModernVersionOf(exchange.message); !modern.empty()) {
    headers.emplace_back("MCP-Protocol-Version", modern);
    headers.emplace_back("Mcp-Method", HeaderValue(TextOf(exchange.message, "method")));
    // Of a tool; a resource is named by its URI.
    std::string name = TextOf(MemberOf(exchange.message, "params"), "name");
    if (name.empty()) name = TextOf(MemberOf(exchange.message, "params"), "uri");
    if (!name.empty()) headers.emplace_back("Mcp-Name", HeaderValue(name));
    return headers;
  }
  if (TextOf(exchange.message, "method") == "initialize") return headers;
  if (!protocol_version_.empty()) headers.emplace_back("MCP-Protocol-Version", protocol_version_);
  if (!session_.empty()) headers.emplace_back("Mcp-Session-Id", session_);
  return headers;
}

// --- what comes back

void HttpDialog::OnEvent(HttpEvent event, TimePoint now) {
  const auto it = exchanges_.find(event.id);
  if (it == exchanges_.end()) return;  // it was given up
  if (auto* head = std::get_if<HttpHead>(&event.what)) {
    OnHead(it->second, std::move(*head));
  } else if (const auto* body = std::get_if<HttpBody>(&event.what)) {
    OnBody(event.id, it->second, body->bytes, now);
  } else {
    OnEnd(event.id, std::get<HttpEnd>(event.what).status, now);
  }
  Release(now);
}

void HttpDialog::OnHead(Exchange& exchange, HttpHead head) {
  exchange.head = std::move(head);
  if (!IsSuccess(exchange.head.status)) return;
  const std::string method = TextOf(exchange.message, "method");
  if (method == "initialize") {
    session_ = IsVisible(exchange.head.session_id) ? exchange.head.session_id : "";
    session_works_ = false;
  } else if (method == "notifications/initialized") {
    EndHandshake();
  }
}

// The server has taken note of it, or refuses to.
void HttpDialog::EndHandshake() {
  if (!std::exchange(shaking_hands_, false)) return;
  Listen();
}

absl::Status HttpDialog::TakeBody(Exchange& exchange, std::string_view bytes) {
  if (!IsSuccess(exchange.head.status) || exchange.head.content_type != "text/event-stream") {
    if (exchange.body.size() + bytes.size() > kMaxAnswerBytes) {
      return LocalError(absl::StatusCode::kResourceExhausted, "its answer is too long");
    }
    exchange.body += bytes;
    return absl::OkStatus();
  }
  absl::Status status = exchange.events.Feed(bytes);
  while (std::optional<std::string> data = exchange.events.Next()) {
    exchange.attempts = 0;
    Deliver(exchange, *data);
  }
  return status;
}

void HttpDialog::OnBody(uint64_t id, Exchange& exchange, std::string_view bytes, TimePoint now) {
  const absl::Status status = TakeBody(exchange, bytes);
  if (status.ok() && !exchange.answered) return;
  // Servers end a stream after the answer; nobody waits for that.
  aborts_.push_back(id);
  if (!status.ok() && !exchange.answered) Refuse(exchange, ToStd(status.message()));
  exchange.answered = true;
  OnEnd(id, absl::OkStatus(), now);
}

void HttpDialog::OnEnd(uint64_t id, const absl::Status& status, TimePoint now) {
  Exchange exchange = std::move(exchanges_.at(id));
  exchanges_.erase(id);
  switch (exchange.kind) {
    case Kind::kMessage:
      return OnMessageEnd(std::move(exchange), status, now);
    case Kind::kRenewal:
      if (status.ok() && exchange.head.content_type == "application/json") {
        Deliver(exchange, exchange.body);
      }
      return OnRenewed(exchange, status, now);
    case Kind::kListen:
      return OnListenEnd(std::move(exchange), status, now);
  }
}

void HttpDialog::OnMessageEnd(Exchange exchange, const absl::Status& status, TimePoint now) {
  const std::string method = TextOf(exchange.message, "method");
  const bool is_handshake = method == "initialize";
  if (method == "notifications/initialized") EndHandshake();
  const Loss loss = LossOf(exchange, now);
  if (loss != Loss::kNone) return Renew(std::move(exchange), loss, now);
  if (exchange.request_id.is_null() || exchange.answered) {
    if (is_handshake) shaking_hands_ = false;
    return;
  }
  if (!status.ok() || (IsSuccess(exchange.head.status) && !exchange.body.empty() &&
                       exchange.head.content_type != "application/json")) {
    // Nothing came, or half of it.
    if (Resume(exchange, now)) return;
  } else if (IsSuccess(exchange.head.status)) {
    return OnAnswered(std::move(exchange), now);
  } else {
    return OnRefused(exchange);
  }
  Reject(exchange,
         status.ok() ? absl::StrCat("it answers with '", PlainLine(exchange.head.content_type, 100),
                                    "', which is neither JSON nor events")
                     : std::string(status.message()));
}

void HttpDialog::Reject(const Exchange& exchange, std::string_view why) {
  if (TextOf(exchange.message, "method") == "initialize") {
    failure_ = TransportError(why, Replay::kUnsafe);
  } else {
    Refuse(exchange, why);
  }
}

void HttpDialog::OnAnswered(Exchange exchange, TimePoint now) {
  if (exchange.head.content_type == "application/json") Deliver(exchange, exchange.body);
  if (TextOf(exchange.message, "method") == "initialize") shaking_hands_ = false;
  if (exchange.answered || Resume(exchange, now)) return;
  RefuseAs(exchange, "its answer has no result");
}

// An error of HTTP. Servers of other versions of the protocol refuse the handshake like that.
void HttpDialog::OnRefused(const Exchange& exchange) {
  const std::string method = TextOf(exchange.message, "method");
  const int status = exchange.head.status;
  const bool is_handshake = method == "initialize";
  const bool may_be_other_version = status == 400 || status == 404 || status == 405;
  if (is_handshake) shaking_hands_ = false;
  std::string text = ErrorText(exchange);
  if (is_handshake && may_be_other_version) {
    absl::StrAppend(&text, "; HTTP+SSE, the transport before this one, is not supported");
  } else if (is_handshake) {
    failure_ = TransportError(text, Replay::kUnsafe);
    return;
  }
  RefuseAs(exchange, text);
}

std::string HttpDialog::ErrorText(const Exchange& exchange) const {
  return HttpErrorText(exchange.head, exchange.body,
                       headers_.empty() ? ConfiguredHeaders::kNone : ConfiguredHeaders::kSome);
}

void HttpDialog::RefuseAs(const Exchange& exchange, std::string_view text) {
  if (exchange.head.content_type == "application/json") {
    const absl::StatusOr<Json> body = jsonrpc::ParseJsonText(exchange.body);
    if (body.ok() && MemberOf(*body, "error").is_object()) {
      const std::string said = TextOf(MemberOf(*body, "error"), "message");
      const Json& code = MemberOf(MemberOf(*body, "error"), "code");
      return Refuse(exchange, said.empty() ? text : std::string_view(said),
                    code.is_number_integer() ? code : Json(kServerError));
    }
  }
  Refuse(exchange, text);
}

// Goes on with a stream where it was cut.
bool HttpDialog::Resume(Exchange& exchange, TimePoint now) {
  if (exchange.events.last_id().empty() || exchange.attempts >= kMaxResumptions) return false;
  if (exchange.resumptions >= kMaxResumptionsInAll) return false;
  if (exchange.head.status != 0 && !IsSuccess(exchange.head.status)) return false;
  if (!ModernVersionOf(exchange.message).empty()) return false;  // it has no such thing
  ++exchange.attempts;
  ++exchange.resumptions;
  exchange.resumes = true;
  exchange.head = {};
  exchange.body.clear();
  exchange.events.Restart();
  const auto after = std::max(exchange.events.retry().value_or(kResumeAfter), kMinPause);
  later_.emplace(After(now, after), std::move(exchange));
  return true;
}

std::optional<TimePoint> HttpDialog::deadline() const {
  std::optional<TimePoint> first;
  if (!later_.empty()) first = later_.begin()->first;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.limit_at) first = std::min(first.value_or(*exchange.limit_at), *exchange.limit_at);
  }
  return first;
}

void HttpDialog::OnDeadline(TimePoint now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    Exchange exchange = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    Start(next_id_++, std::move(exchange), "GET");
  }
  std::vector<uint64_t> late;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.limit_at && *exchange.limit_at <= now) late.push_back(id);
  }
  for (const uint64_t id : late) OnLimit(id, now);
  Release(now);
}

void HttpDialog::OnLimit(uint64_t id, TimePoint now) {
  const auto it = exchanges_.find(id);
  if (it == exchanges_.end()) return;
  aborts_.push_back(id);
  it->second.head = {};
  OnEnd(id, LocalError(absl::StatusCode::kDeadlineExceeded, "it does not answer"), now);
}

// --- sessions

HttpDialog::Loss HttpDialog::LossOf(const Exchange& exchange, TimePoint now) {
  const int status = exchange.head.status;
  if (status < 400 || exchange.session.empty() || exchange.again || exchange.resumes) {
    return Loss::kNone;
  }
  if (status == 404) return Loss::kCertain;
  if (status == 401 || status == 403 || !SaysThatSessionIsLost(exchange.body)) return Loss::kNone;
  // A text is no proof. A session that has never worked is no better when it is begun once more.
  const bool is_old = exchange.session != session_ || renewing_;
  return is_old || (session_works_ && RecentRenewals(now) < kMaxRenewals) ? Loss::kLikely
                                                                          : Loss::kNone;
}

// The server has forgotten the session. If that is certain, it did not carry the message out; else
// a call might be made twice.
void HttpDialog::Renew(Exchange exchange, Loss loss, TimePoint now) {
  const std::string method = TextOf(exchange.message, "method");
  const bool repeats = loss == Loss::kCertain || method != "tools/call";
  if (!repeats) {
    Refuse(exchange, absl::StrCat("its session was lost (", ErrorText(exchange),
                                  "), and another one is begun: make the call again"));
  }
  if (exchange.session != session_ && !renewing_) {  // another one has begun meanwhile
    if (repeats) held_.push_back({.text = std::move(exchange.line), .again = true});
    return;
  }
  // The list of tools is read again in any case.
  tells_change_ = tells_change_ || method != "tools/list";
  if (repeats && method != "notifications/initialized") lost_.push_back(std::move(exchange.line));
  if (std::exchange(renewing_, true)) return;
  StopListening();
  session_.clear();
  if (RecentRenewals(now) >= kMaxRenewals) {
    failure_ = TransportError("it forgets its sessions again and again", Replay::kUnsafe);
    return;
  }
  renewals_.push_back(now);
  Post({.text = initialize_line_}, Kind::kRenewal, now);
}

size_t HttpDialog::RecentRenewals(TimePoint now) {
  while (!renewals_.empty() && After(renewals_.front(), kRenewalsTime) <= now) {
    renewals_.pop_front();
  }
  return renewals_.size();
}

void HttpDialog::OnRenewed(const Exchange& exchange, const absl::Status& status, TimePoint now) {
  renewing_ = false;
  std::vector<std::string> lost = std::exchange(lost_, {});
  if (!exchange.answered) {
    const std::string why = status.ok() ? ErrorText(exchange) : std::string(status.message());
    failure_ =
        TransportError("it has forgotten the session, and began no other: " + why, Replay::kUnsafe);
    return;
  }
  while (!lost.empty()) {  // in front of what waits, in order
    held_.push_front({.text = std::move(lost.back()), .again = true});
    lost.pop_back();
  }
  Post({.text = kInitialized, .again = true}, Kind::kMessage, now);
  if (std::exchange(tells_change_, false)) output_ += OnOneLine(kListChanged);
}

void HttpDialog::StopListening() {
  Drop([](const Exchange& exchange) { return exchange.kind == Kind::kListen; });
  listens_ = false;
}

void HttpDialog::Listen() {
  if (listens_ || protocol_version_.empty()) return;
  listens_ = true;
  Start(next_id_++, {.kind = Kind::kListen}, "GET");
}

// Servers need not offer it.
void HttpDialog::OnListenEnd(Exchange exchange, const absl::Status& /*status*/, TimePoint now) {
  if (exchange.head.content_type != "text/event-stream" || !IsSuccess(exchange.head.status)) {
    listens_ = false;
    return;
  }
  const auto after = std::max(exchange.events.retry().value_or(kListenAgainAfter), kResumeAfter);
  exchange.resumes = true;
  exchange.head = {};
  exchange.events.Restart();
  later_.emplace(After(now, after), std::move(exchange));
}

std::optional<HttpRequest> HttpDialog::Close() {
  Drop([](const Exchange&) { return true; });
  held_.clear();
  lost_.clear();
  notes_.clear();
  if (session_.empty()) return std::nullopt;
  const Exchange farewell{.kind = Kind::kListen};
  return HttpRequest{.id = next_id_++, .method = "DELETE", .headers = HeadersOf(farewell)};
}

// --- messages of the server's

void HttpDialog::Deliver(Exchange& exchange, std::string_view text) {
  const absl::StatusOr<Json> message = jsonrpc::ParseJsonText(text, jsonrpc::DeepValues::kCut);
  if (absl::IsResourceExhausted(message.status())) {
    return RejectAnswer(exchange, ToStd(message.status().message()));
  }
  if (!message.ok()) return;
  if (message->is_array() && message->size() > kMaxBatch) {
    return RejectAnswer(exchange, "it sends too many messages at once");
  }
  if (IsMistaken(exchange, *message)) {
    const std::string id = jsonrpc::WriteJsonText(MemberOf(*message, "id"));
    return RejectAnswer(exchange, absl::StrCat("it answers a request that was not made: id ",
                                               PlainLine(id, kMaxShownIdBytes)));
  }
  for (const Json& one : message->is_array() ? *message : Json::array({*message})) {
    TakeAnswer(exchange, one);
  }
  // The client sees the handshake once.
  if (exchange.kind != Kind::kRenewal) output_ += OnOneLine(text);
}

// An answer in the answer of HTTP to another request is in the wrong place, but may be right.
bool HttpDialog::IsMistaken(const Exchange& exchange, const Json& message) const {
  if (exchange.request_id.is_null() || exchange.answered || !IsAnswer(message)) return false;
  const Json& id = MemberOf(message, "id");
  if (id.is_null()) return false;  // an error may have none
  const std::optional<uint64_t> number = jsonrpc::NumberOfId(id);
  return !number || *number == 0 || *number > last_request_;
}

void HttpDialog::RejectAnswer(Exchange& exchange, std::string_view why) {
  if (exchange.request_id.is_null()) return;  // nobody waits
  if (!exchange.answered) Reject(exchange, why);
  exchange.answered = true;
}

void HttpDialog::TakeAnswer(Exchange& exchange, const Json& message) {
  if (!IsAnswer(message) || exchange.request_id.is_null()) return;
  const std::optional<uint64_t> number = jsonrpc::NumberOfId(MemberOf(message, "id"));
  if (!number || number != jsonrpc::NumberOfId(exchange.request_id)) return;
  if (TextOf(exchange.message, "method") != "initialize") {
    exchange.answered = true;
    if (exchange.session == session_) session_works_ = true;
    return;
  }
  const std::string version = TextOf(MemberOf(message, "result"), "protocolVersion");
  // In another session nobody looks at it but this.
  if (exchange.kind == Kind::kRenewal && version != protocol_version_) return;
  exchange.answered = true;
  protocol_version_ = IsVersion(version) ? version : "";
  if (exchange.kind == Kind::kMessage) shaking_hands_ = false;
}

void HttpDialog::Refuse(const Exchange& exchange, std::string_view message, const Json& code) {
  if (exchange.request_id.is_null()) return;
  output_ += OnOneLine(jsonrpc::WriteJsonText({{"jsonrpc", "2.0"},
                                               {"id", exchange.request_id},
                                               {"error", {{"code", code}, {"message", message}}}}));
}

void HttpDialog::Refuse(const Exchange& exchange, std::string_view message) {
  Refuse(exchange, message, kServerError);
}

std::optional<HttpRequest> HttpDialog::NextRequest() {
  if (requests_.empty()) return std::nullopt;
  HttpRequest request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

std::optional<uint64_t> HttpDialog::NextAbort() {
  if (aborts_.empty()) return std::nullopt;
  const uint64_t id = aborts_.front();
  aborts_.pop_front();
  return id;
}

}  // namespace cursorwire::mcp
