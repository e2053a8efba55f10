#include "cursorwire/collab/text_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/cbor/cbor.h"
#include "collab/cbor/cbor_value.h"
#include "collab/presence/cursor.h"
#include "collab/repo/document_id.h"
#include "collab/repo/document_server.h"
#include "collab/repo/repo_message.h"
#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/sync_message.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/text/offset_unit.h"
#include "crdt/text/text_size.h"
#include "support/status_matchers.h"
#include "support/sweep.h"

namespace cursorwire::collab {
namespace {

using absl::StatusCode;
using automerge::Action;
using automerge::OpId;
using automerge::OpView;
using automerge::ValueType;
using crdt::Unit;
using std::chrono::milliseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kGrin = "\xf0\x9f\x98\x80";  // 2 units of UTF-16, 4 bytes
constexpr std::string_view kAcute = "e\xcc\x81";        // 2 code points, 3 bytes
constexpr const char* kScripted = "scripted server";    // its peer id
const DocumentId kTextTestId({7, 8, 9});

RandomBytes TextTestBytes(uint64_t seed) {
  auto random = std::make_shared<std::mt19937_64>(seed);
  return [random](size_t count) {
    std::string bytes;
    while (bytes.size() < count) bytes.push_back(static_cast<char>((*random)()));
    return bytes;
  };
}

// A change of another program.
struct ForeignChange {
  std::string chunk{};
  automerge::ChangeHash hash{};
};
ForeignChange MakeForeignChange(automerge::ChangeHead head, const std::vector<OpView>& ops) {
  automerge::OpWriter writer;
  for (const OpView& op : ops) writer.Append(op);
  head.columns = writer.Finish();
  automerge::ChangeWriter body;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string_view bytes = body.Write(head);
  const automerge::ChangeHash hash = automerge::HashOfChange(bytes, scratch, hasher);
  return {.chunk = automerge::ChangeChunk(bytes, hash), .hash = hash};
}
OpView SetTo(std::string_view key, ValueType type, std::string_view bytes) {
  return {.map_key = key, .action = Action::kSet, .value = {type, bytes}};
}

// What a host has that follows the events alone.
class TextMirror {
 public:
  explicit TextMirror(OffsetUnit unit) : unit_(crdt::UnitOf(unit)) {}

  const std::string& text() const { return text_; }
  void Set(std::string_view text) { text_ = std::string(text); }
  void Replace(size_t at, size_t deleted, std::string_view inserted) {
    const size_t size = crdt::Measure(text_).In(unit_);
    EXPECT_LE(at, size);
    EXPECT_LE(at + deleted, size);
    const size_t begin = crdt::PrefixOf(text_, unit_, at).size();
    const size_t end = crdt::PrefixOf(text_, unit_, at + deleted).size();
    EXPECT_EQ(crdt::Measure(std::string_view(text_).substr(0, begin)).In(unit_), at) << "torn";
    text_.replace(begin, end - begin, inserted);
  }
  void Take(const TextEvent& event) {
    const auto* changed = std::get_if<TextChanged>(&event);
    if (changed == nullptr) return;
    for (const TextEdit& edit : changed->edits) Replace(edit.at, edit.deleted, edit.inserted);
  }

 private:
  const Unit unit_;
  std::string text_;
};

// One session, and what a server says by hand.
class TextSessionTest : public ::testing::Test {
 protected:
  void Create(TextOptions options = {}) {
    if (options.document.empty()) options.document = kTextTestId.ToUrl();
    CreateAsIs(std::move(options));
  }
  void CreateAsIs(const TextOptions& options) {
    mirror_ = std::make_unique<TextMirror>(options.offsets);
    absl::StatusOr<std::unique_ptr<TextSession>> session =
        TextSession::Create(options, TextTestBytes(++seed_), now_);
    ASSERT_THAT(session, IsOk());
    session_ = *std::move(session);
    Pump();
  }
  TextSession& text() { return *session_; }

  void Wait(milliseconds time) {
    now_.steady += time;
    now_.wall += time;
  }
  // Calls at each deadline on the way.
  void Pass(milliseconds time) {
    const auto end = now_.steady + time;
    Pump();
    for (int i = 0; i < 10000; ++i) {
      const auto due = text().deadline();
      if (!due || *due > end) break;
      if (*due > now_.steady) Wait(std::chrono::ceil<milliseconds>(*due - now_.steady));
      text().OnDeadline(now_);
      ASSERT_TRUE(!text().deadline() || *text().deadline() > now_.steady) << "never ends";
      Pump();
    }
    Wait(std::chrono::ceil<milliseconds>(end - now_.steady));
  }
  void Pump() {
    while (const std::optional<std::string> bytes = text().TakeMessage()) {
      const absl::StatusOr<RepoMessage> message = ReadRepoMessage(*bytes);
      ASSERT_THAT(message, IsOk());
      sent_.push_back(*message);
      if (const auto* ephemeral = std::get_if<EphemeralMessage>(&*message)) {
        const std::optional<Cursor> cursor = ReadCursor(ephemeral->data, 0);
        ASSERT_TRUE(cursor);
        cursors_.push_back(*cursor);
      }
    }
    while (const std::optional<TextEvent> event = text().TakeEvent()) {
      if (std::holds_alternative<TextOpened>(*event)) mirror_->Set(text().text());
      mirror_->Take(*event);
      events_.push_back(*event);
    }
  }
  template <typename Event>
  std::vector<Event> Take() {
    std::vector<Event> wanted;
    for (const TextEvent& event : std::exchange(events_, {})) {
      if (const auto* it = std::get_if<Event>(&event)) wanted.push_back(*it);
    }
    return wanted;
  }
  std::vector<Cursor> TakeSentCursors() { return std::exchange(cursors_, {}); }

  // --- the server

  void Give(const RepoMessage& message) { GiveBytes(WriteRepoMessage(message)); }
  void GiveBytes(std::string_view bytes) {
    text().OnMessage(bytes, now_);
    Pump();
  }
  void Join(const std::string& version = "1") {
    text().OnConnected(now_);
    Pump();
    Give(PeerMessage{.sender = kScripted, .target = text().peer_id(), .version = version});
  }
  void Lose() {
    text().OnClosed(absl::UnavailableError("lost"), milliseconds(500));
    Pump();
  }
  std::string DocumentName() { return DocumentId::Parse(text().document_url())->ToString(); }
  void GiveSync(const automerge::SyncMessage& message) {
    Give(DocumentMessage{.sender = kScripted,
                         .target = text().peer_id(),
                         .document = DocumentName(),
                         .data = automerge::WriteSyncMessage(message)});
  }
  void GiveUnavailable() {
    Give(UnavailableMessage{
        .sender = kScripted, .target = text().peer_id(), .document = DocumentName()});
  }
  void GiveChanges(const std::vector<ForeignChange>& changes,
                   std::vector<automerge::ChangeHash> heads) {
    std::sort(heads.begin(), heads.end());
    automerge::SyncMessage message{.heads = std::move(heads),
                                   .have = {automerge::SyncMessage::Have()}};
    for (const ForeignChange& change : changes) message.changes.push_back(change.chunk);
    GiveSync(message);
  }
  void GiveChange(const ForeignChange& change) { GiveChanges({change}, {change.hash}); }
  // All of `theirs_`.
  void GiveTheirs() {
    automerge::SyncMessage message{.heads = theirs_.heads(),
                                   .have = {automerge::SyncMessage::Have()}};
    for (uint32_t i = 0; i < theirs_.changes().size(); ++i) {
      message.changes.push_back(theirs_.ChunkOf(i));
    }
    GiveSync(message);
  }
  // What we have said goes into `theirs_`.
  void TakeOurs() {
    automerge::WaitingChanges waiting(theirs_);
    for (const RepoMessage& message : std::exchange(sent_, {})) {
      const auto* sync = std::get_if<DocumentMessage>(&message);
      if (sync == nullptr) continue;
      const absl::StatusOr<automerge::SyncMessage> said = automerge::ReadSyncMessage(sync->data);
      ASSERT_THAT(said, IsOk());
      for (const std::string_view change : said->changes) {
        ASSERT_THAT(waiting.Add(change), IsOk());
      }
    }
  }
  void EditTheirs(std::string_view key, uint32_t at, uint32_t count, std::string_view text) {
    if (!theirs_.Get(key)) {
      ASSERT_THAT(theirs_.MakeText(key), IsOk());
    }
    ASSERT_THAT(theirs_.Splice(theirs_.Get(key)->id, Unit::kCodePoints, at, count, text), IsOk());
    theirs_.Commit(1);
  }
  void OpenWith(std::string_view content, TextOptions options = {}) {
    EditTheirs("content", 0, 0, content);
    Create(std::move(options));
    Join();
    GiveTheirs();
    ASSERT_TRUE(text().is_opened());
    ASSERT_EQ(text().text(), content);
    events_.clear();
    sent_.clear();
  }
  void GiveCursor(const Cursor& cursor, const std::string& sender = "other") {
    GiveEphemeral(WriteCursor(cursor), sender);
  }
  void GiveEphemeral(const std::string& data, const std::string& sender = "other") {
    Give(EphemeralMessage{.sender = sender,
                          .target = text().peer_id(),
                          .document = DocumentName(),
                          .session = "session of " + sender,
                          .count = ++ephemeral_count_,
                          .data = data});
  }
  int64_t WallMs() const {
    return std::chrono::floor<milliseconds>(now_.wall.time_since_epoch()).count();
  }
  Cursor CursorOf(const std::string& peer, uint32_t position,
                  std::optional<uint32_t> anchor = std::nullopt) const {
    return {.peer_id = peer,
            .name = "Name of " + peer,
            .type = "user",
            .position = position,
            .anchor = anchor,
            .color = "#123456",
            .timestamp = WallMs()};
  }
  // "peer position-anchor hidden"
  std::vector<std::string> TakeShown() {
    std::vector<std::string> lines;
    for (const TextCursorChanged& changed : Take<TextCursorChanged>()) {
      const TextCursor& cursor = changed.cursor;
      std::string line = cursor.peer_id + " " + std::to_string(cursor.position);
      if (cursor.anchor) line += "-" + std::to_string(*cursor.anchor);
      lines.push_back(line + (cursor.hidden ? " hidden" : ""));
    }
    return lines;
  }
  // Somebody puts other things in the place of the text, one after the other.
  void ReplaceTheObject(OffsetUnit unit) {
    OpenWith("old \xf0\x9f\x98\x80 text", {.offsets = unit});
    automerge::ChangeHash last = theirs_.heads()[0];
    OpId former = theirs_.Get("content")->id;  // of the actor "them"
    former.actor = 1;
    uint32_t op = 100;
    uint64_t seq = 0;
    const auto replace = [&](OpView by, std::vector<OpView> further = {}) {
      automerge::ChangeHead head{.actor = "zzzz", .seq = ++seq, .start_op = op};
      head.other_actors = {"them"};
      head.deps.push_back(last);
      by.map_key = "content";
      by.predecessors = {&former, 1};
      further.insert(further.begin(), by);
      const ForeignChange change = MakeForeignChange(head, further);
      last = change.hash;
      GiveChange(change);
      former = {.counter = op, .actor = 0};
      op += 100;
      ExpectMirrored();
    };
    const auto typed = [&op](std::string_view value) {
      return OpView{.object = {op, 0}, .insert = true, .value = {ValueType::kString, value}};
    };
    replace({.action = Action::kMakeText}, {typed("\xc3\xa9")});
    EXPECT_EQ(text().text(), "\xc3\xa9");
    replace({.action = Action::kSet, .value = {ValueType::kString, "a string"}});
    EXPECT_EQ(text().text(), "a string");
    replace({.action = Action::kSet, .value = {ValueType::kString, "another string"}});
    EXPECT_EQ(text().text(), "another string");
    EXPECT_THAT(Take<TextProblem>(), IsEmpty());
    replace({.action = Action::kMakeMap});
    EXPECT_EQ(text().text(), "");
    EXPECT_THAT(Take<TextProblem>(), SizeIs(1));
    replace({.action = Action::kMakeText}, {typed("b")});
    EXPECT_EQ(text().text(), "b");
    replace({.action = Action::kDelete});
    EXPECT_EQ(text().text(), "");
    EXPECT_EQ(text().length(), 0u);
    EXPECT_THAT(Take<TextProblem>(), IsEmpty());
    ASSERT_THAT(text().Insert(0, "again", now_), IsOk());
    EXPECT_EQ(text().text(), "again");
  }
  void ExpectMirrored() { EXPECT_EQ(mirror_->text(), text().text()); }

