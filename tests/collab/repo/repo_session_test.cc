#include "collab/repo/repo_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/sha256.h"
#include "collab/repo/document_server.h"
#include "collab/repo/repo_message.h"
#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/sync_message.h"
#include "crdt/automerge/sync_state.h"
#include "crdt/bytes/byte_reader.h"
#include "cursorwire/connect/error_info.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using absl::StatusCode;
using automerge::SyncState;
using automerge::WaitingChanges;
using crdt::Unit;
using std::chrono::milliseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

const DocumentId kShared({1, 2, 3});
const DocumentId kOther({4, 5, 6});

// A server of documents, as npm's does it: one exchange with each client for each document, which
// it knows from the first message on; ephemeral messages go to all others.
class Server {
 public:
  struct Client {
    RepoSession* session = nullptr;
    std::string name{};
    std::map<std::string, std::unique_ptr<SyncState>> states{};
    std::vector<std::string> out{};
  };

  void Connect(RepoSession& session) {
    clients_.push_back(std::make_unique<Client>(Client{.session = &session}));
    session.OnConnected();
  }
  void Disconnect(RepoSession& session) {
    std::erase_if(clients_, [&session](const auto& client) { return client->session == &session; });
    session.OnClosed();
  }

  // Until nobody has anything to say.
  void Run(TimePoint now) {
    for (bool quiet = false; !quiet;) {
      quiet = true;
      for (const auto& client : clients_) {
        while (const std::optional<std::string> message = client->session->TakeMessage()) {
          quiet = false;
          OnMessage(*client, *message);
        }
      }
      for (const auto& client : clients_) {
        for (const std::string& message : std::exchange(client->out, {})) {
          quiet = false;
          client->session->OnMessage(message, now);
        }
      }
    }
  }

  automerge::Document* Find(const DocumentId& id) {
    const auto place = documents_.find(id.ToString());
    return place == documents_.end() ? nullptr : &place->second->document;
  }

 private:
  struct Document {
    Document() : document("server"), waiting(document) {}
    automerge::Document document;
    WaitingChanges waiting;
  };

  void OnMessage(Client& client, const std::string& bytes) {
    const absl::StatusOr<RepoMessage> message = ReadRepoMessage(bytes);
    ASSERT_THAT(message, IsOk());
    if (const auto* join = std::get_if<JoinMessage>(&*message)) {
      client.name = join->sender;
      client.out.push_back(
          WriteRepoMessage(PeerMessage{.sender = "server", .target = client.name, .version = "1"}));
    } else if (const auto* sync = std::get_if<DocumentMessage>(&*message)) {
      EXPECT_EQ(sync->target, "server");
      OnSync(client, *sync);
    } else if (const auto* ephemeral = std::get_if<EphemeralMessage>(&*message)) {
      for (const auto& other : clients_) {
        EphemeralMessage copy = *ephemeral;
        copy.target = other->name;
        other->out.push_back(WriteRepoMessage(copy));
      }
    }
  }

  void OnSync(Client& client, const DocumentMessage& message) {
    if (message.request && documents_.find(message.document) == documents_.end()) {
      client.out.push_back(WriteRepoMessage(UnavailableMessage{
          .sender = "server", .target = client.name, .document = message.document}));
    }
    auto& document = documents_[message.document];
    if (document == nullptr) document = std::make_unique<Document>();
    auto& state = client.states[message.document];
    if (state == nullptr)
      state = std::make_unique<SyncState>(document->document, document->waiting);
    EXPECT_THAT(state->Receive(*automerge::ReadSyncMessage(message.data)), IsOk());
    for (const auto& other : clients_) SendAll(*other, message.document);
  }

  static void SendAll(Client& client, const std::string& name) {
    const auto state = client.states.find(name);
    if (state == client.states.end()) return;
    while (const auto message = state->second->Next()) {
      client.out.push_back(WriteRepoMessage(DocumentMessage{.sender = "server",
                                                            .target = client.name,
                                                            .document = name,
                                                            .data = WriteSyncMessage(*message)}));
    }
  }

