#include "mcp/server_loop.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "base/url.h"
#include "mcp/call_result.h"
#include "mcp/server_process.h"
#include "net/poller.h"
#include "net/thread.h"

#ifdef CURSORWIRE_MCP_HTTP
#include "mcp/http_transport.h"
#endif

namespace cursorwire::mcp {
namespace {

using connect::TimePoint;

constexpr size_t kMaxWaitingCalls = 256;
constexpr size_t kMaxKeptNotices = 50;
// Shorter parts of a URL are words.
constexpr size_t kMinKeyBytes = 8;

// Keys may stand before the host, in the path and after it.
void AddSecretsOfUrl(std::string_view url, std::vector<std::string>& values) {
  const std::optional<UrlPieces> pieces = SplitUrl(url);
  if (!pieces) return;
  for (const std::string_view text : {pieces->user.value_or(""), pieces->rest}) {
    for (const absl::string_view part : absl::StrSplit(ToAbsl(text), absl::ByAnyChar(":/?&=#"))) {
      if (part.size() >= kMinKeyBytes) values.emplace_back(part);
    }
  }
}

std::vector<std::string> SecretsOf(const ServerConfig& config) {
  std::vector<std::string> values;
  for (const auto* given : {&config.env, &config.headers}) {
    for (const auto& [name, value] : *given) {
      values.push_back(value);
      // Of "Bearer KEY" the key alone, too: a server repeats that.
      const std::string key = value.substr(value.rfind(' ') + 1);
      if (key.size() >= kMinKeyBytes && key.size() < value.size()) values.push_back(key);
    }
  }
  AddSecretsOfUrl(config.url, values);
  return values;
}

}  // namespace

// A call that is not answered yet.
struct ServerLoop::Request {
  uint64_t key = 0;
  Ask ask{};
  Done done{};
  std::stop_token stop{};
  uint64_t call = 0;  // of the session; 0: not sent yet
  // Last, so that it is gone before the rest.
  std::optional<std::stop_callback<std::function<void()>>> on_stop{};
};

ServerLoop::ServerLoop(ServerConfig config, std::vector<std::string> environment,
                       std::string client_version, process::RunningCommands& running,
                       std::function<void()> on_change)
    : config_(std::move(config)),
      environment_(std::move(environment)),
      client_version_(std::move(client_version)),
      redactor_(SecretsOf(config_)),
      running_(running),
      on_change_(std::move(on_change)),
      restarts_({.first = config_.restart_pause, .longest = config_.longest_restart_pause}) {
  report_.name = config_.name;
}

ServerLoop::~ServerLoop() {
  RequestStop();
  Join();
  // Callbacks of stop tokens may still run until their requests are gone.
  std::vector<std::unique_ptr<Request>> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(inbox_);
  }
  for (const auto& request : left) {
    request->done(absl::CancelledError("it was stopped"));
  }
}

void ServerLoop::Start() {
  started_at_ = net::Now();
  absl::StatusOr<std::shared_ptr<net::Waker>> waker = net::Waker::Create();
  absl::Status status = waker.status();
  if (status.ok()) {
    waker_ = *std::move(waker);
    if (!net::StartThread(thread_, [this] { Run(); })) status = net::NoThreadError();
  }
  if (status.ok()) return;
  hopeless_ = true;
  SetState(ServerState::kFailed, status);
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void ServerLoop::RequestStop() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  if (waker_ != nullptr) waker_->Wake();
}

void ServerLoop::Join() {
  if (thread_.joinable()) thread_.join();
}

void ServerLoop::WaitUntilSettled(const std::stop_token& stop, TimePoint deadline) {
  const auto settled = [this] { return report_.state != ServerState::kStarting; };
  std::unique_lock lock(mutex_);
  // The library adds to a deadline, which may overflow.
  if (deadline == TimePoint::max()) {
    settled_.wait(lock, stop, settled);
  } else {
    settled_.wait_until(lock, stop, deadline, settled);
  }
}

bool ServerLoop::TryAgain() {
  {
    const std::lock_guard lock(mutex_);
    if (!report_.is_tried_again || trying_ || stops_ || closed_) return false;
    try_asked_ = trying_ = true;
  }
  waker_->Wake();
  return true;
}

void ServerLoop::AwaitTry(const std::stop_token& stop, TimePoint deadline) {
  std::unique_lock lock(mutex_);
  settled_.wait_until(lock, stop, deadline, [this] { return !trying_; });
}

bool ServerLoop::is_tried_again() const {
  const std::lock_guard lock(mutex_);
  return report_.is_tried_again && !stops_;
}