  Moment now_{.steady = std::chrono::steady_clock::time_point(std::chrono::hours(1)),
              .wall = std::chrono::system_clock::time_point(std::chrono::hours(480000))};
  uint64_t seed_ = 0;
  std::unique_ptr<TextSession> session_;
  std::unique_ptr<TextMirror> mirror_;
  std::vector<RepoMessage> sent_;
  std::vector<Cursor> cursors_;
  std::vector<TextEvent> events_;
  int64_t ephemeral_count_ = 0;
  automerge::Document theirs_{"them"};
};

// --- opening

TEST_F(TextSessionTest, AnEmptySyncIsNoDocumentAndALaterOneOpensIt) {
  Create();
  Join();
  ASSERT_EQ(sent_.size(), 2u);
  ASSERT_TRUE(std::holds_alternative<DocumentMessage>(sent_[1]));
  EXPECT_TRUE(std::get<DocumentMessage>(sent_[1]).request) << "it has nothing of it";
  EXPECT_EQ(std::get<DocumentMessage>(sent_[1]).document, kTextTestId.ToString());
  events_.clear();
  GiveSync({});
  EXPECT_THAT(events_, IsEmpty());
  EXPECT_FALSE(text().is_opened());
  GiveUnavailable();
  EXPECT_THAT(Take<TextUnavailable>(), SizeIs(1));
  GiveUnavailable();
  Pass(milliseconds(20000));
  EXPECT_THAT(events_, IsEmpty()) << "once";
  EditTheirs("content", 0, 0, "late");
  GiveTheirs();
  EXPECT_THAT(Take<TextOpened>(), SizeIs(1));
  EXPECT_EQ(text().text(), "late");
  GiveUnavailable();
  EXPECT_THAT(Take<TextUnavailable>(), IsEmpty());
}

TEST_F(TextSessionTest, IsUnavailableAfterTenSecondsOfSilence) {
  Create();
  Join();
  EXPECT_EQ(text().deadline(), now_.steady + milliseconds(10000));
  Pass(milliseconds(9999));
  EXPECT_THAT(Take<TextUnavailable>(), IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(Take<TextUnavailable>(), SizeIs(1));
  EditTheirs("content", 0, 0, "late");
  GiveTheirs();
  EXPECT_THAT(Take<TextOpened>(), SizeIs(1));
}

TEST_F(TextSessionTest, TheTimeToOpenIsThatOfTheOptions) {
  Create({.open_timeout = milliseconds(70)});
  Join();
  Pass(milliseconds(69));
  EXPECT_THAT(Take<TextUnavailable>(), IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(Take<TextUnavailable>(), SizeIs(1));
}

TEST_F(TextSessionTest, ANewDocumentIsThereAtOnceAndAnnouncedAsSync) {
  CreateAsIs({});
  EXPECT_TRUE(text().is_opened());
  EXPECT_THAT(Take<TextOpened>(), SizeIs(1));
  EXPECT_THAT(text().document_url(), StartsWith("automerge:"));
  EXPECT_THAT(DocumentId::Parse(text().document_url()), IsOk());
  EXPECT_THAT(text().heads(), SizeIs(1));
  Join();
  ASSERT_EQ(sent_.size(), 2u);
  const auto* sync = std::get_if<DocumentMessage>(&sent_[1]);
  ASSERT_NE(sync, nullptr);
  EXPECT_FALSE(sync->request);
  EXPECT_THAT(automerge::ReadSyncMessage(sync->data)->heads, SizeIs(1));
  EXPECT_FALSE(text().is_synced());
  Pass(milliseconds(30000));
  EXPECT_THAT(Take<TextUnavailable>(), IsEmpty());
}

TEST_F(TextSessionTest, ANewDocumentIsOneChangeThatMakesTheText) {
  for (const std::string& field : {std::string(), std::string("notes")}) {
    CreateAsIs({.field = field});
    automerge::Document document("reader");
    automerge::WaitingChanges waiting(document);
    ASSERT_THAT(waiting.Add(text().TakeUnsaved()), IsOk());
    ASSERT_EQ(document.changes().size(), 1u);
    EXPECT_EQ(document.changes().info(0).op_count, 1u);
    const auto value = document.Get(field.empty() ? "content" : field);
    ASSERT_TRUE(value);
    EXPECT_EQ(value->action, Action::kMakeText);
  }
}

TEST_F(TextSessionTest, TwoNewDocumentsAreNotTheSame) {
  CreateAsIs({});
  const std::string first = text().document_url() + text().peer_id();
  CreateAsIs({});
  EXPECT_NE(text().document_url() + text().peer_id(), first);
}

TEST_F(TextSessionTest, RefusesWhatIsNoDocument) {
  for (const char* name : {"3tFP3srLo4iHBPADoLtJ", "automerge:", "x", "automerge:x/path"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(TextSession::Create({.document = name}, TextTestBytes(1), now_),
                StatusIs(StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(TextSession::Create({.document = kTextTestId.ToUrl(), .saved = "no document"},
                                  TextTestBytes(1), now_),
              testing::Not(IsOk()));
}

TEST_F(TextSessionTest, TellsThatChangesOfAFileWaitForOthers) {
  const auto author = TextSession::Create({}, TextTestBytes(1), now_);
  ASSERT_THAT(author, IsOk());
  std::vector<std::string> changes{(*author)->TakeUnsaved()};
  for (const char* text : {"one", "two"}) {
    ASSERT_THAT((*author)->Insert(0, text, now_), IsOk());
    changes.push_back((*author)->TakeUnsaved());
  }
  const auto whole = TextSession::Create(
      {.document = (*author)->document_url(), .saved = changes[0] + changes[1] + changes[2]},
      TextTestBytes(2), now_);
  ASSERT_THAT(whole, IsOk());
  EXPECT_FALSE((*whole)->has_waiting_changes());
  const auto gap =
      TextSession::Create({.document = (*author)->document_url(), .saved = changes[0] + changes[2]},
                          TextTestBytes(3), now_);
  ASSERT_THAT(gap, IsOk());
  EXPECT_TRUE((*gap)->has_waiting_changes());
}

TEST_F(TextSessionTest, ASavedDocumentIsThereAtOnceAndMergedAfterConnecting) {
  EditTheirs("content", 0, 0, "saved");
  Create({.saved = *theirs_.Save()});
  EXPECT_THAT(Take<TextOpened>(), SizeIs(1));
  EXPECT_EQ(text().text(), "saved");
  EXPECT_EQ(text().saved_bytes(), theirs_.Save()->size());
  ASSERT_THAT(text().Replace(5, 0, " here", now_), IsOk());
  mirror_->Set(text().text());
  EditTheirs("content", 0, 0, "was ");
  Join();
  EXPECT_FALSE(std::get<DocumentMessage>(sent_.back()).request);
  GiveTheirs();
  EXPECT_THAT(Take<TextOpened>(), IsEmpty()) << "once";
  EXPECT_EQ(text().text(), "was saved here");
  ExpectMirrored();
  TakeOurs();
  EXPECT_EQ(theirs_.FindSequence(theirs_.Get("content")->id)->Text(), "was saved here");
  Pass(milliseconds(20000));
  EXPECT_THAT(Take<TextUnavailable>(), IsEmpty());
}

// A change waits for one that comes later, since a filter said that we have it.
TEST_F(TextSessionTest, ASavedDocumentThatComesInPartsKeepsItsMirrorRight) {
  EditTheirs("content", 0, 0, "saved");
  Create({.saved = *theirs_.Save()});
  automerge::Document second("second");
  automerge::WaitingChanges waiting(second);
  ASSERT_THAT(waiting.Add(*theirs_.Save()), IsOk());
  EditTheirs("content", 5, 0, "1");
  EditTheirs("content", 6, 0, "2");
  ASSERT_THAT(second.Splice(second.Get("content")->id, Unit::kCodePoints, 0, 5, "X"), IsOk());
  second.Commit(1);
  Join();
  events_.clear();
  const auto chunk_of = [](const automerge::Document& document, uint32_t i) {
    return ForeignChange{.chunk = document.ChunkOf(i), .hash = document.changes().hash(i)};
  };
  const std::vector<automerge::ChangeHash> heads = {theirs_.heads()[0], second.heads()[0]};
  GiveChanges({chunk_of(second, 1), chunk_of(theirs_, 2)}, heads);
  ExpectMirrored();
  EXPECT_EQ(text().text(), "X");
  EXPECT_EQ(text().length(), 1u);
  // The host edits what it knows of.
  const std::string before = mirror_->text();
  const auto at = static_cast<uint32_t>(before.size());
  ASSERT_THAT(text().Replace(at, 0, "!", now_), IsOk());
  mirror_->Replace(at, 0, "!");
  Pump();
  ExpectMirrored();
  GiveChanges({chunk_of(theirs_, 1)}, heads);
  ExpectMirrored();
}

// The same, but the host reads the text in between.
TEST_F(TextSessionTest, TheTextIsNeverOlderThanTheHeads) {
  EditTheirs("content", 0, 0, "saved");
  Create({.saved = *theirs_.Save()});
  automerge::Document second("second");
  automerge::WaitingChanges waiting(second);
  ASSERT_THAT(waiting.Add(*theirs_.Save()), IsOk());
  ASSERT_THAT(second.Splice(second.Get("content")->id, Unit::kCodePoints, 0, 0, "X"), IsOk());
  second.Commit(1);
  Join();
  ASSERT_EQ(text().text(), "saved");
  // The server has one more that never comes.
  GiveChanges({{.chunk = second.ChunkOf(1), .hash = second.changes().hash(1)}},
              {second.heads()[0], automerge::ChangeHash{.bytes = {1}}});
  ASSERT_THAT(text().heads(), ElementsAre(second.heads()[0].ToHex()));
  EXPECT_EQ(text().text(), "Xsaved");
  ExpectMirrored();
}

TEST_F(TextSessionTest, IsNotOpenBeforeAllOfItIsHere) {
  EditTheirs("content", 0, 0, "one");
  EditTheirs("content", 3, 0, " two");
  Create();
  Join();
  automerge::SyncMessage message{.heads = theirs_.heads(), .changes = {theirs_.ChunkOf(0)}};
  GiveSync(message);
  EXPECT_FALSE(text().is_opened());
  EXPECT_THAT(text().Replace(0, 0, "x", now_), StatusIs(StatusCode::kFailedPrecondition));
  message.changes = {theirs_.ChunkOf(1)};
  GiveSync(message);
  EXPECT_TRUE(text().is_opened());
  EXPECT_EQ(text().text(), "one two");
}

TEST_F(TextSessionTest, ShowsAStringUntilTheFirstEditMakesATextOfIt) {
  const ForeignChange change = MakeForeignChange(
      {.actor = "p"}, {SetTo("content", ValueType::kString, "plain \xf0\x9f\x98\x80 text")});
  Create();
  Join();
  GiveChange(change);
  EXPECT_THAT(Take<TextOpened>(), SizeIs(1));
  EXPECT_EQ(text().text(), "plain \xf0\x9f\x98\x80 text");
  EXPECT_EQ(text().length(), 12u);
  EXPECT_THAT(Take<TextProblem>(), IsEmpty());
  ASSERT_THAT(text().Replace(6, 1, "old", now_), IsOk());
  EXPECT_EQ(text().text(), "plain old text");
  // With the old value as its predecessor.
  automerge::Document reader("reader");
  automerge::WaitingChanges waiting(reader);
  ASSERT_THAT(waiting.Add(*text().Save()), IsOk());
  const auto value = reader.Get("content");
  ASSERT_TRUE(value);
  ASSERT_EQ(value->action, Action::kMakeText);
  EXPECT_EQ(reader.FindSequence(value->id)->Text(), "plain old text");
  EXPECT_EQ(reader.changes().size(), 2u) << "one change";
}

TEST_F(TextSessionTest, NoEditOfAStringIsNoChange) {
  Create();
  Join();
  GiveChange(MakeForeignChange({.actor = "p"}, {SetTo("content", ValueType::kString, "plain")}));
  const std::vector<std::string> heads = text().heads();
  EXPECT_THAT(text().Replace(2, 0, "", now_), IsOk());
  EXPECT_THAT(text().SetText("plain", now_), IsOk());
  EXPECT_EQ(text().heads(), heads);
  ASSERT_THAT(text().SetText("plane", now_), IsOk());
  EXPECT_EQ(text().text(), "plane");
  EXPECT_NE(text().heads(), heads);
}

TEST_F(TextSessionTest, AMissingKeyIsAnEmptyTextUntilTheFirstEdit) {
  Create();
  Join();
  GiveChange(MakeForeignChange({.actor = "p"}, {SetTo("title", ValueType::kString, "x")}));
  EXPECT_THAT(Take<TextOpened>(), SizeIs(1));
  EXPECT_EQ(text().text(), "");
  EXPECT_EQ(text().length(), 0u);
  ASSERT_THAT(text().Insert(5, "new", now_), IsOk());
  EXPECT_EQ(text().text(), "new");
  automerge::Document reader("reader");
  automerge::WaitingChanges waiting(reader);
  ASSERT_THAT(waiting.Add(*text().Save()), IsOk());
  EXPECT_TRUE(reader.Get("content"));
}

TEST_F(TextSessionTest, AFirstChangeWithoutOperationsIsADocument) {
  const ForeignChange empty = MakeForeignChange({.actor = "p"}, {});
  Create();
  Join();
  GiveChange(empty);
  EXPECT_THAT(Take<TextOpened>(), SizeIs(1));
  automerge::ChangeHead head{.actor = "p", .seq = 2};
  head.deps.push_back(empty.hash);
  const ForeignChange made = MakeForeignChange(
      head, {{.map_key = "content", .action = Action::kMakeText},
             {.object = {1, 0}, .insert = true, .value = {ValueType::kString, "a"}}});
  GiveChange(made);
  EXPECT_EQ(text().text(), "a");
  ExpectMirrored();
}

TEST_F(TextSessionTest, OtherTypesAreAProblemAndCannotBeEdited) {
  Create();
  Join();
  const ForeignChange number =
      MakeForeignChange({.actor = "p"}, {SetTo("content", ValueType::kUint, "\x05")});
  GiveChange(number);
  EXPECT_TRUE(text().is_opened());
  const std::vector<TextProblem> problems = Take<TextProblem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].status,
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("not a text document")));
  EXPECT_EQ(text().text(), "");
  EXPECT_THAT(text().Replace(0, 0, "x", now_), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(text().SetText("x", now_), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(text().heads(), std::vector<std::string>{number.hash.ToHex()});
  // Somebody mends it.
  automerge::ChangeHead head{.actor = "p", .seq = 2, .start_op = 2};
  head.deps.push_back(number.hash);
  const OpId former{.counter = 1, .actor = 0};
  GiveChange(MakeForeignChange(
      head, {{.map_key = "content", .action = Action::kMakeText, .predecessors = {&former, 1}},
             {.object = {2, 0}, .insert = true, .value = {ValueType::kString, "a"}}}));
  EXPECT_EQ(text().text(), "a");
  ExpectMirrored();
  EXPECT_THAT(text().Replace(1, 0, "b", now_), IsOk());
  EXPECT_EQ(text().text(), "ab");
}

TEST_F(TextSessionTest, TakesTextWhereContentIsNotThere) {
  EditTheirs("text", 0, 0, "below text");
  for (const std::string& field : {std::string(), std::string("content"), std::string("text")}) {
    SCOPED_TRACE(field);
    Create({.field = field});
    Join();
    GiveTheirs();
    EXPECT_EQ(text().text(), field == "content" ? "" : "below text");
    ASSERT_THAT(text().Insert(0, "x", now_), IsOk());
    EXPECT_EQ(text().text(), field == "content" ? "x" : "xbelow text");
    automerge::Document reader("reader");
    automerge::WaitingChanges waiting(reader);
    ASSERT_THAT(waiting.Add(*text().Save()), IsOk());
    EXPECT_EQ(reader.Get("content").has_value(), field == "content");
  }
}

TEST_F(TextSessionTest, ContentIsTakenBeforeText) {
  EditTheirs("text", 0, 0, "below text");
  Create();
  Join();
  GiveTheirs();
  ASSERT_EQ(text().text(), "below text");
  EditTheirs("content", 0, 0, "below content");
  GiveTheirs();
  EXPECT_EQ(text().text(), "below content");
  ExpectMirrored();
}

TEST_F(TextSessionTest, OfTextsMadeAtTheSameTimeOneCounts) {
  for (const std::string& actor : {std::string("\x01"), std::string(20, '\xff')}) {
    Create();
    Join();
    const ForeignChange first =
        MakeForeignChange({.actor = "p"}, {SetTo("title", ValueType::kString, "x")});
    GiveChange(first);
    ASSERT_THAT(text().Insert(0, "ours", now_), IsOk());
    mirror_->Set("ours");
    automerge::ChangeHead head{.actor = actor, .start_op = 2};
    head.deps.push_back(first.hash);
    const ForeignChange theirs = MakeForeignChange(
        head, {{.map_key = "content", .action = Action::kMakeText},
               {.object = {2, 0}, .insert = true, .value = {ValueType::kString, "t"}}});
    GiveChange(theirs);
    EXPECT_EQ(text().text(), actor == "\x01" ? "ours" : "t");
    ExpectMirrored();
    ASSERT_THAT(text().Insert(0, "+", now_), IsOk());
    mirror_->Replace(0, 0, "+");
    ExpectMirrored();
  }
}

TEST_F(TextSessionTest, AnObjectThatIsReplacedLeadsToTheRightTextInCodePoints) {
  ReplaceTheObject(OffsetUnit::kCodePoints);
}
TEST_F(TextSessionTest, AnObjectThatIsReplacedLeadsToTheRightTextInUtf16) {
  ReplaceTheObject(OffsetUnit::kUtf16);
}
TEST_F(TextSessionTest, AnObjectThatIsReplacedLeadsToTheRightTextInBytes) {
  ReplaceTheObject(OffsetUnit::kBytes);
}

// --- edits

TEST_F(TextSessionTest, RefusesEditsBeforeItIsOpen) {
  Create();
  EXPECT_THAT(text().Replace(0, 0, "x", now_), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(text().SetText("x", now_), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(text().text(), "");
  EXPECT_THAT(text().heads(), IsEmpty());
  EXPECT_EQ(text().TakeUnsaved(), "");
}

TEST_F(TextSessionTest, CutsPlacesToTheText) {
  CreateAsIs({});
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  ASSERT_THAT(text().Replace(kMost, kMost, "abc", now_), IsOk());
  EXPECT_EQ(text().text(), "abc");
  ASSERT_THAT(text().Replace(2, kMost, "", now_), IsOk());
  EXPECT_EQ(text().text(), "ab");
  ASSERT_THAT(text().Replace(3, 1, "!", now_), IsOk());
  EXPECT_EQ(text().text(), "ab!");
  ASSERT_THAT(text().Replace(0, kMost, "", now_), IsOk());
  EXPECT_EQ(text().text(), "");
}

TEST_F(TextSessionTest, CountsInTheUnitsOfTheOptions) {
  struct Case {
    OffsetUnit unit;
    uint32_t length;
    uint32_t after_grin;
    uint32_t line_end;
  };
  const std::string content = std::string(kAcute) + std::string(kGrin) + "\r\nx";
  for (const Case& c : {Case{OffsetUnit::kCodePoints, 6, 3, 5}, Case{OffsetUnit::kUtf16, 7, 4, 6},
                        Case{OffsetUnit::kBytes, 10, 7, 9}}) {
    CreateAsIs({.offsets = c.unit});
    ASSERT_THAT(text().SetText(content, now_), IsOk());
    EXPECT_EQ(text().text(), content);
    EXPECT_EQ(text().length(), c.length);
    ASSERT_THAT(text().Insert(c.line_end, "L", now_), IsOk());
    ASSERT_THAT(text().Insert(c.after_grin, "G", now_), IsOk());
    EXPECT_EQ(text().text(), std::string(kAcute) + std::string(kGrin) + "G\r\nLx");
  }
}

TEST_F(TextSessionTest, NeverTearsACharacter) {
  for (const OffsetUnit unit : {OffsetUnit::kUtf16, OffsetUnit::kBytes}) {
    SCOPED_TRACE(static_cast<int>(unit));
    CreateAsIs({.offsets = unit});
    ASSERT_THAT(text().SetText("a" + std::string(kGrin) + "b", now_), IsOk());
    ASSERT_THAT(text().Insert(2, "x", now_), IsOk());
    EXPECT_EQ(text().text(), "a" + std::string(kGrin) + "xb");
    ASSERT_THAT(text().Replace(2, 1, "", now_), IsOk());
    EXPECT_EQ(text().text(), "axb") << "all of it";
  }
}

TEST_F(TextSessionTest, WhatIsNotUtf8BecomesReplacementCharacters) {
  CreateAsIs({});
  ASSERT_THAT(text().Insert(0,
                            "a\xff"
                            "b\xed\xa0\xbd",
                            now_),
              IsOk());
  EXPECT_EQ(text().text().substr(0, 5),
            "a\xef\xbf\xbd"
            "b");
  ASSERT_THAT(text().SetText("\xf0\x9f", now_), IsOk());
  EXPECT_EQ(text().text().substr(0, 3), "\xef\xbf\xbd");
}

TEST_F(TextSessionTest, AnEditIsOneChangeAndNoneIsNoChange) {
  OpenWith("one two three");
  const auto changes = [this] {
    automerge::Document reader("reader");
    automerge::WaitingChanges waiting(reader);
    EXPECT_THAT(waiting.Add(*text().Save()), IsOk());
    EXPECT_THAT(reader.NeedHistory(), IsOk());
    return reader.changes().size();
  };
  const size_t before = changes();
  ASSERT_THAT(text().SetText("One two Three!", now_), IsOk());
  EXPECT_EQ(changes(), before + 1);
  ASSERT_THAT(text().Replace(3, 4, " or", now_), IsOk());
  EXPECT_EQ(changes(), before + 2);
  ASSERT_THAT(text().SetText(text().text(), now_), IsOk());
  ASSERT_THAT(text().Replace(3, 0, "", now_), IsOk());
  EXPECT_EQ(changes(), before + 2);
  Pump();
  EXPECT_THAT(Take<TextChanged>(), IsEmpty()) << "our own";
}

TEST_F(TextSessionTest, SetTextKeepsWhatOthersDoAtTheSameTime) {
  OpenWith("one two three four");
  ASSERT_THAT(text().SetText("1 two three 4", now_), IsOk());
  mirror_->Set(text().text());
  EditTheirs("content", 8, 5, "3");
  EditTheirs("content", 7, 0, ",");
  GiveTheirs();
  EXPECT_EQ(text().text(), "1 two, 3 4");
  ExpectMirrored();
}

TEST_F(TextSessionTest, SetTextKeepsLineEndsAsTheyAre) {
  OpenWith("a\r\nb\nc\r");
  ASSERT_THAT(text().SetText("a\nb\r\nc\r\r\n", now_), IsOk());
  EXPECT_EQ(text().text(), "a\nb\r\nc\r\r\n");
}

// Longer than one character is a legal value of an element.
TEST_F(TextSessionTest, SetTextIsTheTextAlsoWhereElementsAreLong) {
  Create();
  Join();
  GiveChange(MakeForeignChange(
      {.actor = "p"},
      {{.map_key = "content", .action = Action::kMakeText},
       {.object = {1, 0}, .insert = true, .value = {ValueType::kString, "word"}},
       {.object = {1, 0}, .element = {2, 0}, .insert = true, .value = {ValueType::kString, "!"}}}));
  ASSERT_EQ(text().text(), "word!");
  ASSERT_THAT(text().SetText("ward!", now_), IsOk());
  EXPECT_EQ(text().text(), "ward!");
}

TEST_F(TextSessionTest, BlocksInsideTheTextAreOneCharacter) {
  Create();
  Join();
  GiveChange(MakeForeignChange(
      {.actor = "p"},
      {{.map_key = "content", .action = Action::kMakeText},
       {.object = {1, 0}, .insert = true, .value = {ValueType::kString, "a"}},
       {.object = {1, 0}, .element = {2, 0}, .insert = true, .action = Action::kMakeMap},
       {.object = {1, 0}, .element = {3, 0}, .insert = true, .value = {ValueType::kString, "b"}}}));
  ASSERT_EQ(text().text(),
            "a\xef\xbf\xbc"
            "b");
  EXPECT_EQ(text().length(), 3u);
  ASSERT_THAT(text().SetText("a\xef\xbf\xbc"
                             "c",
                             now_),
              IsOk());
  EXPECT_EQ(text().text(),
            "a\xef\xbf\xbc"
            "c");
}

TEST_F(TextSessionTest, SaysWhetherTheServerHasAll) {
  OpenWith("text");
  GiveSync({.heads = theirs_.heads(), .have = {{.last_sync = theirs_.heads()}}});
  EXPECT_TRUE(text().is_synced());
  ASSERT_THAT(text().Insert(0, "x", now_), IsOk());
  EXPECT_FALSE(text().is_synced());
  Pump();
  TakeOurs();
  GiveSync({.heads = theirs_.heads(), .have = {{.last_sync = theirs_.heads()}}});
  EXPECT_TRUE(text().is_synced());
  Lose();
  EXPECT_FALSE(text().is_synced());
}

// --- anchors

TEST_F(TextSessionTest, AnAnchorStaysAtItsCharacter) {
  OpenWith(
      "a\xf0\x9f\x98\x80"
      "bc",
      {.offsets = OffsetUnit::kUtf16});
  const TextAnchor at_b = text().AnchorAt(3);
  const TextAnchor in_pair = text().AnchorAt(2);
  const TextAnchor at_end = text().AnchorAt(5);
  EXPECT_EQ(text().PlaceOf(at_b), 3u);
  EXPECT_EQ(text().PlaceOf(in_pair), 1u) << "inside a pair";
  EXPECT_EQ(text().PlaceOf(at_end), 5u);
  EXPECT_EQ(text().PlaceOf(text().AnchorAt(1000)), 5u);
  EXPECT_EQ(text().PlaceOf(TextAnchor()), 5u);
  ASSERT_THAT(text().Insert(0, "xx", now_), IsOk());
  EXPECT_EQ(text().PlaceOf(at_b), 5u);
  EditTheirs("content", 1, 1, "");
  GiveTheirs();
  EXPECT_EQ(text().PlaceOf(in_pair), 3u) << "what it was at is gone";
  EXPECT_EQ(text().PlaceOf(at_b), 3u);
  ASSERT_THAT(text().Replace(3, 2, "", now_), IsOk());
  EXPECT_EQ(text().PlaceOf(at_b), 3u);
  ASSERT_THAT(text().Insert(3, "yy", now_), IsOk());
  EXPECT_EQ(text().PlaceOf(at_end), 5u);
  ASSERT_THAT(text().SetText("", now_), IsOk());
  EXPECT_EQ(text().PlaceOf(at_b), 0u);
  EXPECT_EQ(text().PlaceOf(at_end), 0u);
}

TEST_F(TextSessionTest, AnAnchorOfAnObjectThatWasReplacedIsTheEnd) {
  OpenWith("old");
  const TextAnchor anchor = text().AnchorAt(1);
  ASSERT_THAT(theirs_.MakeText("content"), IsOk());
  EditTheirs("content", 0, 0, "newer");
  GiveTheirs();
  ASSERT_EQ(text().text(), "newer");
  EXPECT_EQ(text().PlaceOf(anchor), 5u);
  EXPECT_EQ(text().PlaceOf(TextAnchor{.element = std::numeric_limits<uint64_t>::max()}), 5u);
  EXPECT_EQ(text().PlaceOf(TextAnchor{.element = uint64_t{1} << 32}), 5u);
}

TEST_F(TextSessionTest, AnAnchorOfASavedDocumentOutlivesTheFirstEdit) {
  EditTheirs("content", 0, 0, "saved");
  Create({.saved = *theirs_.Save()});
  const TextAnchor anchor = text().AnchorAt(2);
  ASSERT_EQ(text().PlaceOf(anchor), 2u);
  ASSERT_THAT(text().Insert(0, "xy", now_), IsOk());
  EXPECT_EQ(text().PlaceOf(anchor), 4u);
}

TEST_F(TextSessionTest, AnAnchorInAStringIsNotMovedToItsEnd) {
  Create();
  Join();
  GiveChange(MakeForeignChange({.actor = "p"}, {SetTo("content", ValueType::kString, "plain")}));
  EXPECT_EQ(text().PlaceOf(text().AnchorAt(2)), 2u);
  EXPECT_EQ(text().PlaceOf(text().AnchorAt(5)), 5u);
}

// --- our cursor

TEST_F(TextSessionTest, SendsTheFirstCursorAtOnceAndThenOneInAHundredMilliseconds) {
  OpenWith("0123456789");
  text().SetCursor(1, now_);
  Pump();
  ASSERT_THAT(TakeSentCursors(), SizeIs(1));
  Wait(milliseconds(30));
  text().SetCursor(2, now_);
  Wait(milliseconds(30));
  text().SetCursor(3, now_);
  Pump();
  EXPECT_THAT(TakeSentCursors(), IsEmpty());
  ASSERT_EQ(text().deadline(), now_.steady + milliseconds(40));
  Wait(milliseconds(39));
  text().OnDeadline(now_);
  Pump();
  EXPECT_THAT(TakeSentCursors(), IsEmpty());
  Wait(milliseconds(1));
  text().OnDeadline(now_);
  Pump();
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].position, 3u) << "the newest";
  EXPECT_EQ(sent[0].timestamp, WallMs());
}

TEST_F(TextSessionTest, ThrottlesChangesOfTypeAndPatternAlike) {
  OpenWith("0123456789");
  text().SetCursor({.type = "ai", .position = 1, .operation_type = "insert"}, now_);
  for (int i = 0; i < 20; ++i) {
    Pass(milliseconds(10));
    text().SetCursor({.type = "streaming_edit",
                      .position = 1,
                      .partial_pattern = std::string(static_cast<size_t>(i) + 1, 'p')},
                     now_);
  }
  Pass(milliseconds(300));
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(4));
  EXPECT_EQ(sent[0].type, "ai");
  EXPECT_EQ(sent[0].operation_type, "insert");
  for (size_t i = 1; i < sent.size(); ++i) {
    EXPECT_GE(sent[i].timestamp, sent[i - 1].timestamp + 100);
  }
  EXPECT_EQ(sent.back().partial_pattern, std::string(20, 'p')) << "always the last one";
}

TEST_F(TextSessionTest, RepeatsTheCursorEachFiveSecondsAtThePlaceOfNow) {
  OpenWith("0123456789");
  text().SetCursor({.position = 5, .anchor = 2}, now_);
  Pump();
  const int64_t first = WallMs();
  ASSERT_THAT(TakeSentCursors(), SizeIs(1));
  Pass(milliseconds(4999));
  EXPECT_THAT(TakeSentCursors(), IsEmpty());
  Pass(milliseconds(1));
  std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].timestamp, first + 5000);
  EXPECT_EQ(sent[0].position, 5u);
  EXPECT_EQ(sent[0].anchor, 2u);
  ASSERT_THAT(text().Insert(0, std::string(kGrin), now_), IsOk());
  EditTheirs("content", 3, 1, "three");
  GiveTheirs();
  Pass(milliseconds(5000));
  sent = TakeSentCursors();
  ASSERT_FALSE(sent.empty());
  EXPECT_EQ(sent.back().position, 5u + 2 + 4);
  EXPECT_EQ(sent.back().anchor, 2u + 2);
  Pass(milliseconds(60000));
  EXPECT_THAT(TakeSentCursors(), SizeIs(12));
}

TEST_F(TextSessionTest, StopCursorSaysNothingMore) {
  OpenWith("0123456789");
  text().SetCursor(1, now_);
  text().SetCursor(2, now_);
  Pump();
  ASSERT_THAT(TakeSentCursors(), SizeIs(1));
  text().StopCursor();
  Pass(milliseconds(60000));
  EXPECT_THAT(TakeSentCursors(), IsEmpty());
  EXPECT_EQ(text().deadline(), std::nullopt);
}

TEST_F(TextSessionTest, StopCursorDoesNotLiftTheThrottle) {
  OpenWith("0123456789");
  for (uint32_t i = 0; i < 10; ++i) {
    text().SetCursor(i, now_);
    text().StopCursor();
    Pass(milliseconds(5));
  }
  text().SetCursor(9, now_);
  Pass(milliseconds(40));
  EXPECT_THAT(TakeSentCursors(), SizeIs(1)) << "at most one in 100 ms";
  Pass(milliseconds(100));
  const std::vector<Cursor> sent = TakeSentCursors();
  EXPECT_TRUE(sent.empty() || sent.back().position == 9);
}

TEST_F(TextSessionTest, StopCursorDropsWhatIsHeldBack) {
  OpenWith("0123456789");
  Lose();
  text().SetCursor(3, now_);
  text().StopCursor();
  Join();
  GiveTheirs();
  Pass(milliseconds(20000));
  EXPECT_THAT(TakeSentCursors(), IsEmpty());
}

TEST_F(TextSessionTest, SendsNoCursorBeforeTheDocumentIsThereAndTheNewestAfter) {
  Create();
  text().SetCursor(1, now_);
  Join();
  text().SetCursor(2, now_);
  Pass(milliseconds(3000));
  text().SetCursor({.type = "ai", .position = 3}, now_);
  Pass(milliseconds(2500));
  EXPECT_THAT(TakeSentCursors(), IsEmpty());
  EditTheirs("content", 0, 0, "0123456789");
  GiveTheirs();
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].type, "ai") << "the newest";
  EXPECT_EQ(sent[0].timestamp, WallMs());
}

TEST_F(TextSessionTest, ACursorThatWasSetBeforeTheTextCameIsAtItsPlace) {
  Create();
  Join();
  text().SetCursor({.position = 3, .anchor = 5}, now_);
  EditTheirs("content", 0, 0, "0123456789");
  GiveTheirs();
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].position, 3u);
  EXPECT_EQ(sent[0].anchor, 5u);
}

