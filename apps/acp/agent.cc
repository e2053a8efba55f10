#include "acp/agent.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "acp/errors.h"
#include "acp/prompt_blocks.h"
#include "acp/session_servers.h"
#include "common/mcp_config.h"
#include "common/start_thread.h"

namespace cursor_acp {
namespace {

using cursorwire::jsonrpc::PeerCancellation;
using cursorwire::jsonrpc::PeerError;
using cursorwire::jsonrpc::PeerEvent;
using cursorwire::jsonrpc::PeerNotification;
using cursorwire::jsonrpc::PeerRequest;

// An absolute path without `.`, `..`, double slashes and a slash at its end. Symbolic links stay: a
// session belongs to the path that the editor names.
absl::StatusOr<std::string> RequirePath(const Json& params) {
  absl::StatusOr<std::string> cwd = RequireText(params, "cwd");
  if (!cwd.ok()) return cwd.status();
  // A system call would take the text before it for the whole.
  if (cwd->find('\0') != cwd->npos) return absl::InvalidArgumentError("cwd has a NUL");
  const std::filesystem::path path(*cwd);
  if (!path.is_absolute()) return absl::InvalidArgumentError("cwd is no absolute path");
  std::string normal = path.lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

absl::StatusOr<std::string> RequireFolder(const Json& params) {
  absl::StatusOr<std::string> path = RequirePath(params);
  if (!path.ok()) return path.status();
  std::error_code error;
  if (!std::filesystem::is_directory(*path, error)) {
    return absl::InvalidArgumentError("cwd is no folder");
  }
  return path;
}

// Where a page of a list begins; a cursor is the number of sessions before it.
absl::StatusOr<size_t> ReadCursor(const Json& params) {
  const Json& cursor = MemberOf(params, "cursor");
  if (cursor.is_null()) return 0;
  const std::string text = cursor.is_string() ? cursor.get<std::string>() : "";
  size_t start = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), start);
  if (error != std::errc() || rest != text.data() + text.size()) {
    return absl::InvalidArgumentError("cursor is none of this agent");
  }
  return start;
}

Json Listed(const SessionRecord& record) {
  Json session = {{"sessionId", record.id}, {"cwd", record.folder}};
  if (record.updated_ms > 0) session["updatedAt"] = UpdatedAt(record);
  if (!record.title.empty()) session["title"] = record.title;
  return session;
}

absl::Status NoSuchSession(const std::string& id) {
  return absl::NotFoundError("there is no open session " + OneShortLine(id, 64) +
                             ": session/load opens one that was closed");
}

}  // namespace

struct Agent::Method {
  enum class Thread { kHere, kOpener };

  std::string_view name;
  Result (Agent::*serve)(const Json& params, const std::string& id_json);
  Thread thread = Thread::kHere;
};

// Source: schema of version 1, AGENT_METHODS.
const Agent::Method Agent::kMethods[] = {
    {"initialize", &Agent::Initialize},
    {"authenticate", &Agent::Authenticate, Method::Thread::kOpener},
    {"session/new", &Agent::NewSession, Method::Thread::kOpener},
    {"session/load", &Agent::LoadSession, Method::Thread::kOpener},
    {"session/resume", &Agent::ResumeSession, Method::Thread::kOpener},
    {"session/list", &Agent::ListSessions, Method::Thread::kOpener},
    {"session/close", &Agent::CloseSession, Method::Thread::kOpener},
    {"session/delete", &Agent::DeleteSession, Method::Thread::kOpener},
    {"session/prompt", &Agent::Prompt},
    {"session/cancel", &Agent::CancelSession},
    {"session/set_mode", &Agent::SetMode},
    {"session/set_config_option", &Agent::SetConfigOption}};

Agent::Agent(Editor& editor, AgentParts parts)
    : editor_(editor), parts_(std::move(parts)), folder_(parts_.state_folder) {
  models_.emplace(cursorwire::ModelCacheOptions{
      .life = std::chrono::milliseconds(0), .pause = kModelListPause, .wait = kModelListTime});
  opener_.emplace();
}

Agent::~Agent() { Stop(); }

