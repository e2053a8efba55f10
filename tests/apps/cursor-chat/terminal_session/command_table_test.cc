#include "terminal_session/command_table.h"

#include <cursorwire/conversation.h>
#include <cursorwire/local_upstream.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>

#include "support/scratch_folder.h"
#include "terminal_session/session_state.h"

namespace cursor_chat {
namespace {

using ::testing::HasSubstr;

TEST(ParseCommandLine, TellsCommandsFromPrompts) {
  const struct {
    const char* line;
    const char* name;  // nullptr: a prompt
    const char* argument;
  } cases[] = {
      {"/help", "help", ""},
      {"/model  acme-5 ", "model", "acme-5"},
      {"/system a\nb", "system", "a\nb"},
      {"/what is this", "what", "is this"},
      {"/etc/hosts", nullptr, ""},
      {"/", nullptr, ""},
      {"/ help", nullptr, ""},
      {" /help", nullptr, ""},
      {"/Help", nullptr, ""},
      {"help", nullptr, ""},
      {"exit", "quit", ""},
      {"quit", "quit", ""},
      {"exit \n", "quit", ""},
      {" exit", nullptr, ""},
      {"exit now", nullptr, ""},
      {"exits", nullptr, ""},
      {"Exit", nullptr, ""},
      {"/quit now\nor later", nullptr, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.line);
    const std::optional<CommandLine> line = ParseCommandLine(c.line);
    ASSERT_EQ(line.has_value(), c.name != nullptr);
    if (!line) continue;
    EXPECT_EQ(line->name, c.name);
    EXPECT_EQ(line->argument, c.argument);
  }
}

TEST(CommandHelp, NamesEveryCommandInLinesOf80Columns) {
  const std::string help = CommandHelp();
  for (const SlashCommand& command : Commands()) {
    EXPECT_THAT(help, HasSubstr("  /" + std::string(command.name) + " "));
  }
  size_t columns = 0;
  for (const char c : help) {
    columns = c == '\n' ? 0 : columns + 1;
    EXPECT_LE(columns, 80u);
  }
}

// Commands on a conversation with the local upstream. What they print goes to standard output.
class CommandsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_STATE_HOME", scratch_.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    auto upstream = cursorwire::LocalUpstream::Start();
    ASSERT_TRUE(upstream.ok()) << upstream.status();
    upstream_.emplace(*std::move(upstream));
    auto client = cursorwire::Client::Create({.endpoint = upstream_->url(),
                                              .api_endpoint = upstream_->url(),
                                              .token = "any",
                                              .channel = {.tls = {.ca_pem = upstream_->ca_pem()}}});
    ASSERT_TRUE(client.ok()) << client.status();
    client_.emplace(*std::move(client));
    auto session = Session::Open(Options());
    ASSERT_TRUE(session.ok());
    session_.emplace(*std::move(session));
    ASSERT_TRUE(session_->Load(*client_, cursorwire::UnfinishedTurns::kKeepAsked).ok());
    models_.emplace(*client_, stop_);
    state_ = std::make_unique<SessionState>(SessionState{.options = Options(),
                                                         .client = *client_,
                                                         .output = output_,
                                                         .session = *session_,
                                                         .models = *models_,
                                                         .mode = mode_});
  }
  absl::Status Run(const std::string& line) {
    const std::optional<CommandLine> parsed = ParseCommandLine(line);
    return parsed ? RunCommandLine(*state_, *parsed) : absl::UnknownError("a prompt");
  }
  void Ask(const std::string& prompt) {
    ASSERT_TRUE(session_->conversation().Chat({.prompt = prompt}).Collect().ok());
    ASSERT_TRUE(session_->Save().ok());
  }
  size_t turns() { return session_->conversation().history().size(); }

  const cursorwire::test::ScratchFolder scratch_;
  std::optional<cursorwire::LocalUpstream> upstream_;
  std::optional<cursorwire::Client> client_;
  Output output_;
  std::optional<Session> session_;
  TurnStop stop_;
  std::optional<KnownModels> models_;
  std::atomic<cursorwire::AgentMode> mode_ = cursorwire::AgentMode::kAgent;
  std::unique_ptr<SessionState> state_;
};

TEST_F(CommandsTest, EndsTheWaitForTheModelsAtCtrlC) {
  const TurnStop::Busy busy(stop_);
  EXPECT_TRUE(stop_.OnInterrupt());
  EXPECT_EQ(Run("/model").code(), absl::StatusCode::kCancelled);
}