TEST_F(TextSessionTest, HoldsBackTheNewestCursorWhileThereIsNoConnection) {
  OpenWith("0123456789");
  Lose();
  for (uint32_t i = 0; i < 8; ++i) {
    text().SetCursor(i, now_);
    Pass(milliseconds(1000));
  }
  EXPECT_THAT(TakeSentCursors(), IsEmpty());
  Join();
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].position, 7u);
  // After the document was asked for.
  ASSERT_GE(sent_.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<EphemeralMessage>(sent_.back()));
  EXPECT_TRUE(std::any_of(sent_.begin(), sent_.end(), [](const RepoMessage& message) {
    return std::holds_alternative<DocumentMessage>(message);
  }));
}

TEST_F(TextSessionTest, WhatWasHeldBackIsSentWithThePlaceOfNow) {
  OpenWith("0123456789");
  Lose();
  text().SetCursor(3, now_);
  ASSERT_THAT(text().Insert(0, "xx", now_), IsOk());
  Pass(milliseconds(1000));
  Join();
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].position, 5u);
}

TEST_F(TextSessionTest, SendsUtf16WhateverTheUnit) {
  const std::string content = std::string(kAcute) + std::string(kGrin) + "\r\nx";
  struct Case {
    OffsetUnit unit;
    uint32_t place;
    uint32_t anchor;
  };
  for (const Case& c : {Case{OffsetUnit::kCodePoints, 5, 3}, Case{OffsetUnit::kUtf16, 6, 4},
                        Case{OffsetUnit::kBytes, 9, 7}}) {
    CreateAsIs({.offsets = c.unit});
    Join();
    ASSERT_THAT(text().SetText(content, now_), IsOk());
    text().SetCursor({.position = c.place, .anchor = c.anchor}, now_);
    Pump();
    const std::vector<Cursor> sent = TakeSentCursors();
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0].position, 6u);
    EXPECT_EQ(sent[0].anchor, 4u);
  }
}

