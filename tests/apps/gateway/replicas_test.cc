#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/gateway_process.h"
#include "apps/gateway/postgres_server.h"
#include "apps/gateway/replica.h"
#include "random_text.h"
#include "state/sql_database.h"
#include "state/state_store.h"
#include "support/scratch_folder.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Gateways that share a folder, before one service.
class ReplicasTest : public ::testing::Test {
 protected:
  void Serve(std::vector<Script> scripts) {
    auto started = cursorwire::LocalUpstream::Start({.scripts = std::move(scripts)});
    ASSERT_TRUE(started.ok()) << started.status();
    upstream_ = *std::move(started);
    std::ofstream(folder_.At("ca.pem")) << upstream_->ca_pem();
  }
  std::string StateFolder() const { return folder_.At("state"); }
  void Start(Replica& replica, ApiKeys keys = {}) {
    GatewayOptions options{.keys = std::move(keys)};
    auto opened = OpenState(place_, replica.Clocks());
    ASSERT_TRUE(opened.ok()) << opened.status();
    options.state = std::move(opened->store);
    replica.StartBefore(*upstream_, std::move(options));
  }
  std::unique_ptr<GatewayProcess> StartProgram() {
    return std::make_unique<GatewayProcess>(
        std::vector<std::string>{"--endpoint", upstream_->url(), "--api-endpoint", upstream_->url(),
                                 "--cacert", folder_.At("ca.pem"), "--state", place_});
  }

  // The state of a gateway is behind its last answer: waits until all of it is written.
  static void AwaitWritten(Replica& replica) {
    std::promise<void> written;
    replica.thread_.Do([&] { replica.gateway_->WhenWritten([&written] { written.set_value(); }); });
    EXPECT_EQ(written.get_future().wait_for(seconds(10)), std::future_status::ready);
  }
  // The state has answered all that a gateway asked it, while a turn goes on.
  static void AwaitAnswers(Replica& replica) {
    const json body = {
        {"model", "some-model"}, {"input", "one"}, {"previous_response_id", "resp_nobody"}};
    std::string answer;
    do {
      RawClient client(replica.port_);
      client.Send(Post("/v1/responses", body.dump()));
      answer = client.ReadResponse();
    } while (answer.find("state_unavailable") != std::string::npos);
    EXPECT_THAT(answer, HasSubstr("previous_response_not_found"));
  }
  // The state, by a connection of its own.
  SqlDatabase& Database() {
    if (database_ == nullptr) database_ = MakeSqliteDatabase(StateFolder());
    const auto connected = database_->Connect();
    EXPECT_TRUE(connected.ok()) << connected.status();
    return *database_;
  }
  // A number out of the state; 0: there is none.
  int64_t Count(const std::string& query) {
    const auto rows = Database().Run(query, {});
    if (!rows.ok() || rows->empty()) return 0;
    const auto* number = std::get_if<int64_t>(rows->front().data());
    return number == nullptr ? 0 : *number;
  }
  // Looks until that is as large.
  void Await(const std::string& query, int64_t least) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      if (Count(query) >= least) return;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "the state was not written";
  }
  // Puts another value in the place of those of a kind.
  void Overwrite(StateKind kind, const std::string& value) {
    const auto done = Database().Run("UPDATE cursor_gateway_entries SET value = $1 WHERE kind = $2",
                                     {value, static_cast<int64_t>(kind)});
    EXPECT_TRUE(done.ok()) << done.status();
  }
  // Puts something else in the place of the database. First each gateway must have written: one
  // that finds no file makes it anew.
  void Damage() {
    for (const auto& file : std::filesystem::directory_iterator(StateFolder())) {
      std::filesystem::remove(file.path());
    }
    std::ofstream(StateFolder() + "/state.sqlite3") << std::string(8192, 'x');
  }
  void AwaitEntries(int64_t count) { Await("SELECT COUNT(*) FROM cursor_gateway_entries", count); }
  static std::string Metric(uint16_t port, const std::string& name) {
    RawClient client(port);
    client.Send(Get("/metrics"));
    const std::string text = client.ReadResponse();
    const std::string start = "\ncursor_gateway_" + name + " ";
    const size_t at = text.find(start);
    if (at == std::string::npos) return "";
    return text.substr(at + start.size(), text.find('\n', at + 1) - at - start.size());
  }
  void ExpectNoViolations(size_t runs) {
    EXPECT_TRUE(upstream_->WaitForRuns(runs, seconds(10)));
    EXPECT_THAT(upstream_->violations(), IsEmpty());
  }

  cursorwire::test::ScratchFolder folder_;
  std::string place_ = StateFolder();  // of the state
  std::unique_ptr<SqlDatabase> database_;
  std::optional<cursorwire::LocalUpstream> upstream_;
};