TEST_F(CommandsTest, SuggestsACommand) {
  const absl::Status status = Run("/modle");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "there is no command /modle; did you mean /model?");
  EXPECT_EQ(Run("/xyz").message(), "there is no command /xyz; /help lists them");
}

TEST_F(CommandsTest, NamesWhatOtherProgramsCallDifferently) {
  const struct {
    const char* line;
    const char* ours;
  } cases[] = {{"/exit", "/quit"},    {"/clear", "/new"},
               {"/compact", "/new"},  {"/login", "cursor-chat login"},
               {"/models", "/model"}, {"/sessions", "/resume"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.line);
    const absl::Status status = Run(c.line);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("there is no command " + std::string(c.line) + "; "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.ours));
  }
  EXPECT_FALSE(state_->leaves);
  EXPECT_TRUE(Run("exit").ok());
  EXPECT_TRUE(state_->leaves);
}

TEST_F(CommandsTest, ChangeTheNextTurn) {
  EXPECT_TRUE(Run("/help").ok());
  EXPECT_TRUE(Run("/model").ok());
  EXPECT_TRUE(Run("/model acme-5.5").ok());
  EXPECT_EQ(state_->options.model, "acme-5.5");
  EXPECT_EQ(Run("/model none-of-these").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(state_->options.model, "acme-5.5");
  EXPECT_TRUE(Run("/effort").ok());
  EXPECT_TRUE(Run("/effort high").ok());
  EXPECT_EQ(state_->options.effort, "high");
  EXPECT_FALSE(Run("/effort enormous").ok());
  EXPECT_TRUE(Run("/effort default").ok());
  EXPECT_EQ(state_->options.effort, "");
  EXPECT_TRUE(Run("/mode plan").ok());
  EXPECT_EQ(state_->options.mode, cursorwire::AgentMode::kPlan);
  EXPECT_EQ(mode_.load(), cursorwire::AgentMode::kPlan);
  EXPECT_FALSE(Run("/mode fast").ok());
  EXPECT_TRUE(Run("/system Be brief.").ok());
  EXPECT_EQ(state_->options.system, "Be brief.");
  EXPECT_TRUE(Run("/system -").ok());
  EXPECT_EQ(state_->options.system, "");
  EXPECT_FALSE(Run("/image").ok());
  EXPECT_FALSE(Run("/image none.png").ok());
  EXPECT_TRUE(Run("/usage").ok());
  EXPECT_TRUE(Run("/quit").ok());
  EXPECT_TRUE(state_->leaves);
}

TEST_F(CommandsTest, TellOfThePlanWhereSomebodyDoes) {
  state_->plan_usage = [] { return absl::UnavailableError("no plan"); };
  EXPECT_EQ(Run("/usage").message(), "no plan");
}

TEST_F(CommandsTest, TakeTurnsBackAndKeepTheRest) {
  const std::string file = scratch_.path() + "/a.session";
  EXPECT_EQ(Run("/undo").code(), absl::StatusCode::kFailedPrecondition);
  Ask("one");
  EXPECT_TRUE(Run("/save " + file).ok());
  EXPECT_TRUE(Run("/save").ok());
  Ask("two");
  EXPECT_TRUE(Run("/undo").ok());
  EXPECT_EQ(turns(), 1u);
  Ask("three");
  EXPECT_TRUE(Run("/new").ok());
  EXPECT_EQ(turns(), 0u);
  EXPECT_EQ(session_->path(), "");
  EXPECT_EQ(Run("/save " + file).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(Run("/resume " + file).ok());
  ASSERT_EQ(turns(), 2u);
  EXPECT_EQ(session_->conversation().history()[1].prompt, "three");
  EXPECT_TRUE(Run("/resume " + file).ok());
}

TEST_F(CommandsTest, ResumeByNumber) {
  EXPECT_TRUE(Run("/resume").ok());
  EXPECT_FALSE(Run("/resume 1").ok());
  Ask("kept");
  EXPECT_TRUE(Run("/save").ok());
  EXPECT_THAT(session_->path(), HasSubstr("/cursorwire/sessions/"));
  EXPECT_TRUE(Run("/new").ok());
  EXPECT_TRUE(Run("/resume").ok());
  EXPECT_TRUE(Run("/resume 1").ok());
  EXPECT_EQ(turns(), 1u);
  EXPECT_FALSE(Run("/resume 2").ok());
  EXPECT_EQ(Run("/resume none.session").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(turns(), 1u);
}

}  // namespace
}  // namespace cursor_chat
