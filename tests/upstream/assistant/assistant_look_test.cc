#include "upstream/assistant/assistant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/history/prompt_message.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"
#include "upstream/assistant/assistant_client.h"
#include "upstream/assistant/transcript.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;
using std::chrono::milliseconds;
using test::FromText;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// --- looking

// A client of the assistant that shows a folder: answers each exec with the next of `results`.
class Shown {
 public:
  Shown(const std::string& prompt, std::vector<const char*> results) {
    EXPECT_THAT(client_.Send(FirstMessage(prompt)), IsOk());
    EXPECT_THAT(client_.AnswerAll(), IsOk());
    for (const char* text : results) {
      const pb::ExecServerMessage exec = client_.messages().back().exec_server_message();
      execs_.push_back(exec);
      auto result = FromText<pb::ExecClientMessage>(text);
      result.set_id(exec.id());
      pb::AgentClientMessage message;
      *message.mutable_exec_client_message() = result;
      EXPECT_THAT(client_.Send(message), IsOk());
      message.mutable_exec_client_control_message()->mutable_stream_close()->set_id(exec.id());
      EXPECT_THAT(client_.Send(message), IsOk());
    }
    // What follows are the blobs of the turn.
    EXPECT_THAT(client_.AnswerAll(), IsOk());
    EXPECT_TRUE(client_.assistant().done());
    EXPECT_THAT(client_.assistant().end_status(), IsOk());
  }

  std::string text() const { return client_.Text(); }
  const std::vector<pb::ExecServerMessage>& execs() const { return execs_; }

 private:
  Client client_{milliseconds(0), Client::Execs::kLeave};
  std::vector<pb::ExecServerMessage> execs_;
};

TEST(Assistant, NamesWhatIsInTheFolder) {
  const Shown shown("what is in this folder?", {R"(ls_result { success { directory_tree_root {
      abs_path: "/w" children_were_processed: true
      children_dirs { abs_path: "/w/src" num_files: 1 }
      children_files { name: "a.txt" } children_files { name: "b.txt" } } } })"});
  ASSERT_EQ(shown.execs().size(), 1u);
  EXPECT_EQ(shown.execs()[0].ls_args().path(), ".");
  EXPECT_EQ(shown.text(), "/w holds 1 folder and 2 files:\n- src/ (1 file)\n- a.txt\n- b.txt\n");
}

TEST(Assistant, LooksInTheWorkspaceOfTheClient) {
  Client client(milliseconds(0), Client::Execs::kLeave);
  ASSERT_THAT(client.Send(FirstMessage("list the files", {})), IsOk());
  ASSERT_THAT(client.Send(R"(exec_client_message { id: 1 request_context_result { success {
      request_context { env { workspace_paths: "/home/u/w" } } } } })"),
              IsOk());
  ASSERT_THAT(client.Send("exec_client_control_message { stream_close { id: 1 } }"), IsOk());
  EXPECT_EQ(client.messages().back().exec_server_message().id(), 2u);
  EXPECT_EQ(client.messages().back().exec_server_message().ls_args().path(), "/home/u/w");
}

TEST(Assistant, LooksAtNothingElse) {
  for (const char* prompt :
       {"hello", "this folder is nice", "where is main?", "What did I ask before?", "... ?!"}) {
    SCOPED_TRACE(prompt);
    EXPECT_THAT(Shown(prompt, {}).text(), HasSubstr("You said: "));
  }
}

TEST(Assistant, MakesOneLineOfAName) {
  const Shown shown("List the \"files\".", {R"(ls_result { success { directory_tree_root {
      abs_path: "/w" children_were_processed: true children_files { name: "a\nb" } } } })"});
  EXPECT_EQ(shown.text(), "/w holds 0 folders and 1 file:\n- a?b\n");
}

TEST(Assistant, AnswersALongRunOfSpacesInLinearTime) {
  // The square of it takes minutes.
  const std::string prompt = std::string(1'000'000, ' ') + "x";
  EXPECT_THAT(Shown(prompt, {}).text(), HasSubstr(prompt));
}

TEST(Assistant, SaysThatThereIsMoreInAFolder) {
  const Shown shown("what is in this folder?", {R"(ls_result { success { directory_tree_root {
      abs_path: "/w" num_files: 5000 children_dirs { abs_path: "/w/src" }
      children_files { name: "a.txt" } } } })"});
  EXPECT_EQ(shown.text(),
            "/w holds 5000 files at all depths; the first entries are:\n- src/\n- a.txt\n");
}