// --- conversations of chat completions

Script FirstTurn() {
  return Script()
      .WhenPrompt(R"("one")")
      .Text("a")
      .TurnEnded()
      .CheckpointBytes(std::string("\x50\x01"));
}
// Goes on with the service's own state of the first turn.
Script HotTurn() {
  return Script()
      .WhenPrompt(R"("two")")
      .ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})")
      .Text("b")
      .TurnEnded();
}
// Is built anew from the messages.
Script ColdTurn() {
  return Script()
      .WhenPrompt(R"("two")")
      .ExpectRequest(R"({"conversation_state": {"$as": {"ConversationStateStructure":
          {"root_prompt_messages_json": {"$size": 3}, "turns": {"$size": 1}}}}})")
      .Text("b")
      .TurnEnded();
}
json First() { return ChatBody(json::array({UserSays("one")})); }
json Second() {
  return ChatBody(json::array({UserSays("one"), AssistantSaid("a"), UserSays("two")}));
}

TEST_F(ReplicasTest, GoOnFromTheStateOfEachOther) {
  Serve({FirstTurn(), HotTurn()});
  Replica one;
  Replica two;
  Start(one);
  Start(two);
  EXPECT_EQ(AskChat(one.port_, First()).text(), "a");
  AwaitWritten(one);
  EXPECT_EQ(AskChat(two.port_, Second()).text(), "b");
  EXPECT_EQ(Metric(two.port_, "state_errors_total"), "0");
  ExpectNoViolations(2);
}

TEST_F(ReplicasTest, LetOneAloneTakeAConversation) {
  Serve({FirstTurn(), HotTurn()});
  Replica one;
  Replica two;
  Start(one);
  Start(two);
  EXPECT_EQ(AskChat(one.port_, First()).text(), "a");
  AwaitWritten(one);
  EXPECT_EQ(AskChat(two.port_, Second()).text(), "b");
  // It was taken: what the first sends is not what the script wants.
  EXPECT_NE(AskChat(one.port_, Second()).status, 200);
  EXPECT_TRUE(upstream_->WaitForRuns(3, seconds(10)));
  EXPECT_THAT(upstream_->violations(), SizeIs(1));
}

TEST_F(ReplicasTest, GoOnAfterAKill) {
  Serve({FirstTurn(), HotTurn()});
  auto first = StartProgram();
  EXPECT_EQ(AskChat(first->port(), First()).text(), "a");
  AwaitEntries(1);
  EXPECT_EQ(first->End(SIGKILL), -1);
  const auto second = StartProgram();
  EXPECT_EQ(AskChat(second->port(), Second()).text(), "b");
  EXPECT_EQ(second->End(SIGTERM), 0);
  ExpectNoViolations(2);
}

TEST_F(ReplicasTest, WriteWhatIsPendingBeforeTheyEnd) {
  Serve({FirstTurn(), HotTurn()});
  auto first = StartProgram();
  // The state of the service comes after the answer.
  EXPECT_EQ(AskChat(first->port(), First()).text(), "a");
  EXPECT_EQ(first->End(SIGTERM), 0);
  const auto second = StartProgram();
  EXPECT_EQ(AskChat(second->port(), Second()).text(), "b");
  ExpectNoViolations(2);
}

