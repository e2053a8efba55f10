#include "cursorwire/collab/room_agent.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "base/url.h"
#include "collab/live/room_link.h"
#include "collab/live/system_random.h"
#include "collab/oct/login_client.h"
#include "collab/oct/login_server.h"
#include "collab/oct/room_cipher.h"
#include "collab/oct/room_session.h"
#include "collab/room_agent/line_tools.h"
#include "collab/room_agent/room_agent_session.h"
#include "collab/socket/event_loop.h"
#include "crdt/yjs/document.h"
#include "cursorwire/connect/redactor.h"
#include "cursorwire/connect/version.h"
#include "json/json_member.h"
#include "net/thread.h"

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// For the server to end the session after we have said good-bye; the second one where edits may be
// on their way.
constexpr milliseconds kLeaveTimeout{1000};
constexpr milliseconds kArrivalTimeout{30'000};
constexpr size_t kNonceBytes = 16;
constexpr char kLeft[] = "left";

uint64_t NewClientId() {
  std::random_device random;
  uint32_t id = 0;
  while (id == 0) id = random();
  return id;
}

room_agent::SessionOptions SessionOptionsOf(const RoomAgentOptions& options) {
  return {.name = options.name,
          .mode = options.answer == RoomAnswer::kTools ? room_agent::Mode::kTools
                                                       : room_agent::Mode::kRegions,
          .max_calls = options.max_calls,
          .timeout = options.run_timeout,
          .max_queue = options.max_waiting_prompts,
          .remove_prompt = options.remove_prompts,
          .report_to_chat = options.report_to_chat,
          .new_nonce = [] { return absl::BytesToHexString(SystemRandom(kNonceBytes)); }};
}

oct::LoginOptions LoginOptionsOf(const RoomAgentOptions& options) {
  return {.server = options.server,
          .allow_plaintext = options.allow_plaintext,
          .room = options.room,
          .name = options.name,
          .email = options.email,
          .mode = options.login == RoomLogin::kAuto ? oct::LoginMode::kAuto : oct::LoginMode::kUrl,
          .login_timeout = options.login_timeout,
          .join_timeout = options.join_timeout,
          .ca_pem = options.tls.ca_pem};
}

std::vector<RoomTool> RoomTools() {
  std::vector<RoomTool> tools;
  for (const room_agent::ToolDefinition& tool : room_agent::LineToolDefinitions()) {
    tools.push_back({.name = std::string(tool.name),
                     .description = std::string(tool.description),
                     .input_schema = tool.schema.dump()});
  }
  return tools;
}

// Who takes what a model says.
class RunOwner {
 public:
  virtual ~RunOwner() = default;
  virtual void CallTool(uint64_t run, const std::string& name, const std::string& arguments_json,
                        RoomRun::Reply reply) = 0;
  virtual void Finish(uint64_t run, const absl::Status& status, std::string words) = 0;
};

// The way from any thread into an agent, as long as it is there.
struct Gate {
  std::mutex mutex;
  EventLoop* loop = nullptr;  // guarded by mutex, as the next
  RunOwner* owner = nullptr;  // nullptr: it has ended
};

}  // namespace

class RoomRun::State {
 public:
  State(std::shared_ptr<Gate> gate, uint64_t id) : gate_(std::move(gate)), id_(id) {}

  // Calls it on the agent's thread, with the agent and the id.
  template <typename Work>
  void Post(Work work) const {
    const std::lock_guard lock(gate_->mutex);
    if (gate_->owner == nullptr) return;
    gate_->loop->Post(
        [owner = gate_->owner, id = id_, work = std::move(work)]() mutable { work(*owner, id); });
  }

 private:
  const std::shared_ptr<Gate> gate_;
  const uint64_t id_;
};

// All but what is said otherwise is of the agent's thread.
class RoomAgent::Impl final : private RoomLinkUser, private RunOwner {
 public:
  Impl(RoomAgentOptions options, const Url& server, std::shared_ptr<const connect::TlsContext> tls,
       RoomModel& model);
  ~Impl() override;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  absl::Status Start();
  // Any thread.
  void Stop();
  void Leave();

