#include "mcp/http_dialog.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "json/json_member.h"
#include "jsonrpc/message.h"
#include "mcp/http_error.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

using connect::After;
using connect::TimePoint;
using jsonrpc::Json;

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

bool IsVersion(std::string_view text) {
  return text.size() == 10 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isdigit(c) || c == '-';
         });
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

// What a line of the client's is sent for.
Purpose PurposeOf(const Json& message) {
  const std::string method = TextOf(message, "method");
  if (method == "initialize") return Purpose::kInitialize;
  if (method == "notifications/initialized") return Purpose::kInitialized;
  const bool is_request = !method.empty() && !MemberOf(message, "id").is_null();
  return is_request ? Purpose::kRequest : Purpose::kNote;
}

}  // namespace

void HttpDialog::Fail(std::string_view why) {
  failure_.Update(TransportError(why, Replay::kUnsafe));
  Enter(DialogEvent::kFailure);
}

void HttpDialog::Send(std::string_view lines, TimePoint now) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) held_.push_back({.text = std::string(lines.substr(0, end))});
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  Release(now);
}

void HttpDialog::Release(TimePoint now) {
  while (phase_ == DialogPhase::kOpen && !notes_.empty() && notes_under_way() < kMaxNotes) {
    std::string line = std::move(notes_.front());
    notes_.pop_front();
    Post({.text = std::move(line)}, now);
  }
  while (phase_ == DialogPhase::kOpen && !held_.empty()) {
    Line line = std::move(held_.front());
    held_.pop_front();
    Post(std::move(line), now);
  }
}

size_t HttpDialog::notes_under_way() const {
  return static_cast<size_t>(std::count_if(exchanges_.begin(), exchanges_.end(),
                                           [](const auto& it) { return it.second.is_note(); }));
}

void HttpDialog::Post(Line line, TimePoint now) {
  absl::StatusOr<Json> message = jsonrpc::ParseJsonText(line.text);
  if (!message.ok()) return;  // the client writes no such lines
  Purpose purpose = PurposeOf(*message);
  if (TextOf(*message, "method") == "notifications/cancelled") {
    GiveUp(MemberOf(MemberOf(*message, "params"), "requestId"));
    // Without a handshake the end of the stream says it.
    if (session_.version.empty()) return;
  }
  if (purpose == Purpose::kNote && notes_under_way() >= kMaxNotes) {
    notes_.push_back(std::move(line.text));
    return;
  }
  if (purpose == Purpose::kInitialize && phase_ == DialogPhase::kRenewal) {
    purpose = Purpose::kRenewal;
  } else if (purpose == Purpose::kInitialize || purpose == Purpose::kInitialized) {
    Enter(DialogEvent::kHandshakeSent);
  }
  if (purpose == Purpose::kInitialize) initialize_line_ = line.text;
  HttpExchange exchange{.purpose = purpose, .step = line.step, .line = std::move(line.text)};
  if (exchange.is_note()) {
    exchange.limit_at = After(now, kNoteTime);
  } else {
    exchange.request_id = MemberOf(*message, "id");
    last_request_ = std::max(last_request_, jsonrpc::NumberOfId(exchange.request_id).value_or(0));
  }
  if (purpose == Purpose::kRenewal) exchange.limit_at = After(now, kRenewalTime);
  exchange.message = *std::move(message);
  Start(std::move(exchange));
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
        std::erase_if(requests_, [id](const http::Request& request) { return request.id == id; });
    if (waiting == 0) aborts_.push_back(id);
    it = exchanges_.erase(it);
  }
  std::erase_if(later_, [&match](const auto& entry) { return match(entry.second); });
}

void HttpDialog::GiveUp(const Json& request_id) {
  Drop([&request_id](const HttpExchange& exchange) {
    return !exchange.request_id.is_null() && exchange.request_id == request_id;
  });
  const auto is_it = [&request_id](const std::string& line) {
    const absl::StatusOr<Json> message = jsonrpc::ParseJsonText(line);
    return message.ok() && message->contains("method") && MemberOf(*message, "id") == request_id;
  };
  std::erase_if(held_, [&is_it](const Line& line) { return is_it(line.text); });
  std::erase_if(lost_, is_it);
}