void ServerLoop::Call(const std::string& tool, const ToolCall& call, const ToolReply& reply) {
  absl::StatusOr<Json> arguments = jsonrpc::ParseJsonText(call.arguments_json);
  if (!arguments.ok() || !arguments->is_object()) {
    return reply.Send(ToolResult::Error("the arguments are no JSON object"));
  }
  auto ask = [tool, arguments = *std::move(arguments)](Session& session, TimePoint now) mutable {
    return session.CallTool(tool, std::move(arguments), now);
  };
  const auto done = [this, reply](const absl::StatusOr<Json>& result) {
    reply.Send(result.ok() ? ReadCallResult(*result) : ToolResult::Error(Named(result.status())));
  };
  Post(std::move(ask), done, call.stop);
}

absl::StatusOr<Json> ServerLoop::Wait(Ask ask, const std::stop_token& stop, TimePoint deadline) {
  struct Place {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<absl::StatusOr<Json>> result;  // guarded by mutex
  };
  const auto place = std::make_shared<Place>();  // shared with an answer that comes too late
  std::stop_source given_up;                     // by the caller, or since it takes too long
  const std::stop_callback chain(stop, [&given_up] { given_up.request_stop(); });
  Post(
      std::move(ask),
      [place](const absl::StatusOr<Json>& result) {
        const std::lock_guard lock(place->mutex);
        place->result = result;
        place->changed.notify_all();
      },
      given_up.get_token());
  std::unique_lock lock(place->mutex);
  place->changed.wait_until(lock, stop, deadline, [&place] { return place->result.has_value(); });
  if (!place->result) {
    lock.unlock();
    given_up.request_stop();
    if (stop.stop_requested()) return absl::CancelledError("no longer wanted");
    return LocalError(absl::StatusCode::kDeadlineExceeded,
                      Named(absl::DeadlineExceededError("it does not answer in time")));
  }
  if (place->result->ok()) return *std::move(place->result);
  const absl::Status& status = place->result->status();
  return LocalError(status.code(), Named(status));
}

void ServerLoop::Post(Ask ask, Done done, const std::stop_token& stop) {
  std::unique_ptr<Request> request(
      new Request{.ask = std::move(ask), .done = std::move(done), .stop = stop});
  absl::Status refusal;
  uint64_t key = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || stops_) refusal = absl::UnavailableError("it is stopped");
    if (inbox_.size() >= kMaxWaitingCalls) refusal = absl::UnavailableError("it is too busy");
    key = request->key = next_key_++;
  }
  if (!refusal.ok()) return request->done(refusal);
  // Before the thread has it: afterwards it may be gone at any time.
  request->on_stop.emplace(stop, [this, key] {
    {
      const std::lock_guard lock(mutex_);
      cancelled_.push_back(key);
    }
    waker_->Wake();
  });
  std::unique_ptr<Request> refused;  // the thread has ended meanwhile
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      refused = std::move(request);
    } else {
      inbox_.push_back(std::move(request));
    }
  }
  if (refused == nullptr) return waker_->Wake();
  refused->on_stop.reset();
  refused->done(absl::UnavailableError("it is stopped"));
}

ServerReport ServerLoop::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

// --- the thread

void ServerLoop::Run() {
  StartTransport(net::Now());
  for (;;) {
    const bool stops = !TakeInbox();
    const TimePoint now = net::Now();
    if (stops) {
      EndSession(ServerState::kStopped, absl::CancelledError("it was stopped"), now);
      RefuseAll(absl::CancelledError("it was stopped"));
    }
    const bool gone = Step(now);
    if (stops && gone) break;
    WaitForEvents(now, stops);
  }
  RefuseAll(absl::CancelledError("it was stopped"));
  SetState(ServerState::kStopped);
}

bool ServerLoop::TakeInbox() {
  waker_->Drain();
  std::vector<std::unique_ptr<Request>> requests;
  std::vector<uint64_t> cancelled;
  bool stops = false;
  {
    const std::lock_guard lock(mutex_);
    requests.swap(inbox_);
    cancelled.swap(cancelled_);
    stops = stops_;
  }
  for (auto& request : requests) {
    if (request->stop.stop_requested()) continue;  // that may have been told before
    waiting_.push_back(request->key);
    const uint64_t key = request->key;
    requests_.emplace(key, std::move(request));
  }
  for (const uint64_t key : cancelled) Cancel(key);
  return !stops;
}

