#include "relay.h"

#include <cursorwire/connect/error_info.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "error_envelope.h"
#include "request.h"

namespace h2_bridge {
namespace {

using cursorwire::connect::After;
using cursorwire::connect::CallEnd;
using cursorwire::connect::ConnectionDown;
using cursorwire::connect::ConnectionEvent;
using cursorwire::connect::ConnectionOptions;
using cursorwire::connect::ConnectionUp;
using cursorwire::connect::CreditReturn;
using cursorwire::connect::ErrorOrigin;
using cursorwire::connect::GetErrorInfo;
using cursorwire::connect::GoAwayReceived;
using cursorwire::connect::Headers;
using cursorwire::connect::KeepaliveWhen;
using cursorwire::connect::kSendLowWater;
using cursorwire::connect::MessageView;
using cursorwire::connect::Redactor;
using cursorwire::connect::ResponseHead;
using std::chrono::milliseconds;

ConnectionOptions OptionsOf(const Config& config, const Target& target,
                            const RelayOptions& options) {
  ConnectionOptions connection{.authority = target.authority,
                               .security = target.security,
                               .tls = {.ca_pem = options.ca_pem, .server_name = target.host},
                               .credit_return = CreditReturn::kManual};
  connection.http2.connect_timeout = config.connect_timeout;
  connection.http2.unused_timeout = milliseconds(0);
  // Without a timeout: a server that does not answer is reported, and nothing else.
  connection.http2.keepalive = {
      .interval = config.ping_interval, .timeout = milliseconds(0), .when = KeepaliveWhen::kAlways};
  return connection;
}

bool IsSuccess(int http_status) { return http_status >= 200 && http_status < 300; }

std::string TextOf(const absl::Status& status) { return std::string(status.message()); }

}  // namespace

Relay::Relay(RelayOptions options, RelayHost& host) : options_(std::move(options)), host_(host) {}

// --- the parent's messages

void Relay::OnInput(std::string_view bytes, TimePoint now) {
  while (!exit_code_) {
    const auto piece = parser_.Next(bytes);
    if (!piece.ok()) {
      Fail(kExitFailure, "stdin error: " + TextOf(piece.status()));
      break;
    }
    if (!piece->has_value()) break;
    OnPiece(**piece, now);
  }
  Drain(now);
}

void Relay::OnInputEnd(TimePoint now) {
  if (exit_code_ || std::exchange(input_ended_, true)) return;
  if (!config_) {
    Fail(kExitFailure, "stdin ended before the configuration");
  } else if (!parser_.at_border()) {
    Fail(kExitFailure, "stdin ended within a message");
  } else if (config_->unary) {
    if (!had_unary_message_) Fail(kExitFailure, "stdin ended before the request");
  } else if (is_persistent()) {
    ParentEnds(now);
  } else {
    CloseSend(now);
  }
  Drain(now);
}

// The parent may be gone after bytes that the server does not take. An older parent waits for the
// response, which has an idle time.
void Relay::OnInputHangUp(TimePoint now) {
  if (exit_code_ || config_->lifetime == Lifetime::kResponse) return;
  if (!has_run()) return ParentEnds(now);
  send_by_ = send_by_.value_or(After(now, SendTimeout()));
}

bool Relay::wants_input() const {
  if (exit_code_ || input_ended_) return false;
  if (output_.sealed_bytes() > kMaxUnreadAnswerBytes || opens_ahead_ >= kMaxOpensAhead)
    return false;
  return !has_run() || connection_->unsent_bytes(run_.call) < kSendLowWater;
}

void Relay::OnPiece(const FramePiece& piece, TimePoint now) {
  if (piece.first) StartMessage(piece);
  if (exit_code_) return;
  if (destination_ == Destination::kCommand) {
    command_.append(piece.bytes);
  } else if (destination_ == Destination::kRequest && !piece.bytes.empty()) {
    had_bytes_ = true;
    SendBody(piece.bytes, now);
  }
  if (piece.last) EndMessage(now);
}

void Relay::StartMessage(const FramePiece& piece) {
  had_bytes_ = false;
  destination_ = has_run() && !run_.send_closed ? Destination::kRequest : Destination::kNowhere;
  if (!config_) {
    if (piece.message_bytes > kMaxCommandBytes) {
      Fail(kExitFailure, "the configuration of " + std::to_string(piece.message_bytes) +
                             " bytes is over the limit of " + std::to_string(kMaxCommandBytes));
      return;
    }
    destination_ = Destination::kCommand;
  } else if (is_persistent() && piece.bytes.starts_with('{') &&
             piece.message_bytes <= kMaxCommandBytes) {
    destination_ = Destination::kCommand;
  }
}

void Relay::EndMessage(TimePoint now) {
  if (destination_ == Destination::kCommand) {
    OnCommand(std::exchange(command_, {}), now);
  } else if (destination_ == Destination::kRequest) {
    had_unary_message_ = config_->unary;
    if (config_->unary || !had_bytes_) CloseSend(now);
  }
}

void Relay::OnCommand(const std::string& message, TimePoint now) {
  if (!config_) return Configure(message, now);
  if (const std::optional<OpenCommand> open = ParseOpenCommand(message)) {
    Open(*open, now);
  } else if (has_run() && !run_.send_closed) {
    SendBody(message, now);
  }
}

void Relay::Configure(const std::string& message, TimePoint now) {
  auto config = ParseConfig(message);
  if (!config.ok()) return Fail(kExitFailure, TextOf(config.status()));
  KnowToken(config->access_token);
  auto target = ParseTarget(config->url);
  if (!target.ok()) return Fail(kExitFailure, "client error: " + TextOf(target.status()));
  if (target->security == cursorwire::connect::Security::kPlaintext && !target->is_loopback() &&
      !options_.allow_plaintext) {
    return Fail(kExitFailure,
                "client error: http: would show the token to the network; --allow-plaintext does");
  }
  config_ = *std::move(config);
  target_ = *std::move(target);
  Log("configured authority=" + target_->authority + " path=" + config_->path +
      (config_->unary    ? " unary"
       : is_persistent() ? " persistent"
                         : " one run"));
  connection_.emplace(OptionsOf(*config_, *target_, options_), now);
  StartRun(config_->access_token, now);
}

// A run that still goes on is given up: its parent has turned to the next one.
void Relay::Open(const OpenCommand& command, TimePoint now) {
  if (has_run()) {
    connection_->Cancel(run_.call);
    output_.DropUnsealed();
    run_ = {};
  }
  if (goaway_) return OnGoAway();
  if (!connection_->accepts_calls()) {
    return Fail(kExitFailure, "client error: no new run: the connection is lost");
  }
  const std::string& token =
      command.access_token.empty() ? config_->access_token : command.access_token;
  KnowToken(token);
  ++opens_ahead_;
  StartRun(token, now);
}

void Relay::KnowToken(const std::string& token) {
  if (std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end()) return;
  if (tokens_.size() == kMaxKnownTokens) tokens_.erase(tokens_.begin() + 1);
  tokens_.push_back(token);
  redactor_ = Redactor(tokens_);
}

void Relay::StartRun(std::string_view access_token, TimePoint now) {
  const std::string id = host_.NewRequestId();
  run_ = {};
  run_.call =
      connection_->StartCall(MakeRequest(*config_, access_token, options_.client_version, id), now);
  ++runs_;
  Log("run " + std::to_string(runs_) + " started request-id=" + id);
}

void Relay::SendBody(std::string_view bytes, TimePoint now) {
  // An error means that the run is over, which comes as an event.
  (void)connection_->Send(run_.call, bytes);
  // What a silent server was sent is no sign of life.
  if (idle_since_ && !ping_failed_) idle_since_ = now;
}

void Relay::CloseSend(TimePoint now) {
  if (has_run() && !std::exchange(run_.send_closed, true)) connection_->CloseSend(run_.call);
  if (config_->lifetime == Lifetime::kRequest) ParentEnds(now);
}

// The parent waits for kLastWords only, but not before its request is on the way.
void Relay::ParentEnds(TimePoint now) {
  parent_ends_ = true;
  send_by_ = send_by_.value_or(After(now, SendTimeout()));
  if (has_run()) return StartLastWords(now);
  leave_at_ = After(now, kLastWords);
  End(kExitDone);
}

bool Relay::RequestHasLeft() {
  return connection_->is_up() && connection_->unsent_bytes(run_.call) == 0 &&
         connection_->PendingOutput().empty();
}

void Relay::StartLastWords(TimePoint now) {
  if (parent_ends_ && !leave_at_ && !exit_code_ && RequestHasLeft()) {
    leave_at_ = After(now, kLastWords);
  }
}

void Relay::OnLastWordsOver() {
  dropped_ = true;
  if (exit_code_) return;
  if (run_.error_deadline) return ReportHttpError({});
  End(kExitDone);
}

milliseconds Relay::SendTimeout() const {
  return config_->connect_timeout.count() > 0 ? config_->connect_timeout : kDefaultConnectTimeout;
}

// --- the server

std::optional<Target> Relay::TakeTarget() { return std::exchange(target_, std::nullopt); }

std::string_view Relay::network_output() {
  return connection_ ? connection_->PendingOutput() : std::string_view();
}

void Relay::ConsumeNetworkOutput(size_t bytes, TimePoint now) {
  connection_->ConsumeOutput(bytes);
  if (connection_->is_up() && connection_->PendingOutput().empty()) opens_ahead_ = 0;
  StartLastWords(now);
}

void Relay::OnNetworkInput(std::string_view bytes, TimePoint now) {
  if (last_received_) last_received_ = now;
  ping_failed_ = false;
  connection_->Receive(bytes, now);
  Drain(now);
}

void Relay::OnNetworkEnd(TimePoint now) {
  connection_->ReceiveEof(now);
  Drain(now);
}

void Relay::OnNetworkError(const absl::Status& status, TimePoint now) {
  connection_->Fail(status, now);
  Drain(now);
}

void Relay::Drain(TimePoint now) {
  PollEvents(now);
  StartLastWords(now);
  if (!goaway_ || exit_code_) return;
  if (CutByGoAway()) {
    // All that came before it is handed out first: the response may be complete.
    connection_->ReleaseCredit(run_.call, std::numeric_limits<size_t>::max());
    PollEvents(now);
  }
  if (!exit_code_ && (!has_run() || CutByGoAway())) OnGoAway();
}

void Relay::PollEvents(TimePoint now) {
  while (connection_ && !exit_code_) {
    const std::optional<ConnectionEvent> event = connection_->PollEvent();
    if (!event) break;
    OnEvent(*event, now);
  }
}

// A graceful GOAWAY lets the run go on to its end, or to that of the connection; the library ends
// one that the server will not process. An HTTP error tells more than a GOAWAY after it.
bool Relay::CutByGoAway() const {
  return has_run() && goaway_->http2_code != 0 && !run_.error_deadline;
}

void Relay::OnEvent(const ConnectionEvent& event, TimePoint now) {
  if (event.call != 0) {
    if (event.call == run_.call) OnCallEvent(event, now);
  } else if (const auto* up = std::get_if<ConnectionUp>(&event.what)) {
    idle_since_ = last_received_ = now;
    Log("connected " + (up->tls_version.empty() ? "without TLS" : up->tls_version));
  } else if (const auto* goaway = std::get_if<GoAwayReceived>(&event.what)) {
    Log("goaway errorCode=" + std::to_string(goaway->http2_code));
    if (!goaway_ || goaway_->http2_code == 0) goaway_ = *goaway;
  } else if (const auto* down = std::get_if<ConnectionDown>(&event.what)) {
    OnDown(down->status);
  }
}

void Relay::OnCallEvent(const ConnectionEvent& event, TimePoint now) {
  if (const auto* head = std::get_if<ResponseHead>(&event.what)) {
    idle_since_ = now;
    OnHead(*head, now);
  } else if (const auto* message = std::get_if<MessageView>(&event.what)) {
    idle_since_ = now;
    OnBody(*message);
  } else if (const auto* end = std::get_if<CallEnd>(&event.what)) {
    OnCallEnd(*end);
  }
}

void Relay::OnHead(const ResponseHead& head, TimePoint now) {
  run_.http_status = head.http_status;
  run_.headers = head.headers;
  Log("run " + std::to_string(runs_) + " status=" + std::to_string(head.http_status));
  if (IsSuccess(head.http_status)) return;
  run_.error_deadline = After(now, kErrorBodyWait);
  if (HeaderDetail(head.headers)) ReportHttpError({});
}

void Relay::OnBody(const MessageView& message) {
  if (run_.error_deadline) return OnErrorBody(message.bytes, message.credit);
  const size_t bytes = message.bytes.size();
  output_.AddBody(message.bytes, bytes);
  // Of a small piece more credit is held, since it could cost a user more memory than it has bytes.
  // Here it does not; and the library would hold back what follows many of them, and forget it if
  // the connection ended.
  if (message.credit > bytes) connection_->ReleaseCredit(run_.call, message.credit - bytes);
}

void Relay::OnErrorBody(std::string_view bytes, size_t credit) {
  run_.error_body.append(bytes.substr(0, kMaxErrorDetailBytes - run_.error_body.size()));
  connection_->ReleaseCredit(run_.call, credit);
  if (run_.error_body.size() == kMaxErrorDetailBytes) ReportHttpError({});
}

void Relay::OnCallEnd(const CallEnd& end) {
  if (run_.error_deadline) {
    ReportHttpError(end.trailers);
  } else if (end.status.ok()) {
    OnRunDone();
  } else if (goaway_) {
    OnGoAway();
  } else {
    OnRunLost(end.status);
  }
}

void Relay::OnRunDone() {
  Log("run " + std::to_string(runs_) + " done");
  run_ = {};
  if (!is_persistent()) return End(kExitDone);
  output_.Add(kDoneSentinel);
  output_.Seal();
  if (down_ && !goaway_) DiagnoseDown();
  if (input_ended_) End(kExitDone);
}

// A response that is not complete is never a success, whatever came of it.
void Relay::OnRunLost(const absl::Status& status) {
  if (!down_) return Fail(kExitFailure, "stream error: " + TextOf(status));
  const auto info = GetErrorInfo(*down_);
  const bool lost = run_.http_status != 0 && info && info->origin == ErrorOrigin::kTransport;
  Fail(lost ? kExitLost : kExitFailure, "client error: " + TextOf(*down_));
}

void Relay::OnGoAway() {
  const bool cut_short = has_run();
  host_.Diagnose("[h2-bridge] GOAWAY errorCode=" + std::to_string(goaway_->http2_code) +
                 " opaque=" + cursorwire::OneLine(Redact(goaway_->debug_data)));
  if (cut_short) output_.Add(ErrorEnvelope("unavailable", GoAwayMessage(goaway_->http2_code)));
  End(kExitLost);
}

void Relay::ReportHttpError(const Headers& trailers) {
  const std::string detail = Redact(HttpErrorDetail(run_.headers, trailers, run_.error_body));
  output_.Add(
      ErrorEnvelope(HttpErrorCode(run_.http_status), HttpErrorMessage(run_.http_status, detail)));
  End(kExitFailure);
}

// The end of a run comes as an event of its own. Between two runs the parent learns of this when it
// opens the next one.
void Relay::OnDown(const absl::Status& status) {
  down_ = status;
  idle_since_.reset();
  last_received_.reset();
  Log("disconnected: " + TextOf(status));
  if (!has_run() && !goaway_) DiagnoseDown();
}

void Relay::DiagnoseDown() {
  host_.Diagnose("[h2-bridge] client error: " + cursorwire::OneLine(Redact(TextOf(*down_))));
}

// --- the parent's side of the output, and time

void Relay::ConsumeParentOutput(size_t bytes, TimePoint now) {
  const size_t credit = output_.Consume(bytes);
  if (exit_code_ || !connection_) return;
  if (credit > 0 && has_run()) connection_->ReleaseCredit(run_.call, credit);
  if (output_.empty() && idle_since_) idle_since_ = now;
  Drain(now);
}

void Relay::OnParentGone(std::string_view why) {
  if (std::exchange(dropped_, true)) return;
  if (exit_code_.value_or(kExitDone) == kExitDone) {
    Fail(kExitFailure, "stdout error: " + std::string(why));
  }
}

// While the parent is to read, nobody else is waited for.
std::optional<Relay::TimePoint> Relay::IdleDeadline() const {
  if (!idle_since_ || config_->idle_timeout.count() == 0 || !output_.empty()) return std::nullopt;
  return After(*idle_since_, config_->idle_timeout);
}

std::optional<Relay::TimePoint> Relay::PingDeadline() const {
  if (!last_received_ || ping_failed_ || config_->ping_interval.count() == 0) return std::nullopt;
  return After(*last_received_, 2 * config_->ping_interval);
}

std::optional<Relay::TimePoint> Relay::NextDeadline() const {
  std::optional<TimePoint> next = leave_at_;
  const auto consider = [&next](std::optional<TimePoint> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (exit_code_ || !connection_) return next;
  if (!leave_at_) consider(send_by_);
  consider(connection_->NextDeadline());
  consider(run_.error_deadline);
  consider(IdleDeadline());
  consider(PingDeadline());
  return next;
}

void Relay::OnDeadline(TimePoint now) {
  const auto due = [now](std::optional<TimePoint> time) { return time && *time <= now; };
  if (due(leave_at_)) OnLastWordsOver();
  if (exit_code_ || !connection_) return;
  connection_->OnDeadline(now);
  Drain(now);
  if (exit_code_) return;
  if (due(PingDeadline())) {
    ping_failed_ = true;
    host_.Diagnose("[h2-bridge] ping failed: no byte came from the server for " +
                   std::to_string(config_->ping_interval.count()) + " ms after a PING");
  }
  if (due(run_.error_deadline)) {
    ReportHttpError({});
  } else if (due(send_by_) && !leave_at_) {
    dropped_ = true;
    Fail(kExitFailure, "client error: the server did not take the request within " +
                           std::to_string(SendTimeout().count()) + " ms after its end");
  } else if (due(IdleDeadline())) {
    Fail(kExitFailure, "idle for " + std::to_string(config_->idle_timeout.count()) + " ms");
  }
}

// --- ends

std::optional<int> Relay::exit_code() const {
  return dropped_ || output_.empty() ? exit_code_ : std::nullopt;
}

void Relay::Fail(int exit_code, std::string_view line) {
  host_.Diagnose("[h2-bridge] " + cursorwire::OneLine(Redact(line)));
  End(exit_code);
}

void Relay::End(int exit_code) {
  Log("exit code " + std::to_string(exit_code));
  exit_code_ = exit_code;
  if (connection_) connection_->Close();
}

void Relay::Log(std::string_view line) { host_.Log(cursorwire::OneLine(Redact(line))); }

}  // namespace h2_bridge