  std::vector<std::unique_ptr<Client>> clients_;
  std::map<std::string, std::unique_ptr<Document>> documents_;
};

template <typename Event>
std::vector<Event> EventsOf(RepoSession& session) {
  std::vector<Event> events;
  while (const std::optional<RepoEvent> event = session.TakeEvent()) {
    if (const auto* wanted = std::get_if<Event>(&*event)) events.push_back(*wanted);
  }
  return events;
}

RepoSession NewSession(const std::string& name) {
  return RepoSession({.peer_id = name, .session_id = "session of " + name});
}

class RepoSessionTest : public ::testing::Test {
 protected:
  void Write(RepoSession& session, const DocumentId& id, std::string_view text) {
    automerge::Document& document = *session.Find(id);
    if (!document.Get("content")) {
      ASSERT_THAT(document.MakeText("content"), IsOk());
    }
    ASSERT_THAT(document.Splice(document.Get("content")->id, Unit::kUtf16, 0, 0, text), IsOk());
    document.Commit(1);
    session.OnEdited(id, now_);
  }
  static std::string Text(RepoSession& session, const DocumentId& id) {
    const automerge::Document& document = *session.Find(id);
    const auto value = document.Get("content");
    return value ? document.FindSequence(value->id)->Text() : "";
  }
  void Wait(milliseconds time) {
    now_ += time;
    for (RepoSession* session : {&one_, &two_}) {
      if (session->deadline() && *session->deadline() <= now_) session->OnDeadline(now_);
    }
    server_.Run(now_);
  }

  TimePoint now_{std::chrono::hours(1)};
  Server server_;
  RepoSession one_ = NewSession("one");
  RepoSession two_ = NewSession("two");
};

TEST_F(RepoSessionTest, SharesADocument) {
  ASSERT_THAT(one_.Open(kShared, "actor of one", now_), IsOk());
  Write(one_, kShared, "hello");
  server_.Connect(one_);
  server_.Run(now_);
  ASSERT_NE(server_.Find(kShared), nullptr);
  EXPECT_EQ(EventsOf<DocumentOpened>(one_).size(), 1u);

  server_.Connect(two_);
  ASSERT_THAT(two_.Open(kShared, "actor of two", now_), IsOk());
  server_.Run(now_);
  EXPECT_EQ(EventsOf<DocumentOpened>(two_).size(), 1u);
  EXPECT_EQ(Text(two_, kShared), "hello");

  Write(two_, kShared, "well, ");
  server_.Run(now_);
  EXPECT_EQ(EventsOf<DocumentChanged>(one_).size(), 1u);
  EXPECT_EQ(EventsOf<DocumentChanged>(two_).size(), 0u) << "its own change";
  EXPECT_EQ(Text(one_, kShared), "well, hello");
}

TEST_F(RepoSessionTest, SaysWhatIsNotThere) {
  server_.Connect(one_);
  server_.Run(now_);
  EXPECT_EQ(EventsOf<RepoConnected>(one_).size(), 1u);
  ASSERT_THAT(one_.Open(kShared, "actor", now_), IsOk());
  server_.Run(now_);
  EXPECT_EQ(EventsOf<DocumentUnavailable>(one_).size(), 1u);
  // Another peer brings it.
  ASSERT_THAT(two_.Open(kShared, "actor of two", now_), IsOk());
  Write(two_, kShared, "late");
  server_.Connect(two_);
  server_.Run(now_);
  EXPECT_EQ(EventsOf<DocumentOpened>(one_).size(), 1u);
  EXPECT_EQ(Text(one_, kShared), "late");
}