// --- Idempotency-Key

constexpr char kOnce[] = "Idempotency-Key: k1\r\n";

TEST_F(ReplicasTest, GiveTheAnswerOfEachOtherAgain) {
  Serve({Script().Text("a").TurnEnded(), Script().Error("internal", "once is enough")});
  auto first = StartProgram();
  const ChatResult answer = AskChat(first->port(), First(), kOnce);
  EXPECT_EQ(answer.text(), "a");
  // It was written before the client had it.
  first->End(SIGKILL);
  Replica two;
  Start(two);
  EXPECT_EQ(AskChat(two.port_, First(), kOnce).body, answer.body);
  const ChatResult other = AskChat(two.port_, Second(), kOnce);
  EXPECT_EQ(other.body["error"]["code"], "idempotency_mismatch");
  EXPECT_EQ(other.status, 422);
  ExpectNoViolations(1);
  EXPECT_EQ(upstream_->runs_ended(), 1U);
  AwaitWritten(two);
  two.thread_.Advance(kIdempotencyLife);
  EXPECT_NE(AskChat(two.port_, First(), kOnce).status, 422);
}

TEST_F(ReplicasTest, DoARequestAgainWhoseReplicaDied) {
  Serve({Script().WhenPrompt(R"("one")").Text("a").ExpectCancel(),
         Script().WhenPrompt(R"("two")").Text("b").TurnEnded()});
  auto first = StartProgram();
  RawClient client(first->port());
  client.Send(Post("/v1/chat/completions", ChatBody(First()["messages"], {{"stream", true}}).dump(),
                   kOnce));
  EXPECT_THAT(client.ReadUntil("\"a\""), HasSubstr("\"a\""));
  Replica two;
  Start(two);
  const json body = ChatBody(First()["messages"], {{"stream", true}});
  const ChatResult busy = AskChat(two.port_, body, kOnce);
  EXPECT_EQ(busy.status, 409);
  EXPECT_EQ(busy.body["error"]["code"], "idempotency_in_progress");
  EXPECT_EQ(AskChat(two.port_, Second(), kOnce).status, 422);
  first->End(SIGKILL);
  EXPECT_EQ(AskChat(two.port_, body, kOnce).status, 409);
  AwaitWritten(two);
  two.thread_.Advance(kClaimLease);
  EXPECT_EQ(AskChat(two.port_, Second(), kOnce).text(), "b");
}

TEST_F(ReplicasTest, DoARequestAgainWhoseAnswerIsDamaged) {
  const std::vector<std::string> damaged = {
      "",
      "1",
      R"({"status":12345,"fields":[],"body":""})",
      R"({"status":2e99,"fields":[],"body":""})",
      R"({"status":200,"fields":[["a\r\nb","c"]],"body":""})",
      R"({"status":200,"fields":[["a","b\nc"]],"body":""})",
      R"({"status":200,"fields":[["","b"]],"body":""})",
      R"({"status":200,"fields":[[")" + std::string(70'000, 'a') + R"(","b"]],"body":""})"};
  Serve(std::vector<Script>(damaged.size() + 1, Script().Text("a").TurnEnded()));
  Replica one;
  Start(one);
  EXPECT_EQ(AskChat(one.port_, First(), kOnce).text(), "a");
  for (const std::string& value : damaged) {
    SCOPED_TRACE(value.substr(0, 80));
    Overwrite(StateKind::kAnswer, value);
    Replica other;
    Start(other);
    EXPECT_EQ(AskChat(other.port_, First(), kOnce).text(), "a");
    EXPECT_EQ(Metric(other.port_, "state_errors_total"), "1");
    AwaitWritten(other);
  }
  ExpectNoViolations(damaged.size() + 1);
}

