// Tools and resources of servers in requests to the gateway.
#include <cursorwire/mcp/servers.h>
#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/gateway_fixture.h"
#include "support/scratch_folder.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const char kEchoed[] = R"({"success":{"content":[{"text":{"text":"echo {\"a\":1}"}}]}})";

// `mcp_result` that refuses with this text in its reason.
std::string Rejected(const std::string& text) {
  return R"({"rejected":{"reason":{"$contains":")" + text + R"("}}})";
}

class McpServersTest : public GatewayFixture {
 protected:
  McpServersTest()
      : servers_(
            std::make_shared<cursorwire::mcp::Servers>(std::vector<cursorwire::mcp::ServerConfig>{
                {.name = "s", .command = CURSORWIRE_FAKE_MCP_SERVER, .folder = "/"}})) {
    servers_->WaitUntilSettled();
  }

  void StartWith(std::vector<Script> scripts, const char* allow,
                 std::shared_ptr<cursorwire::mcp::Servers> servers = nullptr) {
    if (servers == nullptr) servers = servers_;
    cursorwire::LocalUpstreamOptions upstream;
    upstream.scripts = std::move(scripts);
    GatewayOptions options;
    options.documents.allow = *cursor_apps::ParseAllow(allow);
    options.documents.servers = servers;
    if (options.documents.allow.mcp) options.chat.servers = servers;
    Start(std::move(upstream), std::move(options));
  }
  static Script CallsEcho(const std::string& result) {
    return Script()
        .CallTool("s_echo", R"({"a":1})")
        .ExpectToolResult(result)
        .Text("ok")
        .TurnEnded();
  }

  json Ask(const json& body, const std::string& path = "/api/v1/chat/completions") {
    RawClient client(port_);
    client.Send(Post(path, body.dump(), "Connection: close\r\n"));
    return json::parse(BodyOf(client.ReadToEnd()));
  }
  static json Says(const json& more = json::object()) {
    json body = {{"messages", json::array({UserSays("go on")})}};
    body.update(more);
    return body;
  }
  // Answers the question of a streamed request, which it returns.
  json Decide(const json& more, bool approve) {
    json body = Says(more);
    body["stream"] = true;
    RawClient client(port_);
    client.Send(Post("/api/v1/chat/completions", body.dump()));
    client.ReadUntil("event: approval_required\ndata: ");
    json question = json::parse(client.ReadUntil("\n"));
    Ask({{"approve", approve}}, "/api/v1/approvals/" + question["id"].get<std::string>());
    client.ReadUntil("event: done\n");
    return question;
  }
  void ExpectNoViolations(size_t runs) {
    EXPECT_TRUE(upstream_->WaitForRuns(runs, seconds(10)));
    EXPECT_THAT(upstream_->violations(), IsEmpty());
  }

  const std::shared_ptr<cursorwire::mcp::Servers> servers_;
};

TEST_F(McpServersTest, AsksForApprovalOfACall) {
  StartWith(
      {CallsEcho(kEchoed), CallsEcho(Rejected("said no")), CallsEcho(Rejected("cannot be asked"))},
      "read");
  const json question = Decide(json::object(), true);
  EXPECT_EQ(question["toolName"], "mcp_s_echo");
  EXPECT_EQ(question["arguments"],
            json({{"server", "s"}, {"tool", "echo"}, {"arguments", {{"a", 1}}}}));
  Decide(json::object(), false);
  EXPECT_EQ(Ask(Says())["status"], "completed");
  ExpectNoViolations(3);
}

TEST_F(McpServersTest, CallsWhatIsAllowedUnlessTheRequestNarrowsIt) {
  StartWith({CallsEcho(kEchoed), CallsEcho(kEchoed), CallsEcho(kEchoed),
             CallsEcho(Rejected("not enabled")), CallsEcho(Rejected("not enabled"))},
            "mcp");
  EXPECT_EQ(Ask(Says())["status"], "completed");
  EXPECT_EQ(Ask(Says({{"tools", {"mcp_s"}}}))["status"], "completed");
  Decide({{"tools", {{"mcp_s_echo", {{"requireApproval", true}}}}}}, true);
  Ask(Says({{"tools", {"read_file", "mcp_s_env"}}}));
  Ask(Says({{"tools", {{"mcp_s", json::object()}, {"mcp_s_echo", {{"enabled", false}}}}}}));
  ExpectNoViolations(5);
}

TEST_F(McpServersTest, OffersNothingWhereNothingIsDone) {
  const Script looks = CallsEcho(R"({"tool_not_found":{"$any":true}})");
  StartWith({looks, looks}, "mcp");
  EXPECT_EQ(Ask(Says(), "/api/v1/chat/plan")["status"], "completed");
  EXPECT_EQ(Ask(Says({{"mode", "ask"}}))["status"], "completed");
  ExpectNoViolations(2);
}