// True if no process is left.
bool ServerLoop::Step(TimePoint now) {
  if (transport_ == nullptr) {
    StartRequests(now);
    StartByItself(now);
    return transport_ == nullptr;
  }
  if (session_) {
    if (session_->wants_input()) {
      if (const std::string bytes = transport_->ReadOutput(); !bytes.empty()) {
        session_->Receive(bytes, now);
      }
    }
    session_->OnDeadline(now);
    if (transport_->at_end(now)) {
      HandleEvents(now);
      EndSession(ServerState::kFailed, TransportEnd(), now);
    }
    HandleEvents(now);
    StartRequests(now);
    if (session_ && transport_->wants_input()) transport_->Write(session_->TakeOutput());
  } else {
    transport_->ReadOutput();  // so that its end is seen
  }
  if (!transport_->Advance(now)) return false;
  EndSession(ServerState::kFailed, TransportEnd(), now);
  transport_.reset();
  StartRequests(now);
  StartByItself(now);
  return transport_ == nullptr;
}

absl::Status ServerLoop::TransportEnd() const {
  return TransportError(transport_->ExitText(), Replay::kUnsafe);
}

absl::StatusOr<std::unique_ptr<Transport>> ServerLoop::NewTransport() {
  if (config_.url.empty()) return ServerProcess::Start(config_, environment_, running_);
#ifdef CURSORWIRE_MCP_HTTP
  return HttpTransport::Start(config_);
#else
  return absl::UnimplementedError("servers over HTTP need a build with libcurl");
#endif
}

void ServerLoop::StartTransport(TimePoint now) {
  SetState(ServerState::kStarting);
  restarts_.OnStart(now);
  absl::StatusOr<std::unique_ptr<Transport>> started = NewTransport();
  if (!started.ok()) {
    restarts_.OnEnd(now);
    RefuseAll(started.status());
    const absl::StatusCode code = started.status().code();
    hopeless_ = code == absl::StatusCode::kInvalidArgument ||
                code == absl::StatusCode::kUnimplemented || code == absl::StatusCode::kCancelled;
    return SetState(ServerState::kFailed, started.status());
  }
  transport_ = *std::move(started);
  session_.emplace(SessionOptions{.client_version = client_version_,
                                  .over_http = !config_.url.empty(),
                                  .startup_timeout = config_.startup_timeout,
                                  .call_timeout = config_.tool_timeout},
                   now);
  transport_->Write(session_->TakeOutput());
}

// Sends the calls that wait, for which a server that has ended is started again.
void ServerLoop::StartRequests(TimePoint now) {
  if (waiting_.empty()) return;
  if (transport_ == nullptr) {
    const absl::Status allowed = restarts_.Check(now);
    if (!allowed.ok()) return RefuseAll(allowed);
    return StartTransport(now);
  }
  if (!ready_) return;  // it starts, or it ends
  for (const uint64_t key : std::exchange(waiting_, {})) {
    const auto found = requests_.find(key);
    if (found == requests_.end()) continue;
    Request& request = *found->second;
    const absl::StatusOr<uint64_t> call = request.ask(*session_, now);
    if (!call.ok()) {
      Refuse(key, call.status());
      continue;
    }
    request.call = *call;
    key_of_[*call] = key;
  }
}

void ServerLoop::StartByItself(TimePoint now) {
  if (transport_ != nullptr || !is_tried_again()) return;
  bool asked = false;
  {
    const std::lock_guard lock(mutex_);
    asked = std::exchange(try_asked_, false);
  }
  if (now >= restarts_.next_try() || (asked && restarts_.TakeTurnTry(now))) {
    return StartTransport(now);
  }
  if (!asked) return;
  const std::lock_guard lock(mutex_);
  trying_ = false;
  settled_.notify_all();
}

void ServerLoop::HandleEvents(TimePoint now) {
  std::vector<SessionEvent> events;
  while (session_) {
    std::optional<SessionEvent> event = session_->NextEvent();
    if (!event) break;
    // The calls that a failure ends come before it, and who gets an answer sees the state.
    const auto* failed = std::get_if<SessionFailed>(&*event);
    if (failed != nullptr && ready_) {
      SetState(ServerState::kFailed, failed->status);
    }
    events.push_back(*std::move(event));
  }
  for (SessionEvent& event : events) HandleEvent(event, now);
}