 private:
  // What begins when we are let in.
  struct Room {
    Room(Impl& impl, const oct::RoomAccess& access, std::unique_ptr<oct::RoomCipher> its_cipher);

    std::unique_ptr<oct::RoomCipher> cipher;
    yjs::Document document{NewClientId(), NewClientId};
    oct::RoomSession session;
    room_agent::RoomAgentSession agent;
    RoomLink link;
  };

  void Run();
  absl::Status Enter();
  absl::StatusOr<oct::RoomAccess> LogIn();
  void Tell(RoomEvent event) { options_.on_event(std::move(event)); }

  void OnConnected(size_t max_message_bytes) override;
  void OnMessage(std::string_view bytes) override;
  void OnLost(const absl::Status& why) override;
  void OnEnded(const absl::Status& status) override;
  void CallTool(uint64_t run, const std::string& name, const std::string& arguments_json,
                RoomRun::Reply reply) override;
  void Finish(uint64_t run, const absl::Status& status, std::string words) override;

  void OnTimer();
  void BeginLeaving(milliseconds patience);
  void SayGoodBye();
  void EndLeaving();
  bool may_lack_edits() { return room_->session.may_lack_updates(steady_clock::now()); }
  // Does what the sessions say, until they say nothing more.
  void Work();
  bool TakeRoomEvent();
  bool TakeAgentEvent();
  void SendMessages();
  void Take(const oct::Joined& event);
  void Take(const oct::DocumentChanged& event);
  void Take(const oct::Synced& event);
  void Take(const oct::ActiveFile& event);
  void Take(const oct::PermissionsChanged& event);
  void Take(const oct::PeerJoined& event);
  void Take(const oct::PeerLeft& event);
  void Take(const oct::RoomClosed& event);
  void Take(const oct::MessageRefused& event);
  void Take(const oct::Failed& event);
  // What the agent tells as it is.
  template <typename Event>
  void Take(Event& event) {
    Tell(std::move(event));
  }
  void Take(room_agent::Ask& event);
  void Take(room_agent::CancelAsk& event);
  void Take(room_agent::ToolAnswer& event);
  void Take(room_agent::SendUpdate& event);
  void Take(room_agent::Report& event);
  void Take(room_agent::ShowCaret& event);
  void Warn(const absl::Status& status);
  void End(const RoomEnded& ended);

  const RoomAgentOptions options_;
  const std::shared_ptr<const connect::TlsContext> tls_;
  RoomModel& model_;
  EventLoop loop_;
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::stop_source login_stop_;
  std::atomic<bool> stopped_ = false;
  Timer timer_;
  Timer leave_timer_;
  const std::string socket_url_;
  std::string room_id_;
  std::unique_ptr<Room> room_;
  connect::Redactor redactor_;                     // knows our tokens, which a server may repeat
  std::map<std::string, RoomRun::Reply> replies_;  // by the number of the call
  uint64_t last_call_ = 0;
  bool is_connected_ = false;
  bool is_heard_ = false;  // somebody, over this connection
  bool leaving_ = false;
  std::optional<steady_clock::time_point> leave_until_;
  absl::Status unsent_;  // of the first edit that is too long for the server
  std::optional<RoomEnded> ended_;
  std::thread thread_;
};

RoomAgent::Impl::Room::Room(Impl& impl, const oct::RoomAccess& access,
                            std::unique_ptr<oct::RoomCipher> its_cipher)
    : cipher(std::move(its_cipher)),
      session(document, *cipher, {.host_id = access.host.id}),
      agent(document, SessionOptionsOf(impl.options_)),
      link(impl.loop_,
           {.url = impl.socket_url_,
            .allow_plaintext = impl.options_.allow_plaintext,
            .tls = impl.tls_,
            .headers = {{"x-oct-jwt", access.room_token},
                        {"x-oct-public-key", cipher->public_key()},
                        {"x-oct-client", absl::StrCat("cursorwire/", ToAbsl(connect::Version()))},
                        {"x-oct-compression", "none"}}},
           impl) {}