TEST_F(TextSessionTest, OurCursorIsCutToTheTextAndToCharacters) {
  OpenWith(
      "a\xf0\x9f\x98\x80"
      "b",
      {.offsets = OffsetUnit::kUtf16});
  text().SetCursor({.position = 1000, .anchor = 2}, now_);
  Pump();
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].position, 4u);
  EXPECT_EQ(sent[0].anchor, 1u);
}

TEST_F(TextSessionTest, OurCursorHasAPlaceInAString) {
  Create();
  Join();
  GiveChange(MakeForeignChange({.actor = "p"}, {SetTo("content", ValueType::kString, "plain")}));
  text().SetCursor(3, now_);
  Pump();
  const std::vector<Cursor> sent = TakeSentCursors();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].position, 3u);
}

TEST_F(TextSessionTest, SendsAllMembersThatOthersNeed) {
  CreateAsIs({.peer_prefix = "ai-"});
  Join();
  text().SetCursor({.type = "ai", .position = 0, .anchor = 0}, now_);
  Pump();
  const auto* ephemeral = std::get_if<EphemeralMessage>(&sent_.back());
  ASSERT_NE(ephemeral, nullptr);
  EXPECT_EQ(ephemeral->sender, text().peer_id());
  const absl::StatusOr<CborValue> message = ReadCbor(ephemeral->data);
  ASSERT_THAT(message, IsOk());
  const auto member = [&message](std::string_view key) {
    const CborValue* value = message->Find(key);
    const auto* string = value == nullptr ? nullptr : value->As<std::string>();
    return string == nullptr ? "" : *string;
  };
  EXPECT_EQ(member("type"), "cursor");
  EXPECT_EQ(member("peerId"), text().peer_id());
  EXPECT_THAT(member("peerId"), StartsWith("ai-"));
  EXPECT_EQ(member("peerId").size(), 11u);
  EXPECT_EQ(member("name"), "Anonymous");
  EXPECT_EQ(member("cursorType"), "ai");
  EXPECT_EQ(member("color"), "#9333EA");
  for (const char* missing : {"anchor", "partialPattern", "operationType"}) {
    EXPECT_EQ(message->Find(missing), nullptr) << missing;
  }
  ASSERT_NE(message->Find("timestamp"), nullptr);
  EXPECT_NE(message->Find("timestamp")->As<double>(), nullptr) << "as JS peers write it";
}

