#include "cursorwire/session_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cursorwire/client.h"
#include "cursorwire/conversation.h"
#include "cursorwire/local_upstream.h"
#include "files/locked_file.h"
#include "support/chat_outcome.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;

mode_t ModeOf(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  ::chmod(path.c_str(), 0600);
}

class Sessions : public ::testing::Test {
 protected:
  std::string Path(const char* name) const { return folder_.path() + "/" + name; }
  ChatOutcome Ask(Conversation& talk, const char* prompt) {
    ChatOutcome outcome;
    ChatStream stream = talk.Chat({.prompt = prompt, .model = "acme-5.5"});
    for (const auto& event : stream) outcome.Add(event);
    EXPECT_THAT(outcome.status, IsOk());
    return outcome;
  }
  // A file with one turn in it.
  std::string Saved() {
    Conversation talk = client_.NewConversation();
    Ask(talk, "My name is Ada.");
    EXPECT_THAT(talk.Save(Path("s")), IsOk());
    return Path("s");
  }

  ScratchFolder folder_;
  LocalUpstream upstream_ = *LocalUpstream::Start();
  Client client_ = *Client::Create({.endpoint = upstream_.url(),
                                    .token = "any",
                                    .channel = {.tls = {.ca_pem = upstream_.ca_pem()}},
                                    .environment = Environment{}});
};