void Agent::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  editor_.StopWaiting();
  if (models_) models_->Stop();  // unless this was called before
  for (const auto& [id, session] : sessions()) session->Cancel();
  opener_.reset();
  // Side by side, since the end of each may take seconds.
  std::vector<std::thread> ends;
  std::map<std::string, std::shared_ptr<Session>> ending_sessions;
  {
    const std::lock_guard lock(mutex_);
    ending_sessions.swap(sessions_);
  }
  ends.reserve(ending_sessions.size());
  for (auto& [id, session] : ending_sessions) {
    const auto end = [&ending = *session] { ending.End(); };
    if (!cursor_apps::StartThread(ends.emplace_back(), end)) {
      ends.pop_back();
      end();
    }
  }
  for (std::thread& end : ends) end.join();
  ending_sessions.clear();  // they use the models
  models_.reset();
}

void Agent::Kill() {
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& session : not_ended_) sessions.push_back(session.lock());
  }
  for (const auto& session : sessions) {
    if (session != nullptr) session->Kill();
  }
}

std::map<std::string, std::shared_ptr<Session>> Agent::sessions() {
  const std::lock_guard lock(mutex_);
  return sessions_;
}

void Agent::OnEvent(const PeerEvent& event) {
  if (const auto* request = std::get_if<PeerRequest>(&event)) return OnRequest(*request);
  if (const auto* cancellation = std::get_if<PeerCancellation>(&event)) {
    return OnCancellation(cancellation->id_json);
  }
  if (const auto* notification = std::get_if<PeerNotification>(&event)) {
    OnNotification(*notification);
  }
}

void Agent::OnRequest(const PeerRequest& request) {
  const auto* const method =
      std::find_if(std::begin(kMethods), std::end(kMethods),
                   [&request](const Method& row) { return row.name == request.method; });
  if (method == std::end(kMethods)) {
    return Respond(request.id_json, absl::UnimplementedError("there is no method " +
                                                             OneShortLine(request.method, 100)));
  }
  if (!initialized_ && method->name != "initialize") {
    return editor_.Respond(request.id_json, PeerError{.code = cursorwire::jsonrpc::kInvalidRequest,
                                                      .message = "initialize must come first"});
  }
  const auto serve = [this, method, id = request.id_json, params = request.params_json] {
    Respond(id, (this->*method->serve)(ParseObject(params), id));
  };
  if (method->thread == Method::Thread::kHere) return serve();
  if (absl::Status added = opener_->Add(serve); !added.ok()) Respond(request.id_json, added);
}

void Agent::Respond(const std::string& id_json, const Result& result) {
  if (!result.ok()) return editor_.Respond(id_json, RequestError(result.status()));
  if (*result) editor_.Respond(id_json, **result);
}

void Agent::OnNotification(const PeerNotification& notification) {
  if (notification.method != "session/cancel") return;
  const auto session = FindSession(ParseObject(notification.params_json));
  if (session.ok()) (*session)->Cancel();
}

void Agent::OnCancellation(const std::string& id_json) {
  for (const auto& [id, session] : sessions()) {
    if (session->CancelPrompt(id_json)) return;
  }
}

Agent::Result Agent::Initialize(const Json& params, const std::string& /*id_json*/) {
  if (!MemberOf(params, "protocolVersion").is_number_integer()) {
    return absl::InvalidArgumentError(
        "protocolVersion is no integer: this is the Agent Client Protocol");
  }
  initialized_ = true;
  const std::lock_guard lock(mutex_);
  abilities_ = ReadAbilities(MemberOf(params, "clientCapabilities"));
  return DescribeAgent();
}

Agent::Result Agent::Authenticate(const Json& params, const std::string& /*id_json*/) {
  const absl::StatusOr<std::string> method = RequireText(params, "methodId");
  if (!method.ok()) return method.status();
  if (*method != kLoginMethod) {
    return absl::InvalidArgumentError(std::string("methodId is not ") + kLoginMethod);
  }
  const absl::StatusOr<cursorwire::Client> client = parts_.connect(nullptr, nullptr);
  if (!client.ok()) return client.status();
  return Json::object();
}

struct Agent::Place {
  std::string folder;
  std::vector<cursorwire::mcp::ServerConfig> servers;
};