TEST_F(TextSessionTest, OurColorIsTheOneAsked) {
  CreateAsIs({.name = "Zo\xc3\xab"});
  Join();
  const auto sent = [this](const TextCursor& cursor) {
    Pass(milliseconds(200));
    cursors_.clear();
    text().SetCursor(cursor, now_);
    Pump();
    const std::vector<Cursor> cursors = TakeSentCursors();
    return cursors.empty() ? "none" : cursors.back().name + " " + cursors.back().color;
  };
  EXPECT_EQ(sent({.type = "user"}), "Zo\xc3\xab " + std::string(ColorOfPeer(text().peer_id())));
  EXPECT_EQ(sent({.type = "streaming_edit"}), "Zo\xc3\xab #F59E0B");
  EXPECT_EQ(sent({.name = "I", .type = "ai"}), "I #9333EA");
  EXPECT_EQ(sent({.color = "#010203"}), "Zo\xc3\xab #010203");
  CreateAsIs({.color = "#0a0b0c"});
  Join();
  EXPECT_EQ(sent({.type = "user"}), "Anonymous #0a0b0c");
}

TEST_F(TextSessionTest, CountsEphemeralMessagesOverReconnects) {
  OpenWith("0123456789");
  std::vector<int64_t> counts;
  std::vector<std::string> sessions;
  for (uint32_t i = 0; i < 4; ++i) {
    text().SetCursor(i, now_);
    Pass(milliseconds(100));
    for (const RepoMessage& message : std::exchange(sent_, {})) {
      if (const auto* ephemeral = std::get_if<EphemeralMessage>(&message)) {
        counts.push_back(ephemeral->count);
        sessions.push_back(ephemeral->session);
      }
    }
    if (i == 1) {
      Lose();
      Join();
    }
  }
  ASSERT_GE(counts.size(), 4u);
  for (size_t i = 1; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i], counts[i - 1] + 1);
    EXPECT_EQ(sessions[i], sessions[0]);
  }
  EXPECT_FALSE(sessions[0].empty());
}