TEST_F(Sessions, GoOnInAnotherProgram) {
  const std::string path = Saved();
  EXPECT_EQ(ModeOf(path), 0600u);
  absl::StatusOr<Conversation> talk = Conversation::Load(client_, path);
  ASSERT_THAT(talk, IsOk());
  EXPECT_THAT(talk->history(), SizeIs(1));
  EXPECT_EQ(talk->model(), "acme-5.5");
  const ChatOutcome second = Ask(*talk, "Who am I?");
  EXPECT_THAT(second.text, HasSubstr("Ada"));
  EXPECT_EQ(second.rebuilt, std::nullopt);
  EXPECT_FALSE(second.state_lost);
  ASSERT_THAT(talk->Save(path), IsOk());
  EXPECT_THAT(Conversation::Load(client_, path)->history(), SizeIs(2));
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(Sessions, KeepNoToken) {
  const std::string path = Saved();
  const Client client = *Client::Create({.endpoint = upstream_.url(),
                                         .token = "a-secret-token-of-the-user",
                                         .channel = {.tls = {.ca_pem = upstream_.ca_pem()}}});
  absl::StatusOr<Conversation> talk = Conversation::Load(client, path);
  ASSERT_THAT(talk, IsOk());
  Ask(*talk, "Who am I?");
  ASSERT_THAT(talk->Save(path), IsOk());
  EXPECT_THAT(ReadBytes(path), ::testing::Not(HasSubstr("a-secret-token")));
}

TEST_F(Sessions, GoOnFromBytes) {
  Conversation first = client_.NewConversation();
  Ask(first, "My name is Ada.");
  const SavedConversation saved = first.Serialize();
  EXPECT_THAT(saved.blobs, Not(IsEmpty()));
  for (const std::string& blob : saved.blobs) EXPECT_THAT(saved.bytes, Not(HasSubstr(blob)));
  absl::StatusOr<Conversation> talk = Conversation::Deserialize(client_, saved);
  ASSERT_THAT(talk, IsOk());
  EXPECT_EQ(talk->id(), first.id());
  const ChatOutcome second = Ask(*talk, "Who am I?");
  EXPECT_THAT(second.text, HasSubstr("Ada"));
  EXPECT_EQ(second.rebuilt, std::nullopt);
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(Sessions, GoOnFromBytesWhoseBlobsAreLost) {
  Conversation first = client_.NewConversation();
  Ask(first, "My name is Ada.");
  SavedConversation saved = first.Serialize();
  saved.blobs.pop_back();
  absl::StatusOr<Conversation> talk = Conversation::Deserialize(client_, saved);
  ASSERT_THAT(talk, IsOk());
  const ChatOutcome second = Ask(*talk, "Who am I?");
  EXPECT_THAT(second.rebuilt, Optional(RebuildReason::kStateIncomplete));
  EXPECT_THAT(second.text, HasSubstr("Ada"));
  // Others may have them.
  auto blobs = std::make_shared<MemoryBlobStore>();
  for (const std::string& blob : first.Serialize().blobs) blobs->Put(blob);
  talk = Conversation::Deserialize(client_, saved, {.blobs = blobs});
  ASSERT_THAT(talk, IsOk());
  EXPECT_EQ(Ask(*talk, "Who am I?").rebuilt, std::nullopt);
}

TEST_F(Sessions, RefuseOtherBytes) {
  Conversation first = client_.NewConversation();
  Ask(first, "My name is Ada.");
  SavedConversation saved = first.Serialize();
  saved.bytes[saved.bytes.find("Ada")] = 'E';
  EXPECT_THAT(Conversation::Deserialize(client_, saved), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(Conversation::Deserialize(client_, {}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(Conversation::Deserialize(client_, {.bytes = "cursorwire session 2\n"}),
              StatusIs(absl::StatusCode::kUnimplemented));
}

// docs/protocol.md, traps, 4 and 5.
TEST_F(Sessions, AreNotResumedWithHoles) {
  const std::string path = Saved();
  std::string bytes = ReadBytes(path);
  // A byte of a blob: it has another id now.
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  WriteBytes(path, bytes);
  absl::StatusOr<Conversation> talk = Conversation::Load(client_, path);
  ASSERT_THAT(talk, IsOk());
  const std::string id = talk->id();
  const ChatOutcome outcome = Ask(*talk, "Who am I?");
  EXPECT_THAT(outcome.rebuilt, Optional(RebuildReason::kStateIncomplete));
  EXPECT_THAT(outcome.text, HasSubstr("Ada"));
  EXPECT_NE(talk->id(), id);
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(Sessions, AreReadWhateverTheirLastPartIs) {
  const std::string path = Saved();
  const std::string bytes = ReadBytes(path);
  WriteBytes(path, bytes.substr(0, bytes.size() - 10));
  absl::StatusOr<Conversation> talk = Conversation::Load(client_, path);
  ASSERT_THAT(talk, IsOk());
  const ChatOutcome outcome = Ask(*talk, "Who am I?");
  EXPECT_TRUE(outcome.rebuilt.has_value());
  EXPECT_THAT(outcome.text, HasSubstr("Ada"));
}

TEST_F(Sessions, AreRefusedWhereTheirHistoryIsDamaged) {
  const std::string path = Saved();
  std::string bytes = ReadBytes(path);
  bytes.replace(bytes.find("Ada"), 3, "Eve");
  WriteBytes(path, bytes);
  EXPECT_THAT(Conversation::Load(client_, path),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
}

TEST_F(Sessions, AreRefusedWhereOthersMayReadThem) {
  const std::string path = Saved();
  for (const mode_t mode : {0640U, 0604U, 0620U, 0644U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_THAT(Conversation::Load(client_, path),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("chmod 600")));
    EXPECT_THAT(client_.NewConversation().Save(path),
                StatusIs(absl::StatusCode::kFailedPrecondition));
  }
}

TEST_F(Sessions, AreFilesOfTheirOwn) {
  EXPECT_THAT(Conversation::Load(client_, Path("missing")), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(client_.NewConversation().Save(Path("no/such/folder")),
              StatusIs(absl::StatusCode::kNotFound));
  ASSERT_EQ(::mkdir(Path("folder").c_str(), 0700), 0);
  EXPECT_FALSE(client_.NewConversation().Save(Path("folder")).ok());
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(client_.NewConversation().Save(Path("pipe")),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(Sessions, LeaveOtherFilesAlone) {
  const std::string path = Saved();
  const std::string bytes = ReadBytes(path);
  WriteBytes(Path("t"), "");
  for (const char* name : {"s.new", "s.tmp", ".s", "s~"}) WriteBytes(Path(name), bytes);
  absl::StatusOr<Conversation> talk = Conversation::Load(client_, path);
  ASSERT_THAT(talk, IsOk());
  Ask(*talk, "Who am I?");
  ASSERT_THAT(talk->Save(path), IsOk());
  for (const char* name : {"s.new", "s.tmp", ".s", "s~"}) EXPECT_EQ(ReadBytes(Path(name)), bytes);
}

TEST_F(Sessions, AreNotWrittenOverAFileThatTookTheirPlace) {
  const std::string path = Saved();
  absl::StatusOr<SessionFile> held = SessionFile::Open(path);
  ASSERT_THAT(held, IsOk());
  absl::StatusOr<Conversation> talk = held->Load(client_);
  ASSERT_THAT(talk, IsOk());
  std::filesystem::rename(path, Path("moved"));
  WriteBytes(path, "another");
  EXPECT_THAT(held->Save(*talk), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(ReadBytes(path), "another");
}

TEST_F(Sessions, RemoveNothingButTheirOwn) {
  {
    const absl::StatusOr<SessionFile> made = SessionFile::Open(Path("new"));
    ASSERT_THAT(made, IsOk());
    std::filesystem::rename(Saved(), Path("new"));
  }
  EXPECT_THAT(Conversation::Load(client_, Path("new")), IsOk());
}

TEST_F(Sessions, MayHaveLongNames) {
  const std::string path = Path(std::string(250, 'n').c_str());
  EXPECT_THAT(client_.NewConversation().Save(path), IsOk());
  EXPECT_THAT(Conversation::Load(client_, path), IsOk());
}

TEST_F(Sessions, AreReplacedBehindALink) {
  const std::string path = Saved();
  ASSERT_EQ(::symlink(path.c_str(), Path("link").c_str()), 0);
  absl::StatusOr<Conversation> talk = Conversation::Load(client_, Path("link"));
  ASSERT_THAT(talk, IsOk());
  Ask(*talk, "Who am I?");
  ASSERT_THAT(talk->Save(Path("link")), IsOk());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_THAT(Conversation::Load(client_, path)->history(), SizeIs(2));
}

TEST_F(Sessions, AreHeldByOneAtATime) {
  const std::string path = Saved();
  absl::StatusOr<SessionFile> held = SessionFile::Open(path);
  ASSERT_THAT(held, IsOk());
  EXPECT_FALSE(held->is_new());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(SessionFile::Open(path),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
    // The lock moves to the file that takes its place.
    absl::StatusOr<Conversation> talk = held->Load(client_);
    ASSERT_THAT(talk, IsOk());
    ASSERT_THAT(held->Save(*talk), IsOk());
  }
  { const SessionFile closed = *std::move(held); }
  EXPECT_THAT(SessionFile::Open(path), IsOk());
}

TEST_F(Sessions, LeaveNoFileWhereNothingWasSaved) {
  {
    absl::StatusOr<SessionFile> made = SessionFile::Open(Path("new"));
    ASSERT_THAT(made, IsOk());
    EXPECT_TRUE(made->is_new());
    EXPECT_EQ(ModeOf(Path("new")), 0600u);
    EXPECT_THAT(made->Load(client_)->history(), IsEmpty());
  }
  EXPECT_FALSE(std::filesystem::exists(Path("new")));
  EXPECT_THAT(SessionFile::Open(Path("new"), SessionFile::Missing::kRefuse),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(Sessions, AreListedTheNewestFirst) {
  const std::string path = Saved();
  std::filesystem::copy(path, Path("older"));
  Conversation talk = client_.NewConversation();
  Ask(talk, "Another\nquestion");
  ASSERT_THAT(talk.Save(Path("newer")), IsOk());
  WriteBytes(Path("notes.txt"), "no session");
  WriteBytes(Path("empty"), "");
  WriteBytes(Path(".newer.cursorwire-new"), ReadBytes(Path("newer")));  // of one that was killed
  const absl::StatusOr<std::vector<SessionInfo>> sessions = ListSessions(folder_.path());
  ASSERT_THAT(sessions, IsOk());
  EXPECT_THAT(*sessions, ElementsAre(Field(&SessionInfo::title, "Another question"),
                                     Field(&SessionInfo::path, Path("older")),
                                     Field(&SessionInfo::path, path)));
  EXPECT_EQ(sessions->front().turns, 1u);
  EXPECT_EQ(sessions->front().model, "acme-5.5");
  EXPECT_THAT(ListSessions(Path("none")), StatusIs(absl::StatusCode::kNotFound));
}

// A process that is killed at any moment leaves the former or the new file.
TEST(LockedFile, IsWholeWheneverItsProcessIsKilled) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/file";
  const auto content = [](int i) { return std::string(200'000, static_cast<char>('a' + i % 26)); };
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      absl::StatusOr<LockedFile> file = LockedFile::Open(path, LockedFile::Missing::kMake);
      for (int i = 0; file.ok(); ++i) {
        if (!file->Replace(content(i)).ok() || ::write(pipe[1], "x", 1) != 1) break;
      }
      ::_exit(1);
    }
    // After a few of its writes, and somewhere within the next.
    for (size_t writes = 1 + random() % 3; writes > 0; --writes) {
      char written = 0;
      ASSERT_EQ(::read(pipe[0], &written, 1), 1);
    }
    const auto moment =
        std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 2000);
    while (std::chrono::steady_clock::now() < moment) {
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    ::close(pipe[0]);
    ::close(pipe[1]);
    const std::string bytes = ReadBytes(path);
    ASSERT_THAT(bytes, SizeIs(200'000));
    ASSERT_EQ(bytes, std::string(bytes.size(), bytes[0]));
    ASSERT_EQ(ModeOf(path), 0600u);
  }
}

}  // namespace
}  // namespace cursorwire::test