TEST_F(ReplicasTest, RenewWhatTheyAnswer) {
  Serve({Script().Text("a").ExpectCancel()});
  Replica one;
  Replica two;
  Start(one);
  Start(two);
  const json body = ChatBody(First()["messages"], {{"stream", true}});
  RawClient client(one.port_);
  client.Send(Post("/v1/chat/completions", body.dump(), kOnce));
  client.ReadUntil("\"a\"");
  const int64_t first = Count("SELECT MAX(until) FROM cursor_gateway_claims");
  for (int i = 1; i <= 6; ++i) {
    // An answer that is on its way while the clock jumps would count as late, and the next renewal
    // would be left out.
    AwaitAnswers(one);
    one.thread_.Advance(kClaimRenewal);
    two.thread_.Advance(kClaimRenewal);
    Await("SELECT MAX(until) FROM cursor_gateway_claims", first + 10'000 * i);
  }
  AwaitAnswers(two);
  EXPECT_EQ(AskChat(two.port_, body, kOnce).status, 409);
  // Once its client has left, nobody answers it.
  client.Close();
  EXPECT_TRUE(upstream_->WaitForRuns(1, seconds(10)));
  Await("SELECT 1 - COUNT(*) FROM cursor_gateway_claims", 1);
  RawClient again(two.port_);
  again.Send(Post("/v1/chat/completions", body.dump(), kOnce));
  EXPECT_THAT(again.ReadUntil("\"a\""), HasSubstr("\"a\""));
}

// --- documents

json SaysOn(const std::string& text, const json& answer) {
  return {{"messages", json::array({UserSays(text)})},
          {"conversationId", answer["conversationId"]}};
}
json AskDocument(uint16_t port, const json& body) {
  RawClient client(port);
  client.Send(Post("/api/v1/chat/completions", body.dump(), "Connection: close\r\n"));
  return json::parse(BodyOf(client.ReadToEnd()));
}
std::string TextOf(const json& answer) {
  const json documents = answer.value("documents", json::array());
  return documents.empty() ? answer.dump() : documents[0].value("content", documents.dump());
}
json FirstDocument() { return {{"messages", json::array({UserSays("one")})}}; }

TEST_F(ReplicasTest, GoOnWithDocumentsByTheirId) {
  Serve({FirstTurn(), HotTurn(),
         Script()
             .WhenPrompt(R"("three")")
             .ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})")
             .Text("c")
             .TurnEnded()});
  auto first = StartProgram();
  const json one = AskDocument(first->port(), FirstDocument());
  EXPECT_EQ(one["status"], "completed");
  Await("SELECT 1 - COUNT(*) FROM cursor_gateway_claims", 1);
  first->End(SIGKILL);
  Replica two;
  Start(two);
  const json second = AskDocument(two.port_, SaysOn("two", one));
  EXPECT_EQ(second["conversationId"], one["conversationId"]);
  EXPECT_EQ(TextOf(second), "b");
  ExpectNoViolations(2);
  const json unknown = AskDocument(two.port_, SaysOn("two", {{"conversationId", "conv_nobody"}}));
  EXPECT_EQ(unknown["error"]["code"], "conversation_not_found");
}

TEST_F(ReplicasTest, KnowWhatOneAnotherAddedToADocument) {
  Serve({Script().WhenPrompt(R"("one")").Text("a").TurnEnded(),
         Script().WhenPrompt(R"("two")").Text("b").TurnEnded(),
         // All turns before, in its history.
         Script()
             .WhenPrompt(R"("three")")
             .ExpectRequest(R"({"conversation_state": {"$as": {"ConversationStateStructure":
                 {"turns": {"$size": 2}}}}})")
             .Text("c")
             .TurnEnded()});
  Replica one;
  Replica two;
  Start(one);
  Start(two);
  const json first = AskDocument(one.port_, FirstDocument());
  // The end of the first turn is on its way: the other gateway waits for it.
  EXPECT_EQ(TextOf(AskDocument(two.port_, SaysOn("two", first))), "b");
  // The first has it in memory, as it was before.
  EXPECT_EQ(TextOf(AskDocument(one.port_, SaysOn("three", first))), "c");
  ExpectNoViolations(3);
}