absl::StatusOr<Agent::Place> Agent::ReadPlace(const Json& params) const {
  const absl::StatusOr<std::string> folder = RequireFolder(params);
  if (!folder.ok()) return folder.status();
  // Not where the session is: what a launcher runs may depend on where it starts.
  auto servers = ReadSessionServers(MemberOf(params, "mcpServers"), cursor_apps::HomeFolder());
  if (!servers.ok()) return servers.status();
  for (cursorwire::mcp::ServerConfig& server : *servers) server.proxy = parts_.proxy;
  if (parts_.servers) {
    auto of_file = parts_.servers(*folder);
    if (!of_file.ok()) return of_file.status();
    servers = JoinServers(*std::move(servers), *std::move(of_file));
  }
  return Place{*folder, *std::move(servers)};
}

absl::StatusOr<std::shared_ptr<Session>> Agent::Open(Place place, SessionRecord record,
                                                     Session::Start start) {
  record.folder = std::move(place.folder);
  Abilities abilities;
  {
    const std::lock_guard lock(mutex_);
    abilities = abilities_;
  }
  if (absl::Status room = MakeRoom(); !room.ok()) return room;
  if (absl::Status prepared = folder_.Prepare(); !prepared.ok()) return prepared;
  const std::string id = record.id;
  auto session =
      Session::Open({.editor = editor_, .parts = parts_, .folder = folder_, .models = *models_},
                    abilities, std::move(record), std::move(place.servers), start);
  if (!session.ok()) return session.status();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(not_ended_, [](const auto& other) { return other.expired(); });
    not_ended_.emplace_back(*session);
    if (!stopped_) {
      sessions_[id] = *session;
      return session;
    }
  }
  (*session)->End();
  return absl::CancelledError("the program ends");
}

Agent::Result Agent::NewSession(const Json& params, const std::string& id_json) {
  absl::StatusOr<Place> place = ReadPlace(params);
  if (!place.ok()) return place.status();
  const std::string id = folder_.NewId();
  const auto session =
      Open(*std::move(place), {.id = id, .choices = parts_.first_choices}, Session::Start::kNew);
  if (!session.ok()) return session.status();
  Json answer = (*session)->Describe();
  answer["sessionId"] = id;
  editor_.Respond(id_json, answer);
  // Not earlier: an editor drops what is of a session that it does not know.
  (*session)->AnnounceCommands();
  return std::nullopt;
}

Agent::Result Agent::LoadSession(const Json& params, const std::string& id_json) {
  return Reopen(params, id_json, Replays::kYes);
}

Agent::Result Agent::ResumeSession(const Json& params, const std::string& id_json) {
  return Reopen(params, id_json, Replays::kNo);
}

Agent::Result Agent::Reopen(const Json& params, const std::string& id_json, Replays replays) {
  const absl::StatusOr<std::string> id = RequireText(params, "sessionId");
  if (!id.ok()) return id.status();
  absl::StatusOr<SessionRecord> record = folder_.Read(*id);
  if (!record.ok()) return record.status();
  absl::StatusOr<Place> place = ReadPlace(params);
  if (!place.ok()) return place.status();
  EndSession(*id);  // one that is open holds the file
  const auto session = Open(*std::move(place), *std::move(record), Session::Start::kKept);
  if (!session.ok()) return session.status();
  if (replays == Replays::kYes) (*session)->Replay();
  editor_.Respond(id_json, (*session)->Describe());
  (*session)->AnnounceCommands();
  return std::nullopt;
}

Agent::Result Agent::ListSessions(const Json& params, const std::string& /*id_json*/) {
  const absl::StatusOr<size_t> start = ReadCursor(params);
  if (!start.ok()) return start.status();
  std::vector<SessionRecord> records = folder_.List();
  if (!MemberOf(params, "cwd").is_null()) {
    const absl::StatusOr<std::string> cwd = RequirePath(params);
    if (!cwd.ok()) return cwd.status();
    std::erase_if(records, [&cwd](const SessionRecord& record) { return record.folder != *cwd; });
  }
  Json list = Json::array();
  const size_t end = std::min(records.size(), *start + kSessionsOfPage);
  for (size_t i = *start; i < end; ++i) list.push_back(Listed(records[i]));
  Json answer = {{"sessions", std::move(list)}};
  if (end < records.size()) answer["nextCursor"] = std::to_string(end);
  return answer;
}

