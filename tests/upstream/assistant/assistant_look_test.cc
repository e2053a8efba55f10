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

TEST(Assistant, FindsADefinitionAndCitesItsLines) {
  const Shown shown(
      "Where is `Foo::Bar` defined?",
      {R"(grep_result { success { workspace_results { key: "/w" value { content {
          matches { file: "src/foo.h" matches { line_number: 12 content: "class Bar {" } }
          matches { file: "z.h" matches { line_number: 1 content: "class Bar;" } } } } } } })",
       R"(read_result { success { path: "/w/src/foo.h" content: "class Bar {\n  int x;\n"
                                range_applied: true } })"});
  ASSERT_EQ(shown.execs().size(), 2u);
  EXPECT_THAT(shown.execs()[0].grep_args().pattern(), HasSubstr("class|struct"));
  EXPECT_EQ(shown.execs()[1].read_args().path(), "src/foo.h");
  EXPECT_EQ(shown.execs()[1].read_args().offset(), 12);
  EXPECT_EQ(shown.text(),
            "I found what looks like the definition of Foo::Bar:\n"
            "- src/foo.h:12: class Bar {\n- z.h:1: class Bar;\n"
            "From line 12 of src/foo.h:\n12: class Bar {\n13:   int x;\n");
}

TEST(Assistant, FindsMentionsWhereThereIsNoDefinition) {
  constexpr char kNothing[] =
      R"(grep_result { success { workspace_results { key: "/w" value { content {} } } } })";
  const Shown mentioned(
      "where is x used?",
      {kNothing, R"(grep_result { success { workspace_results { key: "/w" value { content {
          matches { file: "a" matches { line_number: 1 content: "x" } } } } } } })",
       R"(read_result { file_not_found { path: "a" } })"});
  EXPECT_EQ(mentioned.execs()[1].grep_args().pattern(), "\\bx\\b");
  EXPECT_THAT(mentioned.text(),
              AllOf(HasSubstr("mentions of x:\n- a:1: x"), HasSubstr("There is no file a.")));
  EXPECT_EQ(Shown("where is x used?", {kNothing, kNothing}).text(), "Nothing in . mentions x.\n");
}

TEST(Assistant, SearchesForNamesThatAreNoWords) {
  constexpr char kNothing[] =
      R"(grep_result { success { workspace_results { key: "/w" value { content {} } } } })";
  struct Case {
    const char* prompt;
    const char* pattern;
  };
  constexpr Case kCases[] = {
      {"where is ~Foo used?", "~Foo\\b"},
      {"where is operator== used?", "\\boperator=="},
      {"where is C++ used?", "\\bC\\+\\+"},
      {"where is \u00C4pfel used?", "\u00C4pfel\\b"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.prompt);
    EXPECT_EQ(Shown(c.prompt, {kNothing, kNothing}).execs().at(1).grep_args().pattern(), c.pattern);
  }
}

TEST(Assistant, FindsTheExcerptInAWholeFile) {
  const Shown shown("where is x used?",
                    {R"(grep_result { success {} })",
                     R"(grep_result { success { workspace_results { key: "/w" value { content {
          matches { file: "a" matches { line_number: 3 content: "x" } } } } } } })",
                     R"(read_result { success { content: "1\n2\nx\n4\n" } })"});
  EXPECT_THAT(shown.text(), HasSubstr("From line 3 of a:\n3: x\n4: 4\n"));
}

TEST(Assistant, AnswersALongRunOfSpacesInLinearTime) {
  // The square of it takes minutes.
  const std::string prompt = std::string(1'000'000, ' ') + "x";
  EXPECT_THAT(Shown(prompt, {}).text(), HasSubstr(prompt));
}

TEST(Assistant, ReadsAFile) {
  struct Case {
    const char* result;
    const char* expected;
  };
  constexpr Case kCases[] = {
      {R"(read_result { success { content: "a\nb" total_lines: 2 file_size: 3 } })",
       "notes.txt has 2 lines and 3 bytes. It starts with:\n1: a\n2: b\n"},
      {R"(read_result { success { data: "\377" file_size: 1 } })",
       "notes.txt has 1 byte and is no text.\n"},
      {R"(read_result { file_not_found {} })", "There is no file notes.txt.\n"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.result);
    const Shown shown("What is in notes.txt?", {c.result});
    EXPECT_EQ(shown.execs().at(0).read_args().path(), "notes.txt");
    EXPECT_EQ(shown.text(), c.expected);
  }
}

TEST(Assistant, ListsAFolderThatItTookForAFile) {
  const Shown shown("what is in src/core?",
                    {R"(read_result { invalid_file { reason: "a folder" } })",
                     R"(ls_result { success { directory_tree_root { abs_path: "/w/src/core"
                          children_were_processed: true children_files { name: "a\nb" } } } })"});
  EXPECT_EQ(shown.execs()[1].ls_args().path(), "src/core");
  EXPECT_EQ(shown.text(), "/w/src/core holds 0 folders and 1 file:\n- a?b\n");
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
  EXPECT_EQ(Shown("where is x defined?", {R"(grep_result { error { error: "not here" } })"}).text(),
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