TEST_F(ReplicasTest, AnswerADocumentOneAtATime) {
  Serve({Script().WhenPrompt(R"("one")").Text("a").TurnEnded(),
         Script().WhenPrompt(R"("two")").Text("b").ExpectCancel(),
         Script().WhenPrompt(R"("three")").Text("c").TurnEnded()});
  auto first = StartProgram();
  const json one = AskDocument(first->port(), FirstDocument());
  Await("SELECT 1 - COUNT(*) FROM cursor_gateway_claims", 1);
  RawClient client(first->port());
  json body = SaysOn("two", one);
  body["stream"] = true;
  client.Send(Post("/api/v1/chat/completions", body.dump()));
  client.ReadUntil("\"b\"");
  Replica two;
  Start(two);
  RawClient other(two.port_);
  other.Send(Post("/api/v1/chat/completions", SaysOn("three", one).dump()));
  EXPECT_THAT(other.ReadResponse(), HasSubstr("HTTP/1.1 409"));
  // It dies in the middle of the turn, which is no part of the conversation then.
  first->End(SIGKILL);
  AwaitWritten(two);
  two.thread_.Advance(kClaimLease);
  EXPECT_EQ(TextOf(AskDocument(two.port_, SaysOn("three", one))), "c");
}

TEST_F(ReplicasTest, LoseNoDocumentThatAClientHasAnIdOf) {
  // The state of the service never comes; the client is told of the end before.
  Serve({Script().WhenPrompt(R"("one")").Text("a").TurnEnded().ExpectCancel(),
         Script()
             .WhenPrompt(R"("two")")
             .ExpectRequest(R"({"conversation_state": {"$as": {"ConversationStateStructure":
                 {"turns": {"$size": 1}}}}})")
             .Text("b")
             .TurnEnded()});
  auto first = StartProgram();
  const json one = AskDocument(first->port(), FirstDocument());
  first->End(SIGKILL);
  Replica two;
  Start(two);
  AwaitWritten(two);
  two.thread_.Advance(kEndingLease);
  EXPECT_EQ(TextOf(AskDocument(two.port_, SaysOn("two", one))), "b");
}

TEST_F(ReplicasTest, GoOnWithDocumentsInMemoryWithoutTheState) {
  Serve({FirstTurn(), HotTurn()});
  Replica one;
  Replica two;
  Start(one);
  Start(two);
  const json first = AskDocument(one.port_, FirstDocument());
  AwaitWritten(one);
  AwaitWritten(two);
  Damage();
  EXPECT_EQ(TextOf(AskDocument(one.port_, SaysOn("two", first))), "b");
  const json lost = AskDocument(two.port_, SaysOn("two", first));
  EXPECT_EQ(lost["error"]["code"], "state_unavailable");
  EXPECT_NE(Metric(two.port_, "state_errors_total"), "0");
  ExpectNoViolations(2);
}

TEST_F(ReplicasTest, SayThatADocumentIsUnknownWhoseEntryIsDamaged) {
  Serve({FirstTurn()});
  Replica one;
  Replica two;
  Start(one);
  Start(two);
  const json first = AskDocument(one.port_, FirstDocument());
  Await("SELECT 1 - COUNT(*) FROM cursor_gateway_claims", 1);
  Overwrite(StateKind::kDocument, "");
  for (const char* errors : {"1", "2"}) {
    const json lost = AskDocument(two.port_, SaysOn("two", first));
    EXPECT_EQ(lost["error"]["code"], "conversation_not_found") << lost;
    EXPECT_EQ(Metric(two.port_, "state_errors_total"), errors);
  }
}