TEST_F(RepoSessionTest, DoesNotWaitForeverForAServerThatIsSilent) {
  one_.OnConnected();
  one_.OnMessage(WriteRepoMessage(PeerMessage{.sender = "s", .target = "one", .version = "1"}),
                 now_);
  ASSERT_THAT(one_.Open(kShared, "actor", now_), IsOk());
  ASSERT_EQ(one_.deadline(), now_ + milliseconds(10000));
  one_.OnDeadline(now_ + milliseconds(9999));
  EXPECT_TRUE(EventsOf<DocumentUnavailable>(one_).empty());
  one_.OnDeadline(now_ + milliseconds(10000));
  EXPECT_EQ(EventsOf<DocumentUnavailable>(one_).size(), 1u);
  EXPECT_EQ(one_.deadline(), std::nullopt);
}

TEST_F(RepoSessionTest, MergesWhatWasWrittenWithoutAConnection) {
  std::mt19937 random(1);
  ASSERT_THAT(one_.Open(kShared, "actor of one", now_), IsOk());
  Write(one_, kShared, "start");
  server_.Connect(one_);
  ASSERT_THAT(two_.Open(kShared, "actor of two", now_), IsOk());
  server_.Connect(two_);
  server_.Run(now_);
  for (int round = 0; round < 20; ++round) {
    RepoSession& gone = round % 2 == 0 ? one_ : two_;
    server_.Disconnect(gone);
    Write(one_, kShared, "1 ");
    Write(two_, kShared, "2 ");
    server_.Connect(gone);
    server_.Run(now_);
    Wait(milliseconds(20));
    ASSERT_EQ(Text(one_, kShared), Text(two_, kShared));
  }
  EXPECT_EQ(Text(one_, kShared).size(), 5u + 20 * 4);
}

TEST_F(RepoSessionTest, JoinsEditsWhileAnAnswerIsAwaited) {
  ASSERT_THAT(one_.Open(kShared, "actor", now_), IsOk());
  Write(one_, kShared, "x");
  server_.Connect(one_);
  server_.Run(now_);
  Write(one_, kShared, "first");  // at once
  EXPECT_TRUE(one_.TakeMessage());
  for (int i = 0; i < 10; ++i) Write(one_, kShared, "more");
  EXPECT_EQ(one_.TakeMessage(), std::nullopt);
  ASSERT_EQ(one_.deadline(), now_ + milliseconds(20));
  one_.OnDeadline(now_ + milliseconds(20));
  EXPECT_TRUE(one_.TakeMessage());
  EXPECT_EQ(one_.TakeMessage(), std::nullopt) << "all in one";
}

TEST_F(RepoSessionTest, PassesEphemeralMessagesOn) {
  ASSERT_THAT(one_.Open(kShared, "actor of one", now_), IsOk());
  Write(one_, kShared, "x");
  ASSERT_THAT(two_.Open(kShared, "actor of two", now_), IsOk());
  one_.SendEphemeral(kShared, "dropped");
  one_.SendEphemeral(kShared, "before");
  server_.Connect(two_);
  server_.Run(now_);
  server_.Connect(one_);
  server_.Run(now_);
  one_.SendEphemeral(kShared, "after");
  server_.Run(now_);
  const std::vector<EphemeralReceived> received = EventsOf<EphemeralReceived>(two_);
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].data, "before");
  EXPECT_EQ(received[1].data, "after");
  EXPECT_EQ(received[1].sender, "one");
  EXPECT_TRUE(EventsOf<EphemeralReceived>(one_).empty()) << "its own came back";
}