RoomAgent::Impl::Impl(RoomAgentOptions options, const Url& server,
                      std::shared_ptr<const connect::TlsContext> tls, RoomModel& model)
    : options_(std::move(options)),
      tls_(std::move(tls)),
      model_(model),
      timer_(loop_, [this] { OnTimer(); }),
      leave_timer_(loop_, [this] { EndLeaving(); }),
      socket_url_(oct::RoomSocketUrl(server)) {
  gate_->loop = &loop_;
  gate_->owner = this;
}

RoomAgent::Impl::~Impl() {
  login_stop_.request_stop();
  stopped_ = true;
  loop_.Stop();
  if (thread_.joinable()) thread_.join();
}

absl::Status RoomAgent::Impl::Start() {
  return net::StartThread(thread_, [this] { Run(); }) ? absl::OkStatus() : net::NoThreadError();
}

void RoomAgent::Impl::Stop() {
  stopped_ = true;
  login_stop_.request_stop();
  loop_.Post([this] { BeginLeaving(kLeaveTimeout); });
}

void RoomAgent::Impl::Leave() {
  stopped_ = true;
  login_stop_.request_stop();
  loop_.Post([this] { BeginLeaving(kArrivalTimeout); });
}

void RoomAgent::Impl::Run() {
  const absl::Status entered = Enter();
  if (stopped_) {
    ended_ = RoomEnded{.status = absl::OkStatus(), .reason = kLeft};
  } else if (!entered.ok()) {
    ended_ = RoomEnded{.status = entered};
  } else {
    room_->link.Start();
    loop_.Run();
  }
  {
    const std::lock_guard lock(gate_->mutex);
    gate_->owner = nullptr;
  }
  replies_.clear();
  if (ended_) Tell(*std::move(ended_));
}

absl::Status RoomAgent::Impl::Enter() {
  const absl::StatusOr<oct::RoomAccess> access = LogIn();
  if (!access.ok()) return access.status();
  // Takes up to some seconds, in which nobody could answer a server.
  auto cipher = oct::RoomCipher::Create(oct::RoomCipher::kOwnRsaBits, oct::FillFromOpenSsl,
                                        login_stop_.get_token());
  if (!cipher.ok()) return cipher.status();
  redactor_ = connect::Redactor({access->room_token, access->login_token});
  room_id_ = access->room_id;
  room_ = std::make_unique<Room>(*this, *access, *std::move(cipher));
  return absl::OkStatus();
}

absl::StatusOr<oct::RoomAccess> RoomAgent::Impl::LogIn() {
  const auto on_event = [this](const oct::LoginEvent& event) {
    if (const auto* page = std::get_if<oct::LoginPage>(&event)) Tell(RoomLoginAsked{page->url});
    if (const auto* status = std::get_if<oct::JoinStatus>(&event)) {
      Tell(RoomStatus{.code = status->code, .message = status->message});
    }
  };
  return oct::JoinRoom(LoginOptionsOf(options_), on_event, login_stop_.get_token());
}

// --- from the connection

void RoomAgent::Impl::OnConnected(size_t max_message_bytes) {
  is_connected_ = true;
  room_->session.OnConnected(steady_clock::now(), max_message_bytes);
  Work();
  if (leaving_) SayGoodBye();
}

void RoomAgent::Impl::OnMessage(std::string_view bytes) {
  is_heard_ = true;
  room_->session.OnMessage(bytes, steady_clock::now());
  Work();
  if (leaving_ && !ended_) SayGoodBye();
}

void RoomAgent::Impl::OnLost(const absl::Status& why) {
  is_connected_ = is_heard_ = false;
  room_->session.OnDisconnected();
  Tell(RoomStatus{.code = "ConnectionLost", .message = redactor_.Redact(ToStd(why.message()))});
  Work();
}

void RoomAgent::Impl::OnEnded(const absl::Status& status) {
  // A server that answers our good-bye has read all. One that does not know us any more ends the
  // session as soon as we are connected.
  if (leaving_ && is_heard_ && status.ok()) return End({.status = unsent_, .reason = kLeft});
  if (leaving_ || (status.ok() && may_lack_edits())) return EndLeaving();
  End({.status = status, .reason = status.ok() ? "the server has ended the session" : ""});
}

// --- from the model