Agent::Result Agent::CloseSession(const Json& params, const std::string& /*id_json*/) {
  const absl::StatusOr<std::string> id = RequireText(params, "sessionId");
  if (!id.ok()) return id.status();
  if (!EndSession(*id)) return NoSuchSession(*id);
  return Json::object();
}

Agent::Result Agent::DeleteSession(const Json& params, const std::string& /*id_json*/) {
  const absl::StatusOr<std::string> id = RequireText(params, "sessionId");
  if (!id.ok()) return id.status();
  EndSession(*id);
  if (absl::Status deleted = folder_.Delete(*id); !deleted.ok()) return deleted;
  return Json::object();
}

absl::Status Agent::MakeRoom() {
  std::string longest_idle;
  {
    const std::lock_guard lock(mutex_);
    if (sessions_.size() < kMaxOpenSessions) return absl::OkStatus();
    std::optional<std::chrono::steady_clock::time_point> since;
    for (const auto& [id, session] : sessions_) {
      const auto idle = session->idle_since();
      if (!idle || (since && *idle >= *since)) continue;
      since = idle;
      longest_idle = id;
    }
  }
  // A prompt that comes to it in this moment is cancelled, and kept.
  if (EndSession(longest_idle)) return absl::OkStatus();
  return absl::ResourceExhaustedError("too many sessions are open and busy: close some");
}

bool Agent::EndSession(const std::string& id) {
  std::shared_ptr<Session> ending;
  {
    const std::lock_guard lock(mutex_);
    const auto session = sessions_.find(id);
    if (session == sessions_.end()) return false;
    ending = std::move(session->second);
    sessions_.erase(session);
  }
  ending->End();
  return true;
}

absl::StatusOr<std::shared_ptr<Session>> Agent::FindSession(const Json& params) {
  const absl::StatusOr<std::string> id = RequireText(params, "sessionId");
  if (!id.ok()) return id.status();
  const std::lock_guard lock(mutex_);
  const auto session = sessions_.find(*id);
  if (session == sessions_.end()) return NoSuchSession(*id);
  return session->second;
}

Agent::Result Agent::Prompt(const Json& params, const std::string& id_json) {
  const auto session = FindSession(params);
  if (!session.ok()) return session.status();
  absl::StatusOr<PromptContent> content = ReadPromptBlocks(MemberOf(params, "prompt"));
  if (!content.ok()) return content.status();
  absl::Status taken = (*session)->Prompt(id_json, *std::move(content));
  if (!taken.ok()) return taken;
  return std::nullopt;
}

// A notification by the protocol, but some editors wait for an answer.
Agent::Result Agent::CancelSession(const Json& params, const std::string& /*id_json*/) {
  const auto session = FindSession(params);
  if (!session.ok()) return session.status();
  (*session)->Cancel();
  return Json::object();
}

Agent::Result Agent::SetMode(const Json& params, const std::string& /*id_json*/) {
  const auto session = FindSession(params);
  if (!session.ok()) return session.status();
  const absl::StatusOr<std::string> mode = RequireText(params, "modeId");
  if (!mode.ok()) return mode.status();
  if (absl::Status set = (*session)->SetMode(*mode); !set.ok()) return set;
  return Json::object();
}

Agent::Result Agent::SetConfigOption(const Json& params, const std::string& /*id_json*/) {
  const auto session = FindSession(params);
  if (!session.ok()) return session.status();
  const absl::StatusOr<std::string> config_id = RequireText(params, "configId");
  if (!config_id.ok()) return config_id.status();
  const absl::StatusOr<std::string> value = RequireText(params, "value");
  if (!value.ok()) return value.status();
  absl::StatusOr<Json> options = (*session)->SetConfigOption(*config_id, *value);
  if (!options.ok()) return options.status();
  return Json{{"configOptions", *std::move(options)}};
}

}  // namespace cursor_acp