// One of two gateways begins a turn and stands still, before the service hears of it.
class SlowReplicaTest : public ReplicasTest {
 protected:
  // Its folder is read until Release().
  void StartSlow(Replica& replica) {
    GatewayOptions options;
    options.documents.workspace = folder_.path();
    options.documents.read_workspace = [this](const std::string&) {
      begun_.release();
      if (!go_on_now_) go_on_.wait();
      return WorkspaceContext::Facts{};
    };
    auto opened = OpenState(place_, replica.Clocks());
    ASSERT_TRUE(opened.ok()) << opened.status();
    options.state = std::move(opened->store);
    replica.StartBefore(*upstream_, std::move(options));
  }
  void Release() { release_.set_value(); }
  // The turn of the other one is what the third one goes on from.
  void ServeThree() {
    const auto turn = [](const char* prompt, const char* text, const char* state) {
      return Script().WhenPrompt(prompt).Text(text).TurnEnded().CheckpointBytes(state);
    };
    Serve({FirstTurn(), turn(R"("two")", "b", "\x50\x02"), turn(R"("other")", "o", "\x50\x03"),
           Script()
               .WhenPrompt(R"("three")")
               .ExpectRequest(R"({"conversation_state": {"$hex": "5003"}})")
               .Text("c")
               .TurnEnded()});
  }

  // A turn of the other one is written; who goes on after it waits for its end.
  void AskOther(Replica& other, const json& first) {
    EXPECT_EQ(TextOf(AskDocument(other.port_, SaysOn("other", first))), "o");
    AwaitWritten(other);
  }

  std::counting_semaphore<> begun_{0};
  std::atomic<bool> go_on_now_ = false;
  std::promise<void> release_;
  std::shared_future<void> go_on_ = release_.get_future().share();
};

TEST_F(SlowReplicaTest, OverwritesNothingAfterItsClaimLapsed) {
  ServeThree();
  Replica slow;
  Replica other;
  StartSlow(slow);
  Start(other);
  const json first = AskDocument(other.port_, FirstDocument());
  Await("SELECT 1 - COUNT(*) FROM cursor_gateway_claims", 1);
  RawClient client(slow.port_);
  client.Send(Post("/api/v1/chat/completions", SaysOn("two", first).dump()));
  begun_.acquire();
  // Its clock stands still meanwhile. What the other one waits for would be late by its own.
  AwaitWritten(other);
  other.thread_.Advance(kClaimLease);
  AskOther(other, first);
  // It renews what it believes to hold, and does not wait for the folder any more.
  slow.thread_.Advance(kClaimRenewal);
  Release();
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\"b\""));
  EXPECT_EQ(TextOf(AskDocument(slow.port_, SaysOn("three", first))), "c");
  ExpectNoViolations(4);
}

TEST_F(SlowReplicaTest, OverwritesNothingAfterTheStateWasAway) {
  ServeThree();
  Replica slow;
  Replica other;
  StartSlow(slow);
  Start(other);
  go_on_now_ = true;
  const json first = AskDocument(slow.port_, FirstDocument());
  begun_.acquire();
  go_on_now_ = false;
  Await("SELECT 1 - COUNT(*) FROM cursor_gateway_claims", 1);
  const auto lock = MakeSqliteDatabase(StateFolder());
  ASSERT_TRUE(lock->Connect().ok());
  ASSERT_TRUE(lock->Run("BEGIN IMMEDIATE", {}).ok());
  RawClient client(slow.port_);
  client.Send(Post("/api/v1/chat/completions", SaysOn("two", first).dump()));
  begun_.acquire();
  ASSERT_TRUE(lock->Run("ROLLBACK", {}).ok());
  AskOther(other, first);
  Release();
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\"b\""));
  EXPECT_EQ(TextOf(AskDocument(slow.port_, SaysOn("three", first))), "c");
  ExpectNoViolations(4);
}

// --- /v1/responses

json AskResponse(uint16_t port, const json& input, const json& more = json::object()) {
  json body = {{"model", "some-model"}, {"input", input}};
  body.update(more);
  RawClient client(port);
  client.Send(Post("/v1/responses", body.dump(), "Connection: close\r\n"));
  return json::parse(BodyOf(client.ReadToEnd()));
}
std::string OutputOf(const json& answer) {
  return answer.contains("output") ? answer["output"][0]["content"][0].value("text", "") : "";
}