void RoomAgent::Impl::CallTool(uint64_t run, const std::string& name,
                               const std::string& arguments_json, RoomRun::Reply reply) {
  std::string call = std::to_string(++last_call_);
  replies_.emplace(call, std::move(reply));
  room_->agent.OnToolCall(run, std::move(call), name, ParseObject(arguments_json),
                          steady_clock::now());
  Work();
}

void RoomAgent::Impl::Finish(uint64_t run, const absl::Status& status, std::string words) {
  room_->agent.OnAnswered(run, status, std::move(words), steady_clock::now());
  Work();
}

// --- work

void RoomAgent::Impl::OnTimer() {
  const auto now = steady_clock::now();
  room_->session.OnDeadline(now);
  room_->agent.OnDeadline(now);
  Work();
}

void RoomAgent::Impl::BeginLeaving(milliseconds patience) {
  if (ended_) return;
  const bool is_first = !std::exchange(leaving_, true);
  if (is_first) {
    room_->agent.OnClosed(steady_clock::now());
    Work();
    if (ended_) return;
  }
  if (!may_lack_edits()) patience = std::min(patience, kLeaveTimeout);
  const auto until = steady_clock::now() + patience;
  leave_until_ = std::min(leave_until_.value_or(until), until);
  leave_timer_.SetDeadline(leave_until_);
  if (is_first && is_connected_) SayGoodBye();
}

// Where edits may be missing, a good-bye proves nothing before we are known to be in the room.
void RoomAgent::Impl::SayGoodBye() {
  if (!is_heard_ && may_lack_edits()) return;
  room_->session.Leave(steady_clock::now());
  Work();
}

void RoomAgent::Impl::EndLeaving() {
  if (may_lack_edits()) {
    return End({.status = absl::UnavailableError(
                    "the server has not said that it has got the last edits: the room may lack "
                    "them, as a whole or in part")});
  }
  End({.status = unsent_, .reason = kLeft});
}

void RoomAgent::Impl::Work() {
  // Once it is told to stop, Leave() goes on: no further run begins.
  while (!ended_ && (leaving_ || !stopped_) && (TakeRoomEvent() || TakeAgentEvent())) {
  }
  SendMessages();
  if (ended_) return;
  const auto room = room_->session.deadline();
  const auto agent = room_->agent.deadline();
  timer_.SetDeadline(room && agent ? std::min(room, agent) : room ? room : agent);
}

void RoomAgent::Impl::SendMessages() {
  while (auto message = room_->session.TakeMessage()) {
    const absl::Status sent = room_->link.Send(*std::move(message));
    if (!sent.ok() && !ended_) Warn(sent);
  }
}

bool RoomAgent::Impl::TakeRoomEvent() {
  const std::optional<oct::RoomEvent> event = room_->session.TakeEvent();
  if (!event) return false;
  std::visit([this](const auto& it) { Take(it); }, *event);
  return true;
}

bool RoomAgent::Impl::TakeAgentEvent() {
  std::optional<room_agent::SessionEvent> event = room_->agent.TakeEvent();
  if (!event) return false;
  std::visit([this](auto& it) { Take(it); }, *event);
  return true;
}

void RoomAgent::Impl::Take(const oct::Joined& event) {
  room_->agent.SetName(event.name);
  Tell(RoomJoined{.room = room_id_,
                  .peer_id = event.peer_id,
                  .name = event.name,
                  .host_name = event.host_name});
}

void RoomAgent::Impl::Take(const oct::DocumentChanged& /*event*/) {
  room_->agent.OnDocumentChanged(steady_clock::now());
}

void RoomAgent::Impl::Take(const oct::Synced& /*event*/) {
  room_->agent.OnSynced(steady_clock::now());
}

void RoomAgent::Impl::Take(const oct::ActiveFile& event) {
  room_->agent.OnActiveFile(event.path, steady_clock::now());
}

void RoomAgent::Impl::Take(const oct::PermissionsChanged& event) {
  room_->agent.OnReadOnly(event.read_only, steady_clock::now());
}

void RoomAgent::Impl::Take(const oct::PeerJoined& /*event*/) {}
void RoomAgent::Impl::Take(const oct::PeerLeft& /*event*/) {}