TEST(Assistant, SaysThatItWasRefused) {
  const char* const expected = "I wanted to look, but your client said no: not here\n";
  EXPECT_EQ(Shown("what is in this folder?",
                  {R"(ls_result { rejected { path: "." reason: "not here" } })"})
                .text(),
            expected);
  EXPECT_EQ(Shown("Which files are here", {R"(ls_result { error { error: "not here" } })"}).text(),
            expected);
}

TEST(Assistant, RefusesAResultOfAnotherKind) {
  const char* const results[] = {
      "read_result { rejected {} }",
      "ls_result {}",
      "request_context_result { success {} }",
  };
  for (const char* text : results) {
    SCOPED_TRACE(text);
    Client client(milliseconds(0), Client::Execs::kLeave);
    ASSERT_THAT(client.Send(FirstMessage("what is in this folder?")), IsOk());
    ASSERT_THAT(client.AnswerAll(), IsOk());
    pb::AgentClientMessage message;
    *message.mutable_exec_client_message() = FromText<pb::ExecClientMessage>(text);
    message.mutable_exec_client_message()->set_id(2);
    EXPECT_THAT(client.Send(message),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exec")));
  }
}

TEST(Assistant, RemembersWhatWasSaidBefore) {
  const std::vector<std::string> blobs = {kSystemBlob, RulesBlob("Be brief."),
                                          agent::UserMessage(WrapQuery("My name is Ada.")),
                                          agent::AssistantMessage("Hello Ada, nice.")};
  EXPECT_THAT(AnswerTo("What did I say before?", blobs),
              AllOf(HasSubstr("Before that, you said:\n- \"My name is Ada.\", and I answered in 3 "
                              "words\n"),
                    HasSubstr("Your rules are: Be brief.\n")));
}

TEST(Assistant, KnowsTheRulesOfTheRequestContext) {
  Client client(milliseconds(0), Client::Execs::kLeave);
  ASSERT_THAT(client.Send(FirstMessage("p", {})), IsOk());
  ASSERT_THAT(client.Send(R"(exec_client_message { id: 1 request_context_result { success {
      request_context { cloud_rule: "Be kind." } } } })"),
              IsOk());
  ASSERT_THAT(client.Send("exec_client_control_message { stream_close { id: 1 } }"), IsOk());
  EXPECT_THAT(client.Text(), HasSubstr("Your rules are: Be kind.\n"));
}

TEST(Assistant, SeesAttachmentsAndRules) {
  Client client(milliseconds(0), Client::Execs::kLeave);
  pb::AgentClientMessage request = FirstMessage("p", {});
  pb::SelectedContext& context = *request.mutable_run_request()
                                      ->mutable_action()
                                      ->mutable_user_message_action()
                                      ->mutable_user_message()
                                      ->mutable_selected_context();
  pb::SelectedFile& file = *context.add_files();
  file.set_relative_path("src/a.txt");
  file.set_content("12345");
  context.add_folders()->set_relative_path("src");
  ASSERT_THAT(client.Send(request), IsOk());
  ASSERT_THAT(client.Send(R"(exec_client_message { id: 1 request_context_result { success {
      request_context { rules { content: "Be kind." type { global {} } }
                        rules { content: "Be rare." type { manually_attached {} } } } } } })"),
              IsOk());
  ASSERT_THAT(client.Send("exec_client_control_message { stream_close { id: 1 } }"), IsOk());
  EXPECT_THAT(client.Text(), HasSubstr("You attached a file: src/a.txt, 5 bytes.\n"
                                       "You attached a folder: src, with 0 files in it.\n"
                                       "Your rules are: Be kind.\n"));
}

TEST(Assistant, SeesImages) {
  Client client;
  pb::AgentClientMessage request = FirstMessage("p");
  pb::SelectedImage& image = *request.mutable_run_request()
                                  ->mutable_action()
                                  ->mutable_user_message_action()
                                  ->mutable_user_message()
                                  ->mutable_selected_context()
                                  ->add_selected_images();
  image.set_mime_type("image/png");
  image.set_data("12345");
  ASSERT_THAT(client.Send(request), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  EXPECT_THAT(client.Text(), HasSubstr("You showed me an image: image/png, 5 bytes.\n"));
}

}  // namespace
}  // namespace cursorwire::upstream