TEST_F(ReplicasTest, GoOnFromResponsesOfEachOther) {
  const char* image = "data:image/png;base64,iVBORw0KGgo=";
  Serve({Script().WhenPrompt(R"("one")").Text("a").TurnEnded(), ColdTurn(),
         Script().WhenPrompt(R"("three")").Text("c").TurnEnded()});
  auto first = StartProgram();
  const json said = json::array({{{"role", "user"},
                                  {"content",
                                   {{{"type", "input_text"}, {"text", "one"}},
                                    {{"type", "input_image"}, {"image_url", image}}}}}});
  const json one = AskResponse(first->port(), said);
  EXPECT_EQ(OutputOf(one), "a");
  // Who has the id of a response can go on from it.
  first->End(SIGKILL);
  Replica two;
  Start(two);
  const json more = {{"previous_response_id", one["id"]}};
  EXPECT_EQ(OutputOf(AskResponse(two.port_, "two", more)), "b");
  Replica three;
  Start(three);
  // Both ask for it at once.
  RawClient left(three.port_);
  RawClient right(three.port_);
  json body = {{"model", "some-model"}, {"input", "two"}};
  body.update(more);
  left.Send(Post("/v1/responses", body.dump()));
  right.Send(Post("/v1/responses", body.dump()));
  EXPECT_THAT(left.ReadResponse(), HasSubstr("200 OK"));
  EXPECT_THAT(right.ReadResponse(), HasSubstr("200 OK"));
  const json items = json::array({{{"role", "user"}, {"content", "one"}},
                                  {{"type", "item_reference"}, {"id", one["output"][0]["id"]}},
                                  {{"role", "user"}, {"content", "three"}}});
  EXPECT_EQ(OutputOf(AskResponse(three.port_, items)), "c");
  ExpectNoViolations(5);
  const json unknown = AskResponse(two.port_, "two", {{"previous_response_id", "resp_nobody"}});
  EXPECT_EQ(unknown["error"]["code"], "previous_response_not_found");
  const json unknown_item =
      AskResponse(two.port_, json::array({{{"type", "item_reference"}, {"id", "msg_nobody"}},
                                          {{"role", "user"}, {"content", "three"}}}));
  EXPECT_EQ(unknown_item["error"]["param"], "input.[0].id");
}

TEST_F(ReplicasTest, GoOnFromResponsesThatAnOlderVersionKept) {
  Serve({FirstTurn(), HotTurn()});
  Replica one;
  Start(one);
  const json first = AskResponse(one.port_, "one");
  EXPECT_EQ(OutputOf(first), "a");
  AwaitWritten(one);
  Overwrite(StateKind::kResponse,
            R"({"messages": [{"role": 1, "text": "one"}, {"role": 2, "text": "a"}]})");
  EXPECT_EQ(OutputOf(AskResponse(one.port_, "two", {{"previous_response_id", first["id"]}})), "b");
  ExpectNoViolations(2);
}

TEST_F(ReplicasTest, KeepNoResponseThatIsNotToBeStored) {
  Serve({Script().Text("a").TurnEnded()});
  Replica one;
  Start(one);
  AskResponse(one.port_, "one", {{"store", false}});
  AwaitWritten(one);
  EXPECT_EQ(Count("SELECT COUNT(*) FROM cursor_gateway_entries WHERE kind IN (3, 4)"), 0);
}

TEST_F(ReplicasTest, SayThatAResponseCannotBeLookedFor) {
  Serve({Script().Text("a").TurnEnded()});
  Replica one;
  Replica two;
  Start(one);
  Start(two);
  const json first = AskResponse(one.port_, "one");
  AwaitWritten(one);
  AwaitWritten(two);
  Damage();
  const json more = {{"previous_response_id", first["id"]}};
  for (const Replica* replica : {&one, &two}) {
    const json answer = AskResponse(replica->port_, "two", more);
    EXPECT_EQ(answer["error"]["code"], "state_unavailable") << answer;
  }
}

// --- PostgreSQL

