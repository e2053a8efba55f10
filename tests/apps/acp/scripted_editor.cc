#include "apps/acp/scripted_editor.h"

#include <absl/strings/escaping.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "acp/editor_pipes.h"
#include "support/patience.h"

namespace cursor_acp::test {
namespace {

constexpr int kPatienceMilliseconds =
    std::chrono::duration_cast<std::chrono::milliseconds>(cursorwire::test::kPatience).count();

std::array<int, 2> MakePipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return ends;
}

}  // namespace

ScriptedEditor::ScriptedEditor(Options options) : options_(std::move(options)) {
  auto upstream = cursorwire::LocalUpstream::Start({.scripts = options_.scripts});
  EXPECT_TRUE(upstream.ok()) << upstream.status();
  upstream_ = *std::move(upstream);
  const std::array<int, 2> in = MakePipe();
  const std::array<int, 2> out = MakePipe();
  to_agent_ = in[1];
  from_agent_ = out[0];
  AgentParts parts{
      .connect = [this](auto actions, auto queries) -> absl::StatusOr<cursorwire::Client> {
        if (!options_.login.ok()) return options_.login;
        return cursorwire::Client::Create({.endpoint = upstream_->url(),
                                           .api_endpoint = upstream_->url(),
                                           .token = "any",
                                           .channel = {.tls = {.ca_pem = upstream_->ca_pem()}},
                                           .exec_handler = std::move(actions),
                                           .query_handler = std::move(queries)});
      },
      .make_request = [this](const TurnWish& wish) -> absl::StatusOr<cursorwire::ChatRequest> {
        if (models_are_away) return absl::UnavailableError("no models");
        return cursorwire::ChatRequest{.mode = wish.choices.mode};
      },
      .log = [](const std::string&) {},
      .allow = options_.allow,
      .variables = options_.variables,
      .max_question_time = options_.max_question_time,
      .state_folder = options_.state.empty() ? own_state_.At("acp") : options_.state};
  agent_ = std::thread([parts = std::move(parts), in = in[0], out = out[1]]() mutable {
    Editor editor;
    Agent agent(editor, std::move(parts));
    EXPECT_TRUE(ServeEditor(in, out, editor, agent, {}).ok());
    ::close(in);
    ::close(out);
  });
  if (!options_.initializes) return;
  Ask("initialize", {{"protocolVersion", 1}, {"clientCapabilities", options_.abilities}});
  session_ =
      Ask("session/new", {{"cwd", folder_.path()}, {"mcpServers", Json::array()}})["result"].value(
          "sessionId", "");
  EXPECT_NE(session_, "");
}

ScriptedEditor::~ScriptedEditor() {
  Leave();
  for (const std::string& violation : upstream_->violations()) ADD_FAILURE() << violation;
}

void ScriptedEditor::Leave() {
  if (!agent_.joinable()) return;
  ::close(to_agent_);
  while (!Next().is_null()) {
  }
  agent_.join();
  ::close(from_agent_);
}

void ScriptedEditor::SendLine(const std::string& line) {
  const std::string text = line + "\n";
  ASSERT_EQ(::write(to_agent_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

int ScriptedEditor::Send(const std::string& method, Json params) {
  const int id = next_id_++;
  SendLine(WriteJson(
      {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
  return id;
}

void ScriptedEditor::Notify(const std::string& method, Json params) {
  SendLine(WriteJson({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
}

void ScriptedEditor::Respond(const Json& id, Json result) {
  SendLine(WriteJson({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}));
}

Json ScriptedEditor::Next() {
  for (;;) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      Json message = Json::parse(buffer_.substr(0, end), nullptr, false);
      EXPECT_TRUE(message.is_object()) << buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd event{.fd = from_agent_, .events = POLLIN, .revents = 0};
    if (::poll(&event, 1, kPatienceMilliseconds) <= 0) {
      ADD_FAILURE() << "the agent says nothing";
      return {};
    }
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(from_agent_, bytes.data(), bytes.size());
    if (count <= 0) return {};
    buffer_.append(bytes.data(), static_cast<size_t>(count));
  }
}

void ScriptedEditor::Take(const Json& message) {
  const std::string method = TextOf(message, "method");
  if (method == "session/update") {
    updates_.push_back(message["params"]["update"]);
  } else if (!method.empty() && message.contains("id")) {
    requests_.push_back(message);
    if (on_request) {
      if (const auto result = on_request(method, message["params"])) {
        Respond(message["id"], *result);
      }
    } else if (method == "session/request_permission") {
      Respond(message["id"], {{"outcome", {{"outcome", "selected"}, {"optionId", "allow-once"}}}});
    } else {
      SendLine(WriteJson({{"jsonrpc", "2.0"},
                          {"id", message["id"]},
                          {"error", {{"code", -32601}, {"message", "not offered"}}}}));
    }
  } else if (!method.empty()) {
    requests_.push_back(message);  // a notification beside updates
  }
}

Json ScriptedEditor::AwaitMessage(const std::function<bool(const Json& message)>& fits) {
  for (;;) {
    const Json message = Next();
    if (message.is_null()) {
      ADD_FAILURE() << "the agent is gone";
      return Json::object();
    }
    Take(message);
    if (fits(message)) return message;
  }
}

Json ScriptedEditor::Await(int id) {
  return AwaitMessage([id](const Json& message) {
    return !message.contains("method") && message.value("id", Json()) == id;
  });
}

Json ScriptedEditor::AwaitRequest(const std::string& method) {
  return AwaitMessage(
      [&method](const Json& message) { return TextOf(message, "method") == method; });
}

int ScriptedEditor::SendPrompt(const std::string& text) {
  return Send("session/prompt", {{"sessionId", session_},
                                 {"prompt", Json::array({{{"type", "text"}, {"text", text}}})}});
}

std::vector<Json> ScriptedEditor::UpdatesOf(const std::string& kind) const {
  std::vector<Json> found;
  for (const Json& update : updates_) {
    if (update["sessionUpdate"] == kind) found.push_back(update);
  }
  return found;
}

std::string ScriptedEditor::Said() const {
  std::string said;
  for (const Json& chunk : UpdatesOf("agent_message_chunk")) {
    said += chunk["content"]["text"].get<std::string>();
  }
  return said;
}

void ScriptedEditor::Clear() {
  updates_.clear();
  requests_.clear();
}

std::string ToolBytes(const std::string& argument) {
  const auto field = [](const std::string& value) {
    return std::string("\x0a") + static_cast<char>(value.size()) + value;
  };
  return absl::Base64Escape(field(field(argument)));
}

std::string StartedCall(const std::string& id, const std::string& kind,
                        const std::string& argument) {
  return WriteJson({{"call_id", id}, {"tool_call", {{kind + "_tool_call", ToolBytes(argument)}}}});
}

}  // namespace cursor_acp::test