void RoomAgent::Impl::Take(const oct::RoomClosed& event) {
  if (leaving_) return EndLeaving();
  End({.status = absl::OkStatus(), .reason = event.reason});
}

void RoomAgent::Impl::Take(const oct::MessageRefused& event) { Warn(event.status); }
void RoomAgent::Impl::Take(const oct::Failed& event) { End({.status = event.status}); }

void RoomAgent::Impl::Take(room_agent::Ask& event) {
  if (leaving_) return;
  RoomQuestion question{
      .id = event.id, .system = std::move(event.system), .prompt = std::move(event.user)};
  if (event.with_tools) question.tools = RoomTools();
  model_.Ask(std::move(question), RoomRun(std::make_shared<RoomRun::State>(gate_, event.id)));
}

void RoomAgent::Impl::Take(room_agent::CancelAsk& event) { model_.Cancel(event.id); }

void RoomAgent::Impl::Take(room_agent::ToolAnswer& event) {
  const auto reply = replies_.find(event.call_id);
  if (reply == replies_.end()) return;
  const RoomRun::Reply call = std::move(reply->second);
  replies_.erase(reply);
  if (call) call(std::move(event.text), event.is_error);
}

// The session tells what it cannot send.
void RoomAgent::Impl::Take(room_agent::SendUpdate& event) {
  unsent_.Update(room_->session.SendUpdate(event.update, steady_clock::now()));
}

void RoomAgent::Impl::Take(room_agent::Report& event) { (void)room_->session.SendChat(event.text); }

void RoomAgent::Impl::Take(room_agent::ShowCaret& event) {
  room_->session.SetCaret({.path = std::move(event.path), .position = std::move(event.position)},
                          steady_clock::now());
}

void RoomAgent::Impl::Warn(const absl::Status& status) {
  Tell(RoomWarning{redactor_.Redact(status)});
}

void RoomAgent::Impl::End(const RoomEnded& ended) {
  if (ended_) return;
  room_->agent.OnClosed(steady_clock::now());
  while (TakeAgentEvent()) {
  }
  ended_ =
      RoomEnded{.status = redactor_.Redact(ended.status), .reason = redactor_.Redact(ended.reason)};
  timer_.SetDeadline(std::nullopt);
  leave_timer_.SetDeadline(std::nullopt);
  room_->link.Stop([this] { loop_.Stop(); });
}

// --- what the header has

RoomRun::RoomRun(std::shared_ptr<State> state) : state_(std::move(state)) {}

void RoomRun::CallTool(std::string_view name, std::string_view arguments_json, Reply reply) const {
  state_->Post([name = std::string(name), arguments = std::string(arguments_json),
                reply = std::move(reply)](RunOwner& owner, uint64_t id) mutable {
    owner.CallTool(id, name, arguments, std::move(reply));
  });
}

void RoomRun::Finish(absl::Status status, std::string words) const {
  state_->Post(
      [status = std::move(status), words = std::move(words)](RunOwner& owner, uint64_t id) mutable {
        owner.Finish(id, status, std::move(words));
      });
}

absl::StatusOr<std::unique_ptr<RoomAgent>> RoomAgent::Start(RoomAgentOptions options,
                                                            RoomModel& model) {
  absl::Status checked = oct::CheckLoginOptions(LoginOptionsOf(options));
  if (!checked.ok()) return checked;
  const absl::StatusOr<Url> server = oct::ParseLoginServer(options.server, options.allow_plaintext);
  if (!server.ok()) return server.status();
  absl::StatusOr<std::shared_ptr<const connect::TlsContext>> tls =
      connect::TlsContext::Create(options.tls);
  if (!tls.ok()) return tls.status();
  auto impl = std::make_unique<Impl>(std::move(options), *server, *std::move(tls), model);
  absl::Status started = impl->Start();
  if (!started.ok()) return started;
  return std::unique_ptr<RoomAgent>(new RoomAgent(std::move(impl)));
}

RoomAgent::RoomAgent(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RoomAgent::~RoomAgent() = default;

void RoomAgent::Stop() { impl_->Stop(); }
void RoomAgent::Leave() { impl_->Leave(); }

}  // namespace cursorwire::collab