#ifdef CURSORWIRE_HAS_POSTGRESQL
TEST_F(ReplicasTest, ShareAServerOfPostgres) {
  const std::unique_ptr<PostgresServer> server = PostgresServer::Start();
  if (server == nullptr) GTEST_SKIP() << "no PostgreSQL is installed";
  place_ = server->url();
  Serve({FirstTurn(), HotTurn(), Script().WhenPrompt(R"("three")").Text("c").TurnEnded()});
  auto first = StartProgram();
  const ChatResult once = AskChat(first->port(), First(), kOnce);
  const json document = AskDocument(first->port(), FirstDocument());
  const json response = AskResponse(first->port(), "one");
  EXPECT_EQ(first->End(SIGTERM), 0);
  Replica two;
  Start(two);
  EXPECT_EQ(AskChat(two.port_, First(), kOnce).body, once.body);
  EXPECT_EQ(AskChat(two.port_, Second()).text(), "b");
  EXPECT_EQ(TextOf(AskDocument(two.port_, SaysOn("two", document))), "b");
  const json more = {{"previous_response_id", response["id"]}};
  EXPECT_EQ(OutputOf(AskResponse(two.port_, "three", more)), "c");
  // More than an index of PostgreSQL takes.
  const json long_id = {{"conversationId", RandomText(50'000)}};
  EXPECT_EQ(AskDocument(two.port_, SaysOn("two", long_id))["error"]["code"],
            "conversation_not_found");
  EXPECT_EQ(Metric(two.port_, "state_errors_total"), "0");
  ExpectNoViolations(6);
  // Away: requests go on.
  AwaitWritten(two);
  server->Kill();
  EXPECT_EQ(AskChat(two.port_, First()).text(), "a");
  AwaitWritten(two);
  EXPECT_NE(Metric(two.port_, "state_errors_total"), "0");
}
#endif

TEST_F(ReplicasTest, ForgetWhatNobodyAsksFor) {
  Serve({FirstTurn(), ColdTurn()});
  Replica one;
  Start(one);
  EXPECT_EQ(AskChat(one.port_, First()).text(), "a");
  AwaitWritten(one);
  one.thread_.Advance(kStateLife);
  EXPECT_EQ(AskChat(one.port_, Second()).text(), "b");
  ExpectNoViolations(2);
}

TEST_F(ReplicasTest, GoOnWithoutAStateThatIsDamaged) {
  Serve({FirstTurn(), ColdTurn()});
  Replica one;
  Start(one);
  EXPECT_EQ(AskChat(one.port_, First()).text(), "a");
  AwaitWritten(one);
  Damage();
  EXPECT_EQ(AskChat(one.port_, Second()).text(), "b");
  EXPECT_NE(Metric(one.port_, "state_errors_total"), "0");
  EXPECT_EQ(AskChat(one.port_, First()).text(), "a");
  ExpectNoViolations(3);
}

TEST_F(ReplicasTest, KeepNoKeys) {
  Serve({FirstTurn(), ColdTurn()});
  std::ofstream(folder_.At("keys")) << "secret-key-one\nsecret-key-two\n";
  Replica one;
  Start(one, *ApiKeys::Load(folder_.At("keys")));
  const std::string key = "Authorization: Bearer secret-key-one\r\n";
  EXPECT_EQ(AskChat(one.port_, First(), key + kOnce).text(), "a");
  AwaitWritten(one);
  one.Stop();
  for (const auto& file : std::filesystem::directory_iterator(StateFolder())) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(bytes, Not(HasSubstr("secret-key")));
    EXPECT_THAT(bytes, Not(HasSubstr("any-token-of-a-test")));
  }
  // Another key's conversation is not this one.
  Replica two;
  Start(two, *ApiKeys::Load(folder_.At("keys")));
  EXPECT_EQ(AskChat(two.port_, Second(), "Authorization: Bearer secret-key-two\r\n").text(), "b");
  ExpectNoViolations(2);
}

}  // namespace
}  // namespace cursor_gateway