TEST_F(RepoSessionTest, TakesDocumentsOfItsServerAlone) {
  ASSERT_THAT(one_.Open(kShared, "actor", now_), IsOk());
  one_.OnConnected();
  one_.OnMessage(WriteRepoMessage(PeerMessage{.sender = "s", .target = "one", .version = "1"}),
                 now_);
  one_.OnMessage(WriteRepoMessage(UnavailableMessage{
                     .sender = "other", .target = "one", .document = kShared.ToString()}),
                 now_);
  EXPECT_TRUE(EventsOf<DocumentUnavailable>(one_).empty());
  one_.OnMessage(WriteRepoMessage(UnavailableMessage{
                     .sender = "s", .target = "one", .document = kShared.ToString()}),
                 now_);
  EXPECT_EQ(EventsOf<DocumentUnavailable>(one_).size(), 1u);

  automerge::Document document("writer");
  ASSERT_THAT(document.MakeText("content"), IsOk());
  document.Commit(1);
  automerge::SyncMessage sync;
  sync.heads = document.heads();
  sync.changes.push_back(document.ChunkOf(0));
  DocumentMessage message{.sender = "other",
                          .target = "one",
                          .document = kShared.ToString(),
                          .data = automerge::WriteSyncMessage(sync)};
  one_.OnMessage(WriteRepoMessage(message), now_);
  EXPECT_TRUE(EventsOf<DocumentChanged>(one_).empty());
  message.sender = "s";
  one_.OnMessage(WriteRepoMessage(message), now_);
  EXPECT_EQ(EventsOf<DocumentOpened>(one_).size() + EventsOf<DocumentChanged>(one_).size(), 1u);
}

TEST_F(RepoSessionTest, TakesEachEphemeralMessageOnce) {
  ASSERT_THAT(one_.Open(kShared, "actor", now_), IsOk());
  one_.OnConnected();
  one_.OnMessage(WriteRepoMessage(PeerMessage{.sender = "s", .target = "one", .version = "1"}),
                 now_);
  EphemeralMessage message{.sender = "peer",
                           .target = "one",
                           .document = kShared.ToString(),
                           .session = "a",
                           .count = 5,
                           .data = "x"};
  const auto count = [this](const EphemeralMessage& sent) {
    one_.OnMessage(WriteRepoMessage(sent), now_);
    return EventsOf<EphemeralReceived>(one_).size();
  };
  EXPECT_EQ(count(message), 1u);
  EXPECT_EQ(count(message), 0u);
  message.count = 4;
  EXPECT_EQ(count(message), 0u);
  message.session = "b";  // a new process
  EXPECT_EQ(count(message), 1u);
  message.count = 6;
  message.target = "two";
  EXPECT_EQ(count(message), 0u);
  message.target = "one";
  message.document = kOther.ToString();
  EXPECT_EQ(count(message), 0u);
  message.document = kShared.ToString();
  message.data = std::string(64 * 1024 + 1, 'x');
  EXPECT_EQ(count(message), 0u);
}

TEST_F(RepoSessionTest, FailsWhereTheServerRefuses) {
  one_.OnConnected();
  one_.OnMessage(WriteRepoMessage(ErrorMessage{.message = "unsupported\x1b[31m version"}), now_);
  std::vector<SessionFailed> failed = EventsOf<SessionFailed>(one_);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_THAT(failed[0].status,
              StatusIs(StatusCode::kInternal, HasSubstr("unsupported?[31m version")));
  EXPECT_EQ(one_.TakeMessage(), std::nullopt);

  two_.OnConnected();
  two_.OnMessage(WriteRepoMessage(PeerMessage{.sender = "s", .target = "two", .version = "2"}),
                 now_);
  failed = EventsOf<SessionFailed>(two_);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_THAT(failed[0].status, StatusIs(StatusCode::kInternal, HasSubstr("version \"2\"")));
}

TEST_F(RepoSessionTest, GivesUpAServerThatSendsNothingButRubbish) {
  one_.OnConnected();
  for (int i = 0; i < 99; ++i) one_.OnMessage("rubbish", now_);
  EXPECT_EQ(EventsOf<MessageRefused>(one_).size(), 99u);
  // One that can be read begins the count anew.
  one_.OnMessage(WriteRepoMessage(PeerMessage{.sender = "s", .target = "one", .version = "1"}),
                 now_);
  for (int i = 0; i < 99; ++i) one_.OnMessage("rubbish", now_);
  EXPECT_TRUE(EventsOf<SessionFailed>(one_).empty());
  one_.OnMessage("", now_);
  const std::vector<SessionFailed> failed = EventsOf<SessionFailed>(one_);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].close_code, 1003);
}