// --- cursors of others

TEST_F(TextSessionTest, ShowsWhatIsSaidOfACursor) {
  OpenWith("0123456789");
  Cursor cursor = CursorOf("a", 4, 7);
  cursor.type = "painter";
  cursor.partial_pattern = "pat";
  cursor.operation_type = "replace";
  GiveCursor(cursor);
  const std::vector<TextCursorChanged> shown = Take<TextCursorChanged>();
  ASSERT_THAT(shown, SizeIs(1));
  EXPECT_EQ(shown[0].cursor, (TextCursor{.peer_id = "a",
                                         .name = "Name of a",
                                         .type = "painter",
                                         .position = 4,
                                         .anchor = 7,
                                         .color = "#123456",
                                         .partial_pattern = "pat",
                                         .operation_type = "replace"}));
  GiveCursor(cursor);
  EXPECT_THAT(TakeShown(), IsEmpty()) << "nothing new";
}

TEST_F(TextSessionTest, WhatIsMissingHasADefault) {
  OpenWith("0123456789");
  CborValue::Map map;
  map.emplace_back(CborValue("type"), CborValue("cursor"));
  map.emplace_back(CborValue("peerId"), CborValue("peer-a3f2"));
  map.emplace_back(CborValue("position"), CborValue(2.9));
  map.emplace_back(CborValue("anchor"), CborValue());
  map.emplace_back(CborValue("color"), CborValue("red"));
  map.emplace_back(CborValue("more"), CborValue("x"));
  GiveEphemeral(WriteCbor(CborValue(map)));
  const std::vector<TextCursorChanged> shown = Take<TextCursorChanged>();
  ASSERT_THAT(shown, SizeIs(1));
  EXPECT_EQ(shown[0].cursor, (TextCursor{.peer_id = "peer-a3f2",
                                         .name = "Anonymous",
                                         .type = "user",
                                         .position = 2,
                                         .color = "#85C1E2"}));
}

TEST_F(TextSessionTest, DropsWhatIsNoCursor) {
  OpenWith("0123456789");
  const auto give = [this](const char* type, CborValue peer, CborValue position) {
    CborValue::Map map;
    map.emplace_back(CborValue("type"), CborValue(type));
    map.emplace_back(CborValue("peerId"), std::move(peer));
    map.emplace_back(CborValue("position"), std::move(position));
    GiveEphemeral(WriteCbor(CborValue(map)));
  };
  give("chat", CborValue("a"), CborValue(int64_t{1}));
  give("cursor", CborValue(int64_t{1}), CborValue(int64_t{1}));
  give("cursor", CborValue(), CborValue(int64_t{1}));
  give("cursor", CborValue("a"), CborValue(int64_t{-1}));
  give("cursor", CborValue("a"), CborValue("1"));
  give("cursor", CborValue("a"), CborValue(std::numeric_limits<double>::quiet_NaN()));
  give("cursor", CborValue("a"), CborValue(std::numeric_limits<double>::infinity()));
  GiveEphemeral("");
  GiveEphemeral("\xff\xff");
  EXPECT_THAT(events_, IsEmpty());
  GiveEphemeral(std::string(64 * 1024 + 1, 'x'));
  EXPECT_THAT(Take<TextProblem>(), SizeIs(1));
  GiveCursor(CursorOf("a", 1));
  EXPECT_THAT(TakeShown(), ElementsAre("a 1"));
}

TEST_F(TextSessionTest, ShowsNoCursorOfItsOwn) {
  OpenWith("0123456789");
  GiveCursor(CursorOf(text().peer_id(), 1), "another process");
  GiveCursor(CursorOf("a", 1), text().peer_id());
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(TextSessionTest, NeverForwards) {
  OpenWith("0123456789");
  GiveCursor(CursorOf("a", 1));
  Pass(milliseconds(20000));
  EXPECT_THAT(sent_, IsEmpty());
}

TEST_F(TextSessionTest, OfTwoProcessesWithOnePeerIdTheNewerMessageWins) {
  OpenWith("0123456789");
  GiveCursor(CursorOf("a", 1), "first");
  Cursor behind = CursorOf("a", 2);
  behind.timestamp -= 3600 * 1000;  // its clock is wrong
  GiveCursor(behind, "second");
  EXPECT_THAT(TakeShown(), ElementsAre("a 1", "a 2"));
  Wait(milliseconds(10));
  GiveCursor(CursorOf("a", 3), "first");
  EXPECT_THAT(TakeShown(), ElementsAre("a 3"));
}

TEST_F(TextSessionTest, AnOlderMessageOfTheSameSenderIsDropped) {
  OpenWith("0123456789");
  GiveCursor(CursorOf("a", 1));
  Cursor older = CursorOf("a", 2);
  --older.timestamp;
  GiveCursor(older);
  EXPECT_THAT(TakeShown(), ElementsAre("a 1"));
  GiveCursor(CursorOf("a", 3));  // of the same millisecond
  EXPECT_THAT(TakeShown(), ElementsAre("a 3"));
}

TEST_F(TextSessionTest, ACursorIsStaleTenSecondsAfterItsReceiptWhateverItsClockSays) {
  OpenWith("0123456789");
  Cursor old = CursorOf("old", 1);
  old.timestamp = 1;
  Cursor future = CursorOf("future", 2);
  future.timestamp += int64_t{365} * 24 * 3600 * 1000;
  GiveCursor(old);
  GiveCursor(future);
  EXPECT_THAT(TakeShown(), ElementsAre("old 1", "future 2"));
  Pass(milliseconds(9999));
  EXPECT_THAT(events_, IsEmpty());
  ++old.timestamp;
  GiveCursor(old);
  EXPECT_EQ(text().deadline(), now_.steady + milliseconds(1));
  Pass(milliseconds(1));
  std::vector<TextCursorRemoved> removed = Take<TextCursorRemoved>();
  ASSERT_THAT(removed, SizeIs(1));
  EXPECT_EQ(removed[0].peer_id, "future");
  Pass(milliseconds(9998));
  EXPECT_THAT(events_, IsEmpty());
  Pass(milliseconds(1));
  removed = Take<TextCursorRemoved>();
  ASSERT_THAT(removed, SizeIs(1));
  EXPECT_EQ(removed[0].peer_id, "old");
  EXPECT_EQ(text().deadline(), std::nullopt);
  // It comes back.
  GiveCursor(CursorOf("old", 1));
  EXPECT_THAT(TakeShown(), ElementsAre("old 1"));
}

TEST_F(TextSessionTest, CursorsGoStaleWithoutAConnectionToo) {
  OpenWith("0123456789");
  GiveCursor(CursorOf("a", 1));
  Lose();
  Pass(milliseconds(9999));
  EXPECT_THAT(Take<TextCursorRemoved>(), IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(Take<TextCursorRemoved>(), SizeIs(1));
}

TEST_F(TextSessionTest, ACursorThatWasNeverShownIsNotRemoved) {
  Create();
  Join();
  events_.clear();
  GiveCursor(CursorOf("a", 1));
  Pass(milliseconds(30000));
  EXPECT_THAT(Take<TextCursorRemoved>(), IsEmpty());
}

TEST_F(TextSessionTest, ACursorIsHiddenAtALineEndButNotAtTheEnd) {
  OpenWith("ab\ncd\r\nef");
  GiveCursor(CursorOf("newline", 2));
  GiveCursor(CursorOf("return", 5));
  GiveCursor(CursorOf("feed", 6));
  GiveCursor(CursorOf("line", 3));
  GiveCursor(CursorOf("end", 9));
  GiveCursor(CursorOf("selects", 2, 0));
  GiveCursor(CursorOf("selected", 0, 2));
  EXPECT_THAT(TakeShown(), ElementsAre("newline 2 hidden", "return 5 hidden", "feed 6 hidden",
                                       "line 3", "end 9", "selects 2-0 hidden", "selected 0-2"));
}

TEST_F(TextSessionTest, ACursorIsHiddenWhenALineEndComesToIt) {
  OpenWith("ab\ncd");
  GiveCursor(CursorOf("a", 1));
  GiveCursor(CursorOf("end", 5));
  EXPECT_THAT(TakeShown(), ElementsAre("a 1", "end 5"));
  ASSERT_THAT(text().Replace(1, 1, "", now_), IsOk());
  Pump();
  EXPECT_THAT(TakeShown(), ElementsAre("a 1 hidden", "end 4"));
  ASSERT_THAT(text().Replace(1, 1, "", now_), IsOk());
  Pump();
  EXPECT_THAT(TakeShown(), ElementsAre("a 1", "end 3"));
}

TEST_F(TextSessionTest, PlacesOfOthersAreInOurUnits) {
  const std::string content = std::string(kAcute) + std::string(kGrin) + "\r\nx";
  struct Case {
    OffsetUnit unit;
    const char* line;
    const char* end;
    const char* in_pair;
  };
  for (const Case& c : {Case{OffsetUnit::kCodePoints, "a 5-3", "b 6", "c 2"},
                        Case{OffsetUnit::kUtf16, "a 6-4", "b 7", "c 2"},
                        Case{OffsetUnit::kBytes, "a 9-7", "b 10", "c 3"}}) {
    CreateAsIs({.offsets = c.unit});
    Join();
    ASSERT_THAT(text().SetText(content, now_), IsOk());
    GiveCursor(CursorOf("a", 6, 4));
    GiveCursor(CursorOf("b", 1000));
    GiveCursor(CursorOf("c", 3));  // inside the pair
    EXPECT_THAT(TakeShown(), ElementsAre(c.line, c.end, c.in_pair));
  }
}

TEST_F(TextSessionTest, CursorsMoveWithTheEditsOfBothSides) {
  OpenWith("0123456789");
  GiveCursor(CursorOf("a", 4, 8));
  EXPECT_THAT(TakeShown(), ElementsAre("a 4-8"));
  ASSERT_THAT(text().Insert(0, "ours ", now_), IsOk());
  mirror_->Set(text().text());
  Pump();
  EXPECT_THAT(TakeShown(), ElementsAre("a 9-13"));
  EditTheirs("content", 0, 2, "");
  EditTheirs("content", 4, 0, "___");
  GiveTheirs();
  ASSERT_GE(events_.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<TextChanged>(events_[0])) << "first the text";
  EXPECT_THAT(TakeShown(), ElementsAre("a 7-14"));
  ASSERT_THAT(text().SetText(text().text() + "!", now_), IsOk());
  Pump();
  EXPECT_THAT(TakeShown(), IsEmpty()) << "behind both";
  ASSERT_THAT(text().SetText("", now_), IsOk());
  Pump();
  EXPECT_THAT(TakeShown(), ElementsAre("a 0"));
}

// Two units of UTF-16 give way to two: the place in code points and bytes is another one.
TEST_F(TextSessionTest, AMoveThatIsNoneInUtf16IsTold) {
  OpenWith("\xf0\x9f\x98\x80xy");
  GiveCursor(CursorOf("a", 3));
  EXPECT_THAT(TakeShown(), ElementsAre("a 2"));
  EditTheirs("content", 0, 1, "ab");
  GiveTheirs();
  ASSERT_EQ(text().text(), "abxy");
  EXPECT_THAT(TakeShown(), ElementsAre("a 3"));
}

TEST_F(TextSessionTest, CursorsOfOthersHaveAPlaceInAString) {
  Create();
  Join();
  GiveChange(MakeForeignChange({.actor = "p"}, {SetTo("content", ValueType::kString, "pl\nin")}));
  events_.clear();
  GiveCursor(CursorOf("a", 3));
  GiveCursor(CursorOf("b", 100));
  EXPECT_THAT(TakeShown(), ElementsAre("a 3", "b 5"));
}

TEST_F(TextSessionTest, CursorsOfATextThatWasReplacedAreAtTheEnd) {
  OpenWith("0123456789");
  GiveCursor(CursorOf("a", 4));
  ASSERT_THAT(theirs_.MakeText("content"), IsOk());
  EditTheirs("content", 0, 0, "newer");
  events_.clear();
  GiveTheirs();
  EXPECT_THAT(TakeShown(), ElementsAre("a 5"));
}

TEST_F(TextSessionTest, SoAreThoseOfATextThatWasReplacedByOneThatReadsTheSame) {
  OpenWith("0123456789");
  GiveCursor(CursorOf("a", 4));
  EXPECT_THAT(TakeShown(), ElementsAre("a 4"));
  ASSERT_EQ(text().text(), "0123456789");
  ASSERT_THAT(theirs_.MakeText("content"), IsOk());
  EditTheirs("content", 0, 0, "0123456789");
  GiveTheirs();
  EXPECT_THAT(TakeShown(), ElementsAre("a 10"));
}

TEST_F(TextSessionTest, AMessageOfACursorIsAnEventOfThatOneAlone) {
  OpenWith("0123456789");
  constexpr uint32_t kPeers = 1000;
  const auto name = [](uint32_t i) { return "p" + std::to_string(i); };
  for (uint32_t i = 0; i < kPeers; ++i) GiveCursor(CursorOf(name(i), 1));
  EXPECT_THAT(Take<TextCursorChanged>(), SizeIs(kPeers));
  for (uint32_t i = 0; i < kPeers; ++i) GiveCursor(CursorOf(name(i), 1));
  EXPECT_THAT(events_, IsEmpty());
  for (uint32_t i = 2; i < 5; ++i) {
    GiveCursor(CursorOf(name(i), i));
    EXPECT_THAT(TakeShown(), ElementsAre(name(i) + " " + std::to_string(i)));
  }
}

TEST_F(TextSessionTest, ShowsACursorThatCameBeforeTheText) {
  Create();
  Join();
  GiveCursor(CursorOf("a", 4));
  EXPECT_THAT(TakeShown(), IsEmpty()) << "there is no text to show it in";
  EditTheirs("content", 0, 0, "0123456789");
  GiveTheirs();
  const std::vector<TextCursorChanged> shown = Take<TextCursorChanged>();
  ASSERT_THAT(shown, SizeIs(1));
  EXPECT_LE(shown[0].cursor.position, 10u);
}

// --- the connection

TEST_F(TextSessionTest, AnotherVersionIsAFailure) {
  Create();
  Join("2");
  const std::vector<TextFailed> failed = Take<TextFailed>();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0].close_code, 1002);
  EXPECT_TRUE(failed[0].is_final);
  EXPECT_THAT(failed[0].status, StatusIs(StatusCode::kInternal, HasSubstr("\"2\"")));
  sent_.clear();
  GiveTheirs();
  Pass(milliseconds(5000));
  EXPECT_THAT(sent_, IsEmpty());
  Lose();
  Join();
  EditTheirs("content", 0, 0, "text");
  GiveTheirs();
  EXPECT_EQ(text().text(), "text") << "the next connection is a new one";
}