void HttpDialog::Start(HttpExchange exchange) {
  const uint64_t id = next_id_++;
  exchange.session = session_.id;
  requests_.push_back(exchange.Request(id, session_, headers_));
  exchanges_.emplace(id, std::move(exchange));
}

// --- what comes back

void HttpDialog::OnEvent(http::Event event, TimePoint now) {
  const auto it = exchanges_.find(event.id);
  if (it == exchanges_.end()) return;  // it was given up
  if (auto* head = std::get_if<http::Head>(&event.what)) {
    OnHead(it->second, std::move(*head));
  } else if (const auto* body = std::get_if<http::Body>(&event.what)) {
    OnBody(event.id, it->second, body->bytes, now);
  } else {
    OnEnd(event.id, std::get<http::End>(event.what).status, now);
  }
  Release(now);
}

void HttpDialog::OnHead(HttpExchange& exchange, http::Head head) {
  exchange.head = std::move(head);
  if (!exchange.succeeded()) return;
  if (exchange.begins_session()) {
    session_.id = IsVisible(exchange.head.session_id) ? exchange.head.session_id : "";
    session_.has_worked = false;
  } else if (exchange.purpose == Purpose::kInitialized) {
    EndHandshake();
  }
}

// The server has taken note of it, or refuses to.
void HttpDialog::EndHandshake() {
  if (phase_ != DialogPhase::kHandshake) return;
  Enter(DialogEvent::kHandshakeOver);
  Listen();
}