TEST_F(RepoSessionTest, ARefusedMessageTellsItsDocument) {
  ASSERT_THAT(one_.Open(kShared, "actor", now_), IsOk());
  one_.OnConnected();
  one_.OnMessage(WriteRepoMessage(PeerMessage{.sender = "s", .target = "one", .version = "1"}),
                 now_);
  one_.OnMessage("rubbish", now_);
  one_.OnMessage(
      WriteRepoMessage(DocumentMessage{
          .sender = "s", .target = "one", .document = kShared.ToString(), .data = "\x42 rubbish"}),
      now_);
  one_.OnMessage(WriteRepoMessage(EphemeralMessage{.sender = "x",
                                                   .target = "one",
                                                   .document = kShared.ToString(),
                                                   .session = "s",
                                                   .count = 1,
                                                   .data = std::string(100'000, 'x')}),
                 now_);
  const std::vector<MessageRefused> refused = EventsOf<MessageRefused>(one_);
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused[0].document, std::nullopt);
  EXPECT_EQ(refused[1].document, kShared);
  EXPECT_FALSE(refused[1].is_ephemeral);
  EXPECT_TRUE(refused[2].is_ephemeral);
  for (const MessageRefused& each : refused) {
    const auto info = connect::GetErrorInfo(each.status);
    EXPECT_EQ(info && info->origin == connect::ErrorOrigin::kProtocol, !each.is_ephemeral);
  }
}

// A document chunk that is not what its heads say.
std::string WrongDocument() {
  automerge::Document document("writer");
  EXPECT_THAT(document.MakeText("content"), IsOk());
  const std::string head(document.Commit(1)->view());
  std::string chunk = *document.Save();
  chunk[chunk.find(head)] ^= 1;
  crdt::ByteReader reader(chunk);
  reader.Take(9);  // magic, checksum, type
  const std::string body(reader.TakeString());
  Sha256Hasher hasher;
  return automerge::DocumentChunk(body, hasher);
}

// It takes long, and what follows it in the message is not sent again over this connection.
TEST_F(RepoSessionTest, GivesUpAServerWhoseDocumentsAreRefused) {
  ASSERT_THAT(one_.Open(kShared, "actor of one", now_), IsOk());
  const std::string sync = WriteRepoMessage(DocumentMessage{
      .sender = "s",
      .target = "one",
      .document = kShared.ToString(),
      .data = automerge::WriteSyncMessage({.changes = {WrongDocument(), WrongDocument()}})});
  for (int connection = 0; connection < 2; ++connection) {
    one_.OnConnected();
    one_.OnMessage(WriteRepoMessage(PeerMessage{.sender = "s", .target = "one", .version = "1"}),
                   now_);
    one_.OnMessage(sync, now_);
    const std::vector<SessionFailed> failed = EventsOf<SessionFailed>(one_);
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_EQ(failed[0].close_code, 1003);
    EXPECT_FALSE(failed[0].is_final);
    EXPECT_THAT(std::string(failed[0].status.message()), HasSubstr("too much work"));
    EXPECT_EQ(one_.TakeMessage(), std::nullopt);
    one_.OnClosed();
  }
}

TEST_F(RepoSessionTest, HasABoundOnDocuments) {
  RepoSession session({.peer_id = "one", .max_documents = 1});
  ASSERT_THAT(session.Open(kShared, "actor", now_), IsOk());
  EXPECT_THAT(session.Open(kShared, "actor", now_), StatusIs(StatusCode::kAlreadyExists));
  EXPECT_THAT(session.Open(kOther, "actor", now_), StatusIs(StatusCode::kResourceExhausted));
  session.Close(kShared);
  EXPECT_EQ(session.Find(kShared), nullptr);
  EXPECT_THAT(session.Open(kOther, "actor", now_), IsOk());
}

// Until nobody has anything to say.
void RunWithServer(RepoSession& session, test::DocumentServer& server,
                   test::DocumentServer::Connection& client) {
  for (bool quiet = false; !quiet;) {
    quiet = true;
    while (const std::optional<std::string> message = session.TakeMessage()) {
      quiet = false;
      EXPECT_THAT(server.OnMessage(client, *message), IsOk());
    }
    for (const std::string& message : client.TakeMessages()) {
      quiet = false;
      session.OnMessage(message, TimePoint());
    }
  }
}

TEST(RepoSession, OpensADocumentAgainOnTheSameConnection) {
  RepoSession session({.peer_id = "one"});
  test::DocumentServer server;
  ASSERT_THAT(session.Open(kShared, "first", TimePoint()), IsOk());
  automerge::Document& document = *session.Find(kShared);
  ASSERT_THAT(document.MakeText("content"), IsOk());
  document.Commit(1);
  session.OnConnected();
  test::DocumentServer::Connection& client = server.Connect();
  RunWithServer(session, server, client);
  const std::string saved = *document.Save();
  session.Close(kShared);
  const auto fill = [&saved](automerge::Document&, WaitingChanges& waiting) {
    return waiting.Add(saved);
  };
  ASSERT_THAT(session.Open(kShared, "second", TimePoint(), fill), IsOk());
  RunWithServer(session, server, client);
  int opened = 0;
  while (const std::optional<RepoEvent> event = session.TakeEvent()) {
    if (std::holds_alternative<DocumentOpened>(*event)) ++opened;
  }
  EXPECT_EQ(opened, 2);
  EXPECT_TRUE(session.IsSynced(kShared));
}

TEST(RepoSession, RemembersNoLongNamesOfPeers) {
  RepoSession session({.peer_id = "one"});
  ASSERT_THAT(session.Open(kShared, "actor", TimePoint()), IsOk());
  session.OnConnected();
  session.OnMessage(
      WriteRepoMessage(PeerMessage{.sender = "server", .target = "one", .version = "1"}),
      TimePoint());
  while (session.TakeEvent()) {
  }
  for (const bool is_session : {false, true}) {
    EphemeralMessage message{.sender = "two", .target = "one", .document = kShared.ToString()};
    (is_session ? message.session : message.sender) = std::string(1001, 'x');
    session.OnMessage(WriteRepoMessage(message), TimePoint());
    const std::optional<RepoEvent> event = session.TakeEvent();
    ASSERT_TRUE(event);
    const auto* refused = std::get_if<MessageRefused>(&*event);
    ASSERT_NE(refused, nullptr);
    EXPECT_THAT(refused->status, StatusIs(StatusCode::kResourceExhausted));
  }
}

TEST(RepoSession, SaysNothingAfterItHasFailed) {
  RepoSession session({.peer_id = "one"});
  ASSERT_THAT(session.Open(kShared, "actor", TimePoint()), IsOk());
  session.OnConnected();
  session.OnMessage(
      WriteRepoMessage(PeerMessage{.sender = "server", .target = "one", .version = "1"}),
      TimePoint());
  session.OnMessage(WriteRepoMessage(ErrorMessage{.message = "no"}), TimePoint());
  session.SendEphemeral(kShared, "data");
  ASSERT_THAT(session.Find(kShared)->MakeText("content"), IsOk());
  session.Find(kShared)->Commit(1);
  session.OnEdited(kShared, TimePoint());
  session.OnDeadline(TimePoint() + std::chrono::seconds(1));
  EXPECT_EQ(session.TakeMessage(), std::nullopt);
}

}  // namespace
}  // namespace cursorwire::collab