void ServerLoop::HandleEvent(SessionEvent& event, TimePoint now) {
  if (auto* ended = std::get_if<CallEnded>(&event)) {
    const auto key = key_of_.find(ended->call);
    if (key == key_of_.end()) return;
    const auto request = requests_.find(key->second);
    if (!ended->result.ok()) {
      Refuse(key->second, ended->result.status());
    } else if (request != requests_.end()) {
      request->second->done(ended->result);
      requests_.erase(request);
    }
    key_of_.erase(ended->call);
  } else if (auto* notice = std::get_if<SessionNotice>(&event)) {
    AddNotice(std::move(notice->text));
  } else if (auto* failed = std::get_if<SessionFailed>(&event)) {
    EndSession(ServerState::kFailed, failed->status, now);
  } else {
    ready_ = true;
    SetState(ServerState::kReady);
  }
}

void ServerLoop::EndSession(ServerState state, const absl::Status& status, TimePoint now) {
  if (!session_) return;
  SetState(state, status);  // first, so that who gets an answer sees it
  session_->OnClosed(status);
  while (std::optional<SessionEvent> event = session_->NextEvent()) {
    if (const auto* ended = std::get_if<CallEnded>(&*event)) {
      Refuse(key_of_[ended->call], ended->result.status());
    }
  }
  session_.reset();
  ready_ = false;
  key_of_.clear();
  RefuseAll(status);
  restarts_.OnEnd(now);
  transport_->Close(now);
}

void ServerLoop::WaitForEvents(TimePoint now, bool stops) {
  net::Poller poller;
  poller.Add(waker_->fd(), net::Poller::Interest::kRead);
  std::optional<TimePoint> deadline;
  const auto add = [&deadline](std::optional<TimePoint> at) {
    if (at) deadline = std::min(deadline.value_or(*at), *at);
  };
  if (session_) add(session_->deadline());
  if (transport_ != nullptr) {
    add(transport_->deadline());
    transport_->Watch(poller, !session_ || session_->wants_input());
  } else if (stops) {
    return;
  } else if (is_tried_again()) {
    add(restarts_.next_try());
  }
  if (!deadline || *deadline > now) poller.Wait(deadline);
  if (transport_ != nullptr) transport_->Handle(poller);
}

void ServerLoop::Cancel(uint64_t key) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return;
  const uint64_t call = found->second->call;
  if (session_ && call != 0) session_->CancelCall(call, "the call is not wanted any more");
  key_of_.erase(call);
  requests_.erase(found);
}

void ServerLoop::Refuse(uint64_t key, const absl::Status& status) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return;
  found->second->done(status);
  requests_.erase(found);
}

void ServerLoop::RefuseAll(const absl::Status& status) {
  while (!requests_.empty()) Refuse(requests_.begin()->first, status);
  waiting_.clear();
}

void ServerLoop::SetState(ServerState state, const absl::Status& error) {
  {
    const std::lock_guard lock(mutex_);
    const bool changes = ChangeReport(state, error);
    settled_.notify_all();
    if (!changes) return;
  }
  if (on_change_ != nullptr) on_change_();
}

bool ServerLoop::ChangeReport(ServerState state, const absl::Status& error) {
  trying_ = state == ServerState::kStarting && report_.is_tried_again;
  if (trying_) return false;
  if (report_.state == ServerState::kStarting && state != ServerState::kStarting &&
      report_.startup_time.count() == 0) {
    report_.startup_time = std::chrono::ceil<std::chrono::milliseconds>(net::Now() - started_at_);
  }
  if (state == ServerState::kReady && session_) {
    report_.server_name = session_->server_name();
    report_.server_version = session_->server_version();
    report_.protocol_version = session_->protocol_version();
    report_.instructions = session_->instructions();
    report_.tools = session_->tools();
    report_.has_tools = session_->has_tools();
    report_.has_resources = session_->has_resources();
  }
  if (state == ServerState::kStopped) closed_ = true;
  if (state == ServerState::kStopped && report_.state == ServerState::kFailed) return false;
  const bool changes = report_.state != state;
  report_.state = state;
  report_.error = state == ServerState::kFailed ? redactor_.Redact(error) : absl::OkStatus();
  report_.is_tried_again = state == ServerState::kFailed && !hopeless_ && report_.tools.empty() &&
                           !report_.has_resources;
  return changes;
}

void ServerLoop::AddNotice(std::string text) {
  text = redactor_.Redact(text);
  const std::lock_guard lock(mutex_);
  std::vector<std::string>& notices = report_.notices;
  const bool known = std::find(notices.begin(), notices.end(), text) != notices.end();
  if (!known && notices.size() < kMaxKeptNotices) notices.push_back(std::move(text));
}

std::string ServerLoop::Named(const absl::Status& status) const {
  return absl::StrCat(config_.name, ": ", redactor_.Redact(ToStd(status.message())));
}

}  // namespace cursorwire::mcp