absl::Status HttpDialog::TakeBody(HttpExchange& exchange, std::string_view bytes) {
  if (!exchange.has_events()) {
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

void HttpDialog::OnBody(uint64_t id, HttpExchange& exchange, std::string_view bytes,
                        TimePoint now) {
  const absl::Status status = TakeBody(exchange, bytes);
  if (status.ok() && exchange.step != Step::kAnswered) return;
  // Servers end a stream after the answer; nobody waits for that.
  aborts_.push_back(id);
  if (exchange.step != Step::kAnswered) Refuse(exchange, ToStd(status.message()));
  exchange.step = Step::kAnswered;
  OnEnd(id, absl::OkStatus(), now);
}

void HttpDialog::OnEnd(uint64_t id, const absl::Status& status, TimePoint now) {
  HttpExchange exchange = std::move(exchanges_.at(id));
  exchanges_.erase(id);
  switch (exchange.purpose) {
    case Purpose::kListen:
      return OnListenEnd(std::move(exchange), now);
    case Purpose::kRenewal:
      if (status.ok() && exchange.has_json()) Deliver(exchange, exchange.body);
      return OnRenewed(exchange, status, now);
    default:
      return OnMessageEnd(std::move(exchange), status, now);
  }
}

void HttpDialog::OnMessageEnd(HttpExchange exchange, const absl::Status& status, TimePoint now) {
  if (exchange.purpose == Purpose::kInitialized) EndHandshake();
  const Loss loss = LossOf(exchange, now);
  if (loss != Loss::kNone) return Renew(std::move(exchange), loss, now);
  if (exchange.expects_answer() && !Conclude(exchange, status, now)) return;
  if (exchange.purpose == Purpose::kInitialize) Enter(DialogEvent::kHandshakeOver);
}

bool HttpDialog::Conclude(HttpExchange& exchange, const absl::Status& status, TimePoint now) {
  if (status.ok() && !exchange.succeeded()) {
    OnRefused(exchange);
    return true;
  }
  // Else nothing came, or half of it.
  const bool is_whole = status.ok() && (exchange.body.empty() || exchange.has_json());
  if (is_whole && exchange.has_json()) Deliver(exchange, exchange.body);
  if (exchange.step == Step::kAnswered) return true;
  if (Resume(exchange, now)) return false;
  if (is_whole) {
    RefuseAs(exchange, "its answer has no result");
  } else if (!status.ok()) {
    Reject(exchange, ToStd(status.message()));
  } else {
    Reject(exchange, absl::StrCat("it answers with '", PlainLine(exchange.head.content_type, 100),
                                  "', which is neither JSON nor events"));
  }
  return true;
}

void HttpDialog::Reject(const HttpExchange& exchange, std::string_view why) {
  if (exchange.begins_session()) {
    Fail(why);
  } else {
    Refuse(exchange, why);
  }
}

// An error of HTTP. Servers of other versions of the protocol refuse the handshake like that.
void HttpDialog::OnRefused(const HttpExchange& exchange) {
  const int status = exchange.head.status;
  const bool may_be_other_version = status == 400 || status == 404 || status == 405;
  std::string text = ErrorText(exchange);
  if (exchange.begins_session()) {
    if (!may_be_other_version) return Fail(text);
    absl::StrAppend(&text, "; HTTP+SSE, the transport before this one, is not supported");
  }
  RefuseAs(exchange, text);
}

std::string HttpDialog::ErrorText(const HttpExchange& exchange) const {
  return HttpErrorText(exchange.head, exchange.body,
                       headers_.empty() ? ConfiguredHeaders::kNone : ConfiguredHeaders::kSome);
}

void HttpDialog::RefuseAs(const HttpExchange& exchange, std::string_view text) {
  if (exchange.has_json()) {
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
bool HttpDialog::Resume(HttpExchange& exchange, TimePoint now) {
  if (exchange.events.last_id().empty() || exchange.attempts >= kMaxResumptions) return false;
  if (exchange.resumptions >= kMaxResumptionsInAll) return false;
  if (exchange.head.status != 0 && !exchange.succeeded()) return false;
  if (!exchange.modern_version().empty()) return false;  // it has no such thing
  ++exchange.attempts;
  ++exchange.resumptions;
  const auto pause = std::max(exchange.events.retry().value_or(kResumeAfter), kMinPause);
  ResumeAfter(pause, std::move(exchange), now);
  return true;
}

void HttpDialog::ResumeAfter(std::chrono::milliseconds pause, HttpExchange exchange,
                             TimePoint now) {
  exchange.Restart();
  later_.emplace(After(now, pause), std::move(exchange));
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
    HttpExchange exchange = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    Start(std::move(exchange));
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

HttpDialog::Loss HttpDialog::LossOf(const HttpExchange& exchange, TimePoint now) {
  const int status = exchange.head.status;
  if (status < 400 || exchange.session.empty() || exchange.step != Step::kAsked) {
    return Loss::kNone;
  }
  if (status == 404) return Loss::kCertain;
  if (status == 401 || status == 403 || !SaysThatSessionIsLost(exchange.body)) return Loss::kNone;
  // A text is no proof. A session that has never worked is no better when it is begun once more.
  const bool is_old = exchange.session != session_.id || phase_ == DialogPhase::kRenewal;
  return is_old || (session_.has_worked && RecentRenewals(now) < kMaxRenewals) ? Loss::kLikely
                                                                               : Loss::kNone;
}

// The server has forgotten the session. If that is certain, it did not carry the message out; else
// a call might be made twice.
void HttpDialog::Renew(HttpExchange exchange, Loss loss, TimePoint now) {
  const std::string method = exchange.method();
  const bool repeats = loss == Loss::kCertain || method != "tools/call";
  if (!repeats) {
    Refuse(exchange, absl::StrCat("its session was lost (", ErrorText(exchange),
                                  "), and another one is begun: make the call again"));
  }
  if (exchange.session != session_.id && phase_ != DialogPhase::kRenewal) {
    // Another one has begun meanwhile.
    if (repeats) held_.push_back({.text = std::move(exchange.line), .step = Step::kAskedAgain});
    return;
  }
  // The list of tools is read again in any case.
  tells_change_ = tells_change_ || method != "tools/list";
  if (repeats && exchange.purpose != Purpose::kInitialized) {
    lost_.push_back(std::move(exchange.line));
  }
  if (phase_ == DialogPhase::kRenewal) return;
  Enter(DialogEvent::kSessionLost);
  Drop([](const HttpExchange& other) { return other.purpose == Purpose::kListen; });
  session_.id.clear();
  if (RecentRenewals(now) >= kMaxRenewals) return Fail("it forgets its sessions again and again");
  renewals_.push_back(now);
  Post({.text = initialize_line_}, now);
}

size_t HttpDialog::RecentRenewals(TimePoint now) {
  while (!renewals_.empty() && After(renewals_.front(), kRenewalsTime) <= now) {
    renewals_.pop_front();
  }
  return renewals_.size();
}

void HttpDialog::OnRenewed(const HttpExchange& exchange, const absl::Status& status,
                           TimePoint now) {
  if (exchange.step != Step::kAnswered) {
    const std::string why = status.ok() ? ErrorText(exchange) : std::string(status.message());
    return Fail("it has forgotten the session, and began no other: " + why);
  }
  for (; !lost_.empty(); lost_.pop_back()) {  // in front of what waits, in order
    held_.push_front({.text = std::move(lost_.back()), .step = Step::kAskedAgain});
  }
  Post({.text = kInitialized, .step = Step::kAskedAgain}, now);
  if (std::exchange(tells_change_, false)) output_ += OnOneLine(kListChanged);
}

// Unless it listens already.
void HttpDialog::Listen() {
  const auto listens = [](const auto& it) { return it.second.purpose == Purpose::kListen; };
  if (std::any_of(exchanges_.begin(), exchanges_.end(), listens)) return;
  if (std::any_of(later_.begin(), later_.end(), listens)) return;
  if (!session_.version.empty()) Start({.purpose = Purpose::kListen});
}

// Servers need not offer it.
void HttpDialog::OnListenEnd(HttpExchange exchange, TimePoint now) {
  if (!exchange.has_events()) return;
  const auto pause = std::max(exchange.events.retry().value_or(kListenAgainAfter), kResumeAfter);
  ResumeAfter(pause, std::move(exchange), now);
}

std::optional<http::Request> HttpDialog::Close() {
  Drop([](const HttpExchange&) { return true; });
  held_.clear();
  lost_.clear();
  notes_.clear();
  if (session_.id.empty()) return std::nullopt;
  http::Request farewell = HttpExchange().Request(next_id_++, session_, headers_);
  farewell.method = "DELETE";
  return farewell;
}

// --- messages of the server's

void HttpDialog::Deliver(HttpExchange& exchange, std::string_view text) {
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
  if (exchange.purpose != Purpose::kRenewal) output_ += OnOneLine(text);
}

// An answer in the answer of HTTP to another request is in the wrong place, but may be right.
bool HttpDialog::IsMistaken(const HttpExchange& exchange, const Json& message) const {
  if (!exchange.expects_answer() || !IsAnswer(message)) return false;
  const Json& id = MemberOf(message, "id");
  if (id.is_null()) return false;  // an error may have none
  const std::optional<uint64_t> number = jsonrpc::NumberOfId(id);
  return !number || *number == 0 || *number > last_request_;
}

void HttpDialog::RejectAnswer(HttpExchange& exchange, std::string_view why) {
  if (exchange.request_id.is_null()) return;  // nobody waits
  if (exchange.step != Step::kAnswered) Reject(exchange, why);
  exchange.step = Step::kAnswered;
}

void HttpDialog::TakeAnswer(HttpExchange& exchange, const Json& message) {
  if (!IsAnswer(message) || exchange.request_id.is_null()) return;
  const std::optional<uint64_t> number = jsonrpc::NumberOfId(MemberOf(message, "id"));
  if (!number || number != jsonrpc::NumberOfId(exchange.request_id)) return;
  if (exchange.begins_session()) {
    const std::string version = TextOf(MemberOf(message, "result"), "protocolVersion");
    // The client knows nothing of a renewal: what it was told before has to hold.
    if (exchange.purpose == Purpose::kRenewal && version != session_.version) return;
    session_.version = IsVersion(version) ? version : "";
  } else if (exchange.session == session_.id) {
    session_.has_worked = true;
  }
  exchange.step = Step::kAnswered;
}

void HttpDialog::Refuse(const HttpExchange& exchange, std::string_view message, const Json& code) {
  if (exchange.request_id.is_null()) return;
  output_ += OnOneLine(jsonrpc::WriteJsonText({{"jsonrpc", "2.0"},
                                               {"id", exchange.request_id},
                                               {"error", {{"code", code}, {"message", message}}}}));
}

void HttpDialog::Refuse(const HttpExchange& exchange, std::string_view message) {
  Refuse(exchange, message, kServerError);
}

std::optional<http::Request> HttpDialog::NextRequest() {
  if (requests_.empty()) return std::nullopt;
  http::Request request = std::move(requests_.front());
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