TEST_F(McpServersTest, GivesResourcesToTheAgent) {
  const auto script = [](const char* result) {
    return Script()
        .Exec(R"({"list_mcp_resources_exec_args":{}})")
        .Expect(R"({"list_mcp_resources_exec_result":{"success":{"resources":
                    {"$contains":{"uri":"fake://notes","server":"s"}}}}})")
        .Exec(R"({"read_mcp_resource_exec_args":{"server":"s","uri":"fake://notes"}})")
        .Expect(std::string(R"({"read_mcp_resource_exec_result":)") + result + "}")
        .Exec(R"({"mcp_state_exec_args":{}})")
        .Expect(R"({"mcp_state_exec_result":{"success":{"servers":[
                    {"server_identifier":"s","status":"ready","tools":{"$any":true}}]}}})")
        .Text("ok")
        .TurnEnded();
  };
  StartWith({script(R"({"success":{"text":"Buy milk."}})"), script(R"({"rejected":{}})")}, "read");
  const json question = Decide(json::object(), true);
  EXPECT_EQ(question["toolName"], "read_mcp_resource");
  EXPECT_EQ(question["arguments"], json({{"server", "s"}, {"uri", "fake://notes"}}));
  EXPECT_EQ(Ask(Says())["status"], "completed");
  ExpectNoViolations(2);
}

TEST_F(McpServersTest, CallsThemBesideFunctionsOfChatRequests) {
  StartWith({Script()
                 .ExpectRequest(R"({"mcp_tools":{"mcp_tools":{"$contains":{"name":"s_echo"}}}})")
                 .CallTool("s_echo", R"({"a":1})")
                 .ExpectToolResult(kEchoed)
                 .CallTool("look")
                 .ExpectToolResult(R"({"success":{"content":[{"text":{"text":"rain"}}]}})")
                 .CallTool("s_echo", R"({"a":1})")
                 .ExpectToolResult(kEchoed)
                 .Text("It rains.")
                 .TurnEnded()},
            "mcp");
  const json tools = {{"tools", {Function("look")}}};
  json messages = json::array({UserSays("weather?")});
  const ChatResult first = AskChat(port_, ChatBody(messages, tools));
  ASSERT_EQ(first.finish_reason(), "tool_calls");
  ASSERT_THAT(first.message()["tool_calls"], SizeIs(1));
  EXPECT_EQ(first.message()["tool_calls"][0]["function"]["name"], "look");
  messages.push_back(first.message());
  messages.push_back({{"role", "tool"},
                      {"tool_call_id", first.message()["tool_calls"][0]["id"]},
                      {"content", "rain"}});
  EXPECT_EQ(AskChat(port_, ChatBody(messages, tools)).text(), "It rains.");
  ExpectNoViolations(1);
}

TEST_F(McpServersTest, OffersThemToChatRequestsThatMayCallAnything) {
  const Script none = Script()
                          .CallTool("s_echo")
                          .ExpectToolResult(R"({"tool_not_found":{"$any":true}})")
                          .Text("ok")
                          .TurnEnded();
  StartWith({none, none}, "mcp");
  const json messages = json::array({UserSays("weather?")});
  const auto ask = [&](const json& choice) {
    return AskChat(port_,
                   ChatBody(messages, {{"tools", {Function("look")}}, {"tool_choice", choice}}));
  };
  EXPECT_EQ(ask("none").text(), "ok");
  EXPECT_EQ(ask({{"type", "function"}, {"function", {{"name", "look"}}}}).text(), "ok");
  ExpectNoViolations(2);
}

TEST_F(McpServersTest, OffersThoseThatComeLate) {
  const cursorwire::test::ScratchFolder folder;
  cursorwire::mcp::ServerConfig late{.name = "s",
                                     .command = CURSORWIRE_FAKE_MCP_SERVER,
                                     .args = {"after", folder.At("there")},
                                     .folder = "/"};
  late.restart_pause = late.longest_restart_pause = std::chrono::milliseconds(1);
  std::promise<void> ready;
  const auto servers = std::make_shared<cursorwire::mcp::Servers>(
      std::vector{late}, [&ready](const cursorwire::mcp::ServerReport& report) {
        if (report.state == cursorwire::mcp::ServerState::kReady) ready.set_value();
      });
  servers->WaitUntilSettled();
  StartWith(
      {CallsEcho(R"({"tool_not_found":{"$any":true}})"), CallsEcho(kEchoed), CallsEcho(kEchoed)},
      "mcp", servers);
  EXPECT_EQ(AskChat(port_, ChatBody(json::array({UserSays("hi")}))).text(), "ok");
  folder.Write("there", "");
  ready.get_future().wait();
  EXPECT_EQ(AskChat(port_, ChatBody(json::array({UserSays("hi")}))).text(), "ok");
  EXPECT_EQ(Ask(Says())["status"], "completed");
  ExpectNoViolations(3);
}

TEST_F(McpServersTest, DoesNotOfferWhatNobodyCanApprove) {
  StartWith({Script()
                 .CallTool("s_echo")
                 .ExpectToolResult(R"({"tool_not_found":{"$any":true}})")
                 .Text("ok")
                 .TurnEnded()},
            "read,ask");
  EXPECT_EQ(AskChat(port_, ChatBody(json::array({UserSays("hi")}))).text(), "ok");
  ExpectNoViolations(1);
}

}  // namespace
}  // namespace cursor_gateway