TEST_F(TextSessionTest, AnErrorOfTheServerIsAFailureThatSaysIt) {
  OpenWith("text");
  Give(ErrorMessage{.message = "go\taway"});
  const std::vector<TextFailed> failed = Take<TextFailed>();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_THAT(std::string(failed[0].status.message()), HasSubstr("away"));
  EXPECT_THAT(std::string(failed[0].status.message()), testing::Not(HasSubstr("\t")));
  ASSERT_THAT(text().Insert(0, "x", now_), IsOk());
  Pump();
  EXPECT_THAT(sent_, IsEmpty());
  EXPECT_EQ(text().text(), "xtext");
}

TEST_F(TextSessionTest, AMessageThatMakesNoSenseIsAProblemAndAHundredAreAFailure) {
  OpenWith("text");
  GiveBytes("garbage");
  EXPECT_THAT(Take<TextProblem>(), SizeIs(1));
  EditTheirs("content", 0, 0, "x");
  GiveTheirs();
  EXPECT_EQ(text().text(), "xtext");
  for (int i = 0; i < 100; ++i) GiveBytes("garbage");
  const std::vector<TextFailed> failed = Take<TextFailed>();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0].close_code, 1003);
  EXPECT_FALSE(failed[0].is_final) << "another connection may fare better";
}

TEST_F(TextSessionTest, TellsThatTheConnectionIsLostAndGoesOn) {
  OpenWith("text");
  Lose();
  const std::vector<TextDisconnected> lost = Take<TextDisconnected>();
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_THAT(lost[0].why, StatusIs(StatusCode::kUnavailable));
  EXPECT_EQ(lost[0].delay, milliseconds(500));
  ASSERT_THAT(text().Insert(0, "without ", now_), IsOk());
  mirror_->Set(text().text());
  EXPECT_EQ(text().TakeMessage(), std::nullopt);
  EditTheirs("content", 4, 0, "!");
  Join();
  EXPECT_THAT(Take<TextConnected>(), SizeIs(1)) << "again";
  GiveTheirs();
  ExpectMirrored();
  EXPECT_EQ(text().text(), "without text!");
  TakeOurs();
  EXPECT_EQ(theirs_.FindSequence(theirs_.Get("content")->id)->Text(), "without text!");
  EXPECT_THAT(Take<TextOpened>(), IsEmpty());
}

TEST_F(TextSessionTest, AConnectionThatCouldNotBeMadeIsTold) {
  Create();
  Lose();
  EXPECT_THAT(Take<TextDisconnected>(), SizeIs(1));
  Lose();
  EXPECT_THAT(Take<TextDisconnected>(), SizeIs(1));
}

// --- saving

TEST_F(TextSessionTest, WhatIsAppendedIsTheDocument) {
  OpenWith("first");
  std::string file = text().TakeUnsaved();
  EXPECT_FALSE(file.empty());
  EXPECT_EQ(text().TakeUnsaved(), "");
  ASSERT_THAT(text().Insert(0, "at ", now_), IsOk());
  mirror_->Set(text().text());
  file += text().TakeUnsaved();
  EditTheirs("content", 5, 0, "!");
  GiveTheirs();
  file += text().TakeUnsaved();
  const std::vector<std::string> heads = text().heads();
  const size_t size = file.size();
  Create({.saved = file + "\x85\x6f\x4a"});
  EXPECT_EQ(text().heads(), heads);
  EXPECT_EQ(text().text(), "at first!");
  EXPECT_EQ(text().saved_bytes(), size);
  EXPECT_EQ(text().saved_document_bytes(), 0u);
  EXPECT_EQ(text().TakeUnsaved(), "");
}

TEST_F(TextSessionTest, ASavedFileIsOfADocumentAndChanges) {
  EditTheirs("content", 0, 0, "saved");
  const std::string document = *theirs_.Save();
  EditTheirs("content", 5, 0, "!");
  const std::string all = document + theirs_.ChunkOf(1);
  Create({.saved = all});
  EXPECT_EQ(text().text(), "saved!");
  EXPECT_EQ(text().saved_bytes(), all.size());
  EXPECT_EQ(text().saved_document_bytes(), document.size());
  // All of it is torn away: nothing is there.
  Create({.saved = theirs_.ChunkOf(0).substr(0, 20)});
  EXPECT_FALSE(text().is_opened());
  EXPECT_EQ(text().saved_bytes(), 0u);
}

// --- all together

// Sessions with a unit each over one server, from one seed.
class TextSimulation {
 public:
  enum class Checks { kText, kTextAndCursors };
  TextSimulation(uint64_t seed, Checks checks) : random_(seed), checks_(checks) {
    // A document that has no text yet: all of them may make it.
    automerge::Document document("maker");
    document.MakeText(Chance(3) ? "title" : "content").IgnoreError();
    document.Commit(1);
    saved_ = *document.Save();
    for (const OffsetUnit unit :
         {OffsetUnit::kCodePoints, OffsetUnit::kUtf16, OffsetUnit::kBytes}) {
      peers_.push_back(std::make_unique<Peer>(unit));
      Create(*peers_.back(), saved_);
    }
  }

  void Run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      Advance(milliseconds(Random(60)));
      Act(*peers_[Random(peers_.size())]);
      if (Chance(2)) DeliverSome();
    }
  }
  void Settle() {
    for (const auto& peer : peers_) {
      if (peer->link == nullptr) Connect(*peer);
    }
    for (int i = 0; i < 10; ++i) {
      for (bool quiet = false; !quiet && !::testing::Test::HasFailure();) {
        quiet = true;
        for (const auto& peer : peers_) {
          while (DeliverOne(*peer)) quiet = false;
        }
      }
      Advance(milliseconds(20));
    }
  }
  void Check() {
    const automerge::Document* const served = server_.Find(kTextTestId);
    ASSERT_NE(served, nullptr);
    std::vector<std::string> heads;
    for (const automerge::ChangeHash& head : served->heads()) heads.push_back(head.ToHex());
    for (const auto& peer : peers_) {
      EXPECT_EQ(peer->session->heads(), heads);
      EXPECT_EQ(peer->session->text(), peers_[0]->session->text());
      EXPECT_TRUE(peer->session->is_synced());
      // What was appended is all of it.
      auto loaded = TextSession::Create({.document = kTextTestId.ToUrl(), .saved = peer->file},
                                        TextTestBytes(99), now_);
      ASSERT_THAT(loaded, IsOk());
      EXPECT_EQ((*loaded)->heads(), heads);
      EXPECT_EQ((*loaded)->text(), peer->session->text());
    }
  }

 private:
  struct Peer {
    explicit Peer(OffsetUnit of_unit) : unit(of_unit), mirror(of_unit) {}
    const OffsetUnit unit;
    TextMirror mirror;
    std::unique_ptr<TextSession> session{};
    test::DocumentServer::Connection* link = nullptr;
    std::vector<std::string> in{};
    std::string file{};
    std::map<std::string, TextCursor> cursors{};
    TextAnchor anchor{};
  };

  uint64_t Random(uint64_t below) { return random_() % below; }
  bool Chance(uint64_t in) { return Random(in) == 0; }

  void Create(Peer& peer, const std::string& file) {
    peer.file = file;
    auto session =
        TextSession::Create({.document = kTextTestId.ToUrl(), .offsets = peer.unit, .saved = file},
                            TextTestBytes(random_()), now_);
    ASSERT_THAT(session, IsOk());
    peer.session = *std::move(session);
    peer.cursors.clear();
    peer.mirror.Set("not opened");
    Pump(peer);
  }
  void Connect(Peer& peer) {
    peer.link = &server_.Connect();
    peer.session->OnConnected(now_);
    Pump(peer);
  }
  void Disconnect(Peer& peer) {
    server_.Disconnect(*peer.link);
    peer.link = nullptr;
    peer.in.clear();
    peer.session->OnClosed(absl::UnavailableError("lost"), milliseconds(1));
    Pump(peer);
  }
  // After each call.
  void Pump(Peer& peer) {
    while (const std::optional<TextEvent> event = peer.session->TakeEvent()) {
      if (std::holds_alternative<TextOpened>(*event)) peer.mirror.Set(peer.session->text());
      peer.mirror.Take(*event);
      if (const auto* changed = std::get_if<TextCursorChanged>(&*event)) {
        peer.cursors[changed->cursor.peer_id] = changed->cursor;
      }
      if (const auto* removed = std::get_if<TextCursorRemoved>(&*event)) {
        EXPECT_EQ(peer.cursors.erase(removed->peer_id), 1u);
      }
      EXPECT_FALSE(std::holds_alternative<TextProblem>(*event));
      EXPECT_FALSE(std::holds_alternative<TextFailed>(*event));
    }
    peer.file += peer.session->TakeUnsaved();
    while (const std::optional<std::string> message = peer.session->TakeMessage()) {
      if (peer.link != nullptr) {
        EXPECT_THAT(server_.OnMessage(*peer.link, *message), IsOk());
      }
    }
    for (const auto& other : peers_) {
      if (other->link == nullptr) continue;
      for (std::string& message : other->link->TakeMessages()) {
        other->in.push_back(std::move(message));
      }
    }
    const std::string& text = peer.session->text();
    ASSERT_EQ(peer.mirror.text(), text);
    const uint32_t length = peer.session->length();
    ASSERT_EQ(length, crdt::Measure(text).In(crdt::UnitOf(peer.unit)));
    ASSERT_LE(peer.session->PlaceOf(peer.anchor), length);
    if (checks_ == Checks::kText) return;
    for (const auto& [id, cursor] : peer.cursors) {
      ASSERT_LE(cursor.position, length);
      const std::string_view before =
          crdt::PrefixOf(text, crdt::UnitOf(peer.unit), cursor.position);
      ASSERT_EQ(crdt::Measure(before).In(crdt::UnitOf(peer.unit)), cursor.position) << "torn";
      const std::string_view rest = std::string_view(text).substr(before.size());
      ASSERT_EQ(cursor.hidden, rest.starts_with("\n") || rest.starts_with("\r"))
          << cursor.peer_id << " at " << cursor.position << " of "
          << ::testing::PrintToString(text);
    }
  }
  bool DeliverOne(Peer& peer) {
    if (peer.in.empty()) return false;
    const std::string message = peer.in.front();
    peer.in.erase(peer.in.begin());
    peer.session->OnMessage(message, now_);
    Pump(peer);
    return true;
  }
  void DeliverSome() {
    Peer& peer = *peers_[Random(peers_.size())];
    for (uint64_t i = Random(6); i > 0 && DeliverOne(peer); --i) {
    }
  }
  void Advance(milliseconds time) {
    now_.steady += time;
    now_.wall += time;
    for (const auto& peer : peers_) {
      const auto due = peer->session->deadline();
      if (!due || *due > now_.steady) continue;
      peer->session->OnDeadline(now_);
      const auto next = peer->session->deadline();
      ASSERT_TRUE(!next || *next > now_.steady) << "never ends";
      Pump(*peer);
    }
  }
  // A place between two characters.
  uint32_t Place(const Peer& peer) {
    const std::string& text = peer.session->text();
    const auto place = Random(crdt::Measure(text).code_points + 1);
    return crdt::Measure(crdt::PrefixOf(text, Unit::kCodePoints, place))
        .In(crdt::UnitOf(peer.unit));
  }
  std::string Piece() {
    constexpr std::array<std::string_view, 10> kPieces = {
        "a",         "bc",       "\n", "\r\n", "\xf0\x9f\x98\x80",
        "e\xcc\x81", "\xc3\xa9", " ",  "word", "\xef\xbb\xbf"};
    std::string piece;
    for (uint64_t i = Random(4); i > 0; --i) piece += kPieces[Random(kPieces.size())];
    return piece;
  }
  void Act(Peer& peer) {
    switch (Random(12)) {
      case 0:
        peer.link == nullptr ? Connect(peer) : Disconnect(peer);
        return;
      case 1: {
        // What is told of is in the file.
        if (!Chance(4)) return;
        if (peer.link != nullptr) Disconnect(peer);
        Create(peer, peer.file);
        return;
      }
      case 2: {
        const std::string piece = Piece();
        const std::string text = Piece() + peer.session->text() + piece;
        ASSERT_THAT(peer.session->SetText(text, now_), IsOk());
        ASSERT_EQ(peer.session->text(), text);
        peer.mirror.Set(text);
        break;
      }
      case 3: {
        std::string text = peer.session->text();
        const size_t a = crdt::PrefixOf(text, Unit::kBytes, Random(text.size() + 1)).size();
        const size_t b = crdt::PrefixOf(text, Unit::kBytes, Random(text.size() + 1)).size();
        text = text.substr(0, std::min(a, b)) + Piece() + text.substr(std::max(a, b));
        ASSERT_THAT(peer.session->SetText(text, now_), IsOk());
        ASSERT_EQ(peer.session->text(), text);
        peer.mirror.Set(text);
        break;
      }
      case 4:
        peer.session->SetCursor({.position = Place(peer), .anchor = Place(peer)}, now_);
        break;
      case 5:
        peer.anchor = peer.session->AnchorAt(Place(peer));
        break;
      case 6:
        if (Chance(4)) peer.session->StopCursor();
        break;
      case 7: {
        const absl::StatusOr<std::string> saved = peer.session->Save();
        ASSERT_THAT(saved, IsOk());
        if (Chance(2)) peer.file = *saved;
        break;
      }
      default: {
        const uint32_t a = Place(peer);
        const uint32_t b = Place(peer);
        const uint32_t at = std::min(a, b);
        const uint32_t count = std::max(a, b) - at > 6 ? 0 : std::max(a, b) - at;
        const uint32_t end =
            crdt::Measure(crdt::PrefixOf(peer.session->text(), crdt::UnitOf(peer.unit), at + count))
                .In(crdt::UnitOf(peer.unit));
        const std::string piece = Piece();
        ASSERT_THAT(peer.session->Replace(at, end - at, piece, now_), IsOk());
        peer.mirror.Replace(at, end - at, piece);
      }
    }
    Pump(peer);
  }

  std::mt19937_64 random_;
  const Checks checks_;
  Moment now_{.steady = std::chrono::steady_clock::time_point(std::chrono::hours(1)),
              .wall = std::chrono::system_clock::time_point(std::chrono::hours(480000))};
  std::string saved_;
  test::DocumentServer server_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

void SimulateTexts(TextSimulation::Checks checks, uint64_t simulations) {
  for (uint64_t seed = 0; seed < simulations && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    TextSimulation simulation(seed, checks);
    simulation.Run(80);
    simulation.Settle();
    if (!::testing::Test::HasFailure()) simulation.Check();
  }
}

TEST(TextSessions, AMirrorOfTheEventsIsTheTextInEachUnit) {
  SimulateTexts(TextSimulation::Checks::kText, test::SweepsAreWhole() ? 300 : 25);
}

TEST(TextSessions, ShownCursorsFitTheTextInEachUnit) {
  SimulateTexts(TextSimulation::Checks::kTextAndCursors, 40);
}

}  // namespace
}  // namespace cursorwire::collab
