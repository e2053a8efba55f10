// The conversation of docs/collab/nvim-helper.md, between editors that are scripts, a server of
// documents and a relay, with a clock that the tests move.
#include "collab/helper/helper_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/sha256.h"
#include "base/strings.h"
#include "collab/repo/document_server.h"
#include "collab/repo/repo_message.h"
#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/sync_message.h"
#include "support/status_matchers.h"
#include "support/sweep.h"

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using test::DocumentServer;
using test::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using HelperJson = nlohmann::json;

constexpr const char* kHelperId = "3RuhE2UFocx5aonmHkwc1U66XWwY";
constexpr const char* kSmile = "\xf0\x9f\x98\x80";

// --- lines, with their members in the order of the alphabet

std::string HelperLineOf(const HelperJson& json) { return json.dump(); }
std::string EditOf(std::string_view content) {
  return HelperLineOf({{"type", "edit"}, {"content", content}});
}
std::string OpenOf(std::string_view id) { return HelperLineOf({{"type", "open"}, {"docId", id}}); }
std::string SimpleOf(std::string_view type) { return HelperLineOf({{"type", type}}); }
std::string ConnectOf(const HelperJson& more = HelperJson::object()) {
  HelperJson line = {{"type", "connect"},
                     {"syncUrl", "ws://127.0.0.1:3030"},
                     {"awarenessUrl", "ws://127.0.0.1:1235"}};
  line.update(more);
  return line.dump();
}
std::string OpenedLine(std::string_view id, std::string_view content) {
  return HelperLineOf({{"type", "opened"}, {"docId", id}, {"content", content}});
}
std::string ChangedLine(std::string_view content) {
  return HelperLineOf({{"type", "changed"}, {"content", content}});
}
std::string ErrorLine(std::string_view message, std::string_view code,
                      std::string_view request = "") {
  HelperJson line = {{"type", "error"}, {"message", message}, {"code", code}};
  if (!request.empty()) line["request"] = request;
  return line.dump();
}
std::string CursorLineOf(const HelperJson& anchor, const HelperJson& head,
                         std::string_view user = "bob", std::string_view name = "Bob",
                         std::string_view color = "#123456") {
  return HelperLineOf({{"type", "cursor"},
                       {"userId", user},
                       {"name", name},
                       {"color", color},
                       {"anchor", anchor},
                       {"head", head}});
}
std::string StatusOf(std::string_view type, bool connected) {
  return HelperLineOf({{"type", type}, {"connected", connected}});
}
// A frame of the relay, of somebody who is a script.
std::string BobOf(const HelperJson& selection, std::string_view document = "",
                  std::string_view client = "bob", std::string_view name = "Bob") {
  return HelperLineOf({{"type", "awareness"},
                       {"clientID", client},
                       {"documentId", document.empty() ? std::string("automerge:") + kHelperId
                                                       : std::string(document)},
                       {"state",
                        {{"user", {{"name", name}, {"color", "#123456"}}},
                         {"typing", false},
                         {"selection", selection}}}});
}

// --- documents that are kept

struct HelperDisk {
  std::map<std::string, std::string> files{};
  std::set<std::string> open{};
  bool full = false;
  size_t loose_above = std::string::npos;
  int replaced = 0;
};

class HelperFile : public StoredDocument {
 public:
  HelperFile(HelperDisk& disk, std::string id) : disk_(disk), id_(std::move(id)) {}
  ~HelperFile() override { disk_.open.erase(id_); }
  std::string TakeBytes() override { return disk_.files[id_]; }
  absl::Status Keep(const automerge::SavedSize& size) override {
    disk_.files[id_].resize(size.whole);
    return absl::OkStatus();
  }
  absl::Status Append(std::string_view chunks) override {
    if (chunks.empty()) return absl::OkStatus();
    if (disk_.full) return absl::ResourceExhaustedError("the disk is full");
    disk_.files[id_] += chunks;
    return absl::OkStatus();
  }
  bool is_loose() const override { return disk_.files[id_].size() > disk_.loose_above; }
  absl::Status Replace(std::string_view document) override {
    ++disk_.replaced;
    disk_.files[id_] = document;
    return absl::OkStatus();
  }

 private:
  HelperDisk& disk_;
  const std::string id_;
};

// --- the bench

struct HelperSeat {
  std::unique_ptr<HelperSession> session{};
  bool wants_sync = false;
  bool wants_relay = false;
  bool server_is_there = true;  // for this one
  bool relay_is_there = true;
  bool held = false;  // messages of both directions wait
  bool status = false;
  DocumentServer::Connection* sync = nullptr;
  bool relay = false;
  HelperDisk* disk = nullptr;
  std::deque<std::string> to_server{};
  std::deque<std::string> to_relay{};
  std::vector<std::string> lines{};
  std::vector<std::string> frames{};  // that it sent to the relay
  std::vector<std::string> urls{};
  std::vector<HelperFail> failures{};
  size_t sync_messages = 0;
  size_t most_untaken = 0;  // bytes of lines that were there at a time
  int disconnects = 0;
  int exits = 0;
  std::optional<std::string> has{};  // what the editor has last sent or got
  // The last `opened` line, as it came and as it is kept: checking it once is slow enough.
  std::string opened{};
  std::string opened_kept{};
  std::optional<std::string> opened_has{};
};

// A client of the server that is no helper.
struct HelperStranger {
  RepoSession session;
  DocumentServer::Connection* connection = nullptr;
};

class HelperSessionTest : public ::testing::Test {
 protected:
  HelperSeat& Sit(HelperOptions options = {}, HelperDisk* disk = nullptr) {
    options.random = [this](size_t count) {
      std::string bytes;
      while (bytes.size() < count) bytes += static_cast<char>(random_() & 0xff);
      return bytes;
    };
    if (disk != nullptr) {
      options.open_stored =
          [disk](std::string_view id) -> absl::StatusOr<std::unique_ptr<StoredDocument>> {
        if (!disk->open.insert(std::string(id)).second) {
          return absl::FailedPreconditionError("another process has it open");
        }
        return std::make_unique<HelperFile>(*disk, std::string(id));
      };
    }
    HelperSeat& seat = *seats_.emplace_back(std::make_unique<HelperSeat>());
    seat.status = options.status;
    seat.disk = disk;
    seat.session = std::make_unique<HelperSession>(std::move(options));
    return seat;
  }
  HelperDisk& Insert(HelperDisk disk = {}) { return disks_.emplace_back(std::move(disk)); }
  Moment Now() const { return {now_, wall_ + (now_ - TimePoint())}; }

  // Returns what the editor gets.
  std::vector<std::string> Say(HelperSeat& seat, const std::string& line) {
    const auto read = ReadEditorLine(line);
    if (const auto* kind = std::get_if<EditorLine>(&read)) {
      if (const auto* edit = std::get_if<EditLine>(kind)) seat.has = edit->content;
    }
    seat.session->OnLine(line, Now());
    Settle();
    return Lines(seat);
  }
  static std::vector<std::string> Lines(HelperSeat& seat) { return std::exchange(seat.lines, {}); }
  static std::vector<std::string> Frames(HelperSeat& seat) {
    return std::exchange(seat.frames, {});
  }

  // Until nobody has anything to say.
  void Settle() {
    for (bool quiet = false; !quiet;) {
      quiet = true;
      for (const auto& seat : seats_) {
        Take(*seat);
        if (Exchange(*seat)) quiet = false;
      }
      for (const auto& stranger : strangers_) {
        while (const auto message = stranger->session.TakeMessage()) {
          quiet = false;
          ASSERT_THAT(server_.OnMessage(*stranger->connection, *message), IsOk());
        }
        for (const std::string& message : stranger->connection->TakeMessages()) {
          quiet = false;
          stranger->session.OnMessage(message, now_);
        }
      }
    }
  }

  void Advance(milliseconds time) {
    const TimePoint end = now_ + time;
    Settle();
    for (int rounds = 0;; ++rounds) {
      ASSERT_LT(rounds, 100000);
      std::optional<TimePoint> first;
      for (const auto& seat : seats_) {
        const auto due = seat->session->deadline();
        if (due && (!first || *due < *first)) first = due;
      }
      for (const auto& stranger : strangers_) {
        const auto due = stranger->session.deadline();
        if (due && (!first || *due < *first)) first = due;
      }
      if (!first || *first > end) break;
      now_ = std::max(now_, *first);
      for (const auto& seat : seats_) {
        const auto due = seat->session->deadline();
        if (!due || *due > now_) continue;
        seat->session->OnDeadline(Now());
        Take(*seat);
        const auto next = seat->session->deadline();
        ASSERT_TRUE(!next || *next > now_) << "it would spin";
      }
      for (const auto& stranger : strangers_) stranger->session.OnDeadline(now_);
      Settle();
    }
    now_ = end;
  }

  void DropSync(HelperSeat& seat) {
    seat.to_server.clear();
    if (seat.sync == nullptr) return;
    server_.Disconnect(*std::exchange(seat.sync, nullptr));
    seat.session->OnClosed(HelperPeer::kSync, absl::UnavailableError("it is gone"), Now());
    Settle();
  }
  void LoseServer(HelperSeat& seat) {
    seat.server_is_there = false;
    DropSync(seat);
  }
  void LoseRelay(HelperSeat& seat) {
    seat.relay_is_there = false;
    if (std::exchange(seat.relay, false))
      seat.session->OnClosed(HelperPeer::kRelay, absl::UnavailableError("it is gone"), Now());
    Settle();
  }
  // To all, as of somebody who is no helper.
  void Relay(const std::string& frame) {
    for (const auto& seat : seats_) {
      if (seat->relay) seat->session->OnMessage(HelperPeer::kRelay, frame, Now());
    }
    Settle();
  }

  HelperStranger& Meet() {
    HelperStranger& stranger =
        *strangers_.emplace_back(std::make_unique<HelperStranger>(HelperStranger{
            .session = RepoSession(
                {.peer_id = "stranger" + std::to_string(strangers_.size()), .session_id = "s"})}));
    stranger.connection = &server_.Connect();
    stranger.session.OnConnected();
    Settle();
    return stranger;
  }
  // Makes a document of this id with these chunks.
  HelperStranger& Publish(std::string_view id, const std::string& chunks) {
    HelperStranger& stranger = Meet();
    const auto fill = [&chunks](automerge::Document&, automerge::WaitingChanges& waiting) {
      return waiting.Add(chunks);
    };
    EXPECT_THAT(stranger.session.Open(*DocumentId::Parse(id), "publisher", now_, fill), IsOk());
    Settle();
    return stranger;
  }
  HelperStranger& PublishText(std::string_view id, std::string_view text) {
    automerge::Document document("author");
    const auto made = document.MakeText("content");
    EXPECT_THAT(made, IsOk());
    EXPECT_THAT(document.Splice(*made, crdt::Unit::kCodePoints, 0, 0, text), IsOk());
    document.Commit(1);
    return Publish(id, *document.Save());
  }
  void StrangerEdits(HelperStranger& stranger, uint32_t at, uint32_t count, std::string_view text) {
    const DocumentId id = *DocumentId::Parse(kHelperId);
    automerge::Document& document = *stranger.session.Find(id);
    ASSERT_THAT(
        document.Splice(document.Get("content")->id, crdt::Unit::kCodePoints, at, count, text),
        IsOk());
    document.Commit(2);
    stranger.session.OnEdited(id, now_);
    Settle();
  }
  std::string ServerText(std::string_view id = kHelperId) const {
    const automerge::Document* const document = server_.Find(*DocumentId::Parse(id));
    if (document == nullptr) return "(no document)";
    const auto value = document->Get("content");
    const automerge::Sequence* const text = value ? document->FindSequence(value->id) : nullptr;
    return text == nullptr ? "(no text)" : text->Text();
  }
  size_t ServerChanges(std::string_view id = kHelperId) const {
    return server_.Find(*DocumentId::Parse(id))->changes().size();
  }

  // Connected, and with the document of kHelperId open; the lines are taken.
  HelperSeat& SitAndOpen(HelperOptions options = {}, HelperDisk* disk = nullptr) {
    HelperSeat& seat = Sit(std::move(options), disk);
    Say(seat, ConnectOf());
    EXPECT_THAT(Say(seat, OpenOf(kHelperId)), ElementsAre(StartsWith(R"({"content":)")));
    Advance(milliseconds(1000));
    Lines(seat);
    Frames(seat);
    return seat;
  }
  std::string Create(HelperSeat& seat) {
    const std::vector<std::string> lines = Say(seat, SimpleOf("create"));
    if (lines.size() != 1) return "";
    return HelperJson::parse(lines[0]).value("docId", "");
  }

  DocumentServer server_;
  std::deque<HelperDisk> disks_;  // files refer to them
  std::vector<std::unique_ptr<HelperSeat>> seats_;
  std::vector<std::unique_ptr<HelperStranger>> strangers_;
  std::mt19937 random_{1};
  TimePoint now_{std::chrono::hours(1)};
  const std::chrono::system_clock::time_point wall_{std::chrono::hours(400000)};
  bool check_echo_ = true;

 private:
  void Take(HelperSeat& seat) {
    do {
      TakeCommands(seat);
      size_t untaken = 0;
      while (auto line = seat.session->TakeLine()) {
        untaken += line->size();
        TakeOne(seat, *line);
      }
      seat.most_untaken = std::max(seat.most_untaken, untaken);
    } while (seat.session->GoOn(Now()));
  }

  void TakeCommands(HelperSeat& seat) {
    while (auto command = seat.session->TakeCommand()) {
      if (const auto* connect = std::get_if<HelperConnect>(&*command)) {
        seat.urls.push_back(connect->url);
        (connect->peer == HelperPeer::kSync ? seat.wants_sync : seat.wants_relay) = true;
        // An attempt that fails.
        if (connect->peer == HelperPeer::kSync && !seat.server_is_there) {
          seat.session->OnClosed(HelperPeer::kSync, absl::UnavailableError("it is gone"), Now());
        }
      } else if (auto* send = std::get_if<HelperSend>(&*command)) {
        if (send->peer == HelperPeer::kSync) {
          EXPECT_NE(seat.sync, nullptr) << "there is no connection";
          ++seat.sync_messages;
          CheckKept(seat, send->message);
          seat.to_server.push_back(std::move(send->message));
        } else {
          EXPECT_TRUE(seat.relay) << "there is no connection";
          seat.frames.push_back(send->message);
          seat.to_relay.push_back(std::move(send->message));
        }
      } else if (const auto* fail = std::get_if<HelperFail>(&*command)) {
        seat.failures.push_back(*fail);
      } else if (std::holds_alternative<HelperDisconnect>(*command)) {
        ++seat.disconnects;
        seat.held = false;
        Deliver(seat);
        seat.wants_sync = seat.wants_relay = seat.relay = false;
        if (seat.sync != nullptr) server_.Disconnect(*std::exchange(seat.sync, nullptr));
      } else {
        ++seat.exits;
      }
    }
  }

  void TakeOne(HelperSeat& seat, const std::string& line) {
    if (line == seat.opened) {
      seat.has = seat.opened_has;
      seat.lines.push_back(seat.opened_kept);
      return;
    }
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_TRUE(IsUtf8(line));
    const HelperJson json = HelperJson::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    static const std::map<std::string, std::set<std::string>> kMembers = {
        {"connected", {"userId"}},
        {"disconnected", {}},
        {"created", {"docId"}},
        {"opened", {"docId", "content"}},
        {"changed", {"content"}},
        {"closed", {}},
        {"cursor", {"userId", "name", "color", "anchor", "head"}},
        {"info", {"connected", "docId", "userId", "userName", "awareness"}},
        {"error", {"message", "code", "request"}},
        {"name_set", {"name"}},
        {"color_set", {"color"}},
        {"awareness_status", {"connected"}},
        {"sync_status", {"connected"}},
        {"cursor_removed", {"userId"}}};
    const std::string type = json.value("type", "");
    const auto members = kMembers.find(type);
    ASSERT_NE(members, kMembers.end()) << line;
    for (const auto& [name, value] : json.items()) {
      EXPECT_TRUE(name == "type" || members->second.contains(name)) << line;
    }
    for (const std::string& name : members->second) {
      EXPECT_TRUE(name == "request" || json.contains(name)) << line;
    }
    if (!seat.status) {
      EXPECT_FALSE(type.ends_with("_status") || type == "cursor_removed") << line;
    }
    if (type == "opened" || type == "changed") {
      const auto content = json["content"].get<std::string>();
      if (type == "changed" && check_echo_) {
        EXPECT_NE(seat.has, content) << "an echo";
      }
      seat.has = content;
    }
    if (type == "created") seat.has = "";
    seat.lines.push_back(json.dump());
    if (type != "opened") return;
    seat.opened = line;
    seat.opened_kept = seat.lines.back();
    seat.opened_has = seat.has;
  }

  // All that a message tells of is in the file.
  static void CheckKept(HelperSeat& seat, const std::string& bytes) {
    if (seat.disk == nullptr || seat.disk->full) return;
    const auto message = ReadRepoMessage(bytes);
    ASSERT_THAT(message, IsOk());
    const auto* const sync = std::get_if<DocumentMessage>(&*message);
    if (sync == nullptr) return;
    automerge::Document document("check");
    automerge::WaitingChanges waiting(document);
    const std::string& file = seat.disk->files[sync->document];
    const auto size = automerge::LoadSaved(file, document, waiting);
    ASSERT_THAT(size, IsOk());
    EXPECT_EQ(size->whole, file.size());
    ASSERT_THAT(document.NeedHistory(), IsOk());
    const auto told = automerge::ReadSyncMessage(sync->data);
    ASSERT_THAT(told, IsOk());
    for (const automerge::ChangeHash& head : told->heads) {
      EXPECT_TRUE(document.Has(head)) << "sent before it was written";
    }
  }

  bool Exchange(HelperSeat& seat) {
    bool any = false;
    if (seat.wants_sync && seat.sync == nullptr && seat.server_is_there) {
      seat.sync = &server_.Connect();
      seat.session->OnOpened(HelperPeer::kSync, Now());
      any = true;
    }
    if (seat.wants_relay && !seat.relay && seat.relay_is_there) {
      seat.relay = true;
      seat.session->OnOpened(HelperPeer::kRelay, Now());
      any = true;
    }
    Take(seat);
    return (!seat.held && Deliver(seat)) || any;
  }

  bool Deliver(HelperSeat& seat) {
    bool any = false;
    while (!seat.to_server.empty() && seat.sync != nullptr) {
      const std::string message = std::move(seat.to_server.front());
      seat.to_server.pop_front();
      EXPECT_THAT(server_.OnMessage(*seat.sync, message), IsOk());
      any = true;
    }
    while (!seat.to_relay.empty()) {
      const std::string frame = std::move(seat.to_relay.front());
      seat.to_relay.pop_front();
      any = true;
      for (const auto& other : seats_) {
        if (other.get() == &seat || !other->relay) continue;
        other->session->OnMessage(HelperPeer::kRelay, frame, Now());
      }
    }
    if (seat.sync == nullptr) return any;
    for (const std::string& message : seat.sync->TakeMessages()) {
      any = true;
      if (seat.sync == nullptr) break;
      seat.session->OnMessage(HelperPeer::kSync, message, Now());
      if (!seat.wants_sync) break;
    }
    return any;
  }
};

// --- 1. form

TEST_F(HelperSessionTest, LinesAreDoneInTheirOrderWhileOneWaits) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  seat.relay_is_there = false;
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)), IsEmpty());
  const std::string info = SimpleOf("info");
  EXPECT_THAT(Say(seat, info), IsEmpty());
  seat.session->OnTooLongLine(Now());
  EXPECT_THAT(Say(seat, "not json"), IsEmpty());
  EXPECT_THAT(Say(seat, R"({"type":"set_name","name":"Zoe"})"), IsEmpty());
  EXPECT_GT(seat.session->waiting_bytes(), info.size());
  PublishText(kHelperId, "abc");
  seat.server_is_there = true;
  Settle();
  EXPECT_THAT(Lines(seat),
              ElementsAre(OpenedLine(kHelperId, "abc"), HasSubstr(R"("type":"info")"),
                          HasSubstr(R"("code":"too_large")"), HasSubstr(R"("code":"parse")"),
                          HelperLineOf({{"type", "name_set"}, {"name", "Zoe"}})));
  EXPECT_EQ(seat.session->waiting_bytes(), 0u);
}

TEST_F(HelperSessionTest, LinesThatWaitAreNotAllAnsweredAtATime) {
  constexpr size_t kOpens = 60;
  const std::string text(100'000, 'x');
  const std::string opened = OpenedLine(kHelperId, text);
  ASSERT_GT(kOpens * opened.size(), HelperSession::kMaxUntakenBytes);
  for (const bool ends : {false, true}) {
    HelperSeat& seat = Sit();
    seat.server_is_there = false;
    seat.relay_is_there = false;
    Say(seat, ConnectOf());
    for (size_t i = 0; i < kOpens; ++i) EXPECT_THAT(Say(seat, OpenOf(kHelperId)), IsEmpty());
    if (!ends) PublishText(kHelperId, text);
    if (ends) seat.session->OnInputEnd(Now());
    seat.server_is_there = true;
    Settle();
    EXPECT_EQ(Lines(seat), std::vector<std::string>(kOpens, opened));
    EXPECT_LT(seat.most_untaken, HelperSession::kMaxUntakenBytes + 2 * text.size());
    EXPECT_EQ(seat.session->waiting_bytes(), 0u);
    EXPECT_EQ(seat.exits, ends ? 1 : 0);
  }
}

TEST_F(HelperSessionTest, ShortLinesThatWaitHaveACostToo) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  Say(seat, OpenOf(kHelperId));
  for (int i = 0; i < 1000; ++i) Say(seat, "1");
  EXPECT_GE(seat.session->waiting_bytes(), 1000 * sizeof(std::string));
  EXPECT_EQ(seat.session->waiting_bytes(), 1000 * HelperSession::CostOf("1"));
  Advance(milliseconds(10000));
  EXPECT_THAT(Lines(seat), SizeIs(1001));
  EXPECT_EQ(seat.session->waiting_bytes(), 0u);
}

TEST_F(HelperSessionTest, NothingIsToldWhileAnOpenWaits) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 0, 0, "x");
  Lines(seat);
  seat.held = true;
  StrangerEdits(stranger, 0, 0, "y");
  EXPECT_THAT(Say(seat, OpenOf("2wnb8SZyGZaYpCGG4UHPTXgF4gQH")), SizeIs(::testing::Le(1u)));
  Relay(BobOf({{"anchor", 1}}));
  seat.held = false;
  Settle();
  for (const std::string& line : Lines(seat)) EXPECT_THAT(line, HasSubstr("error"));
}

TEST_F(HelperSessionTest, BlankLinesAreIgnored) {
  HelperSeat& seat = Sit();
  for (const char* line : {"", " ", "\r", "\t \r", "\n"}) EXPECT_THAT(Say(seat, line), IsEmpty());
}

TEST_F(HelperSessionTest, CarriageReturnsBeforeTheEndAreAccepted) {
  HelperSeat& seat = Sit();
  EXPECT_THAT(Say(seat, SimpleOf("close") + "\r"), ElementsAre(SimpleOf("closed")));
}

TEST_F(HelperSessionTest, ALineThatIsTooLongIsOneError) {
  HelperSeat& seat = Sit();
  seat.session->OnTooLongLine(Now());
  Settle();
  const auto lines = Lines(seat);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(HelperJson::parse(lines[0])["message"].get<std::string>(), StartsWith("Too large: "));
  EXPECT_THAT(Say(seat, SimpleOf("close")), ElementsAre(SimpleOf("closed")));
}

TEST_F(HelperSessionTest, EndsWithTheInputWithoutAConnection) {
  HelperSeat& seat = Sit();
  seat.session->OnInputEnd(Now());
  Settle();
  EXPECT_EQ(seat.exits, 1);
  EXPECT_THAT(Lines(seat), IsEmpty());
  EXPECT_EQ(seat.session->deadline(), std::nullopt);
}

TEST_F(HelperSessionTest, SendsTheLastEditsAtTheEndOfTheInput) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  Advance(milliseconds(500));
  seat.held = true;
  Say(seat, EditOf("a"));
  Say(seat, EditOf("ab"));
  Say(seat, EditOf("abc"));
  seat.session->OnInputEnd(Now());
  Settle();
  EXPECT_EQ(seat.exits, 0);
  Advance(milliseconds(1500));
  EXPECT_EQ(seat.exits, 0);
  seat.held = false;
  Advance(milliseconds(100));
  EXPECT_EQ(seat.exits, 1);
  EXPECT_EQ(seat.disconnects, 1);
  EXPECT_EQ(ServerText(id), "abc");
}

TEST_F(HelperSessionTest, WaitsAtMostTwoSecondsAtTheEndOfTheInput) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  Create(seat);
  seat.held = true;
  Say(seat, EditOf("abc"));
  seat.session->OnInputEnd(Now());
  Advance(milliseconds(1999));
  EXPECT_EQ(seat.exits, 0);
  Advance(milliseconds(1));
  EXPECT_EQ(seat.exits, 1);
  EXPECT_EQ(seat.session->deadline(), std::nullopt);
}

TEST_F(HelperSessionTest, DoesNotWaitAtTheEndWithoutAServer) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  Create(seat);
  Say(seat, EditOf("abc"));
  seat.session->OnInputEnd(Now());
  Settle();
  EXPECT_EQ(seat.exits, 1);
}

TEST_F(HelperSessionTest, EndsWhenTheServerIsLostMeanwhile) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  Create(seat);
  seat.held = true;
  Say(seat, EditOf("abc"));
  seat.session->OnInputEnd(Now());
  Settle();
  EXPECT_EQ(seat.exits, 0);
  LoseServer(seat);
  EXPECT_EQ(seat.exits, 1);
}

TEST_F(HelperSessionTest, DoesTheLinesThatWaitBeforeItEnds) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  Say(seat, OpenOf(kHelperId));
  Say(seat, EditOf("x"));
  seat.session->OnInputEnd(Now());
  Advance(milliseconds(9999));
  EXPECT_EQ(seat.exits, 0);
  Advance(milliseconds(1));
  EXPECT_THAT(Lines(seat), ElementsAre(HasSubstr("no connection to"),
                                       ErrorLine("No document open", "no_document", "edit")));
  EXPECT_EQ(seat.exits, 1);
}

TEST_F(HelperSessionTest, AStopDropsWhatWaitsAndEndsWithinTwoSeconds) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  seat.held = true;
  Say(seat, OpenOf(kHelperId));
  Say(seat, SimpleOf("info"));
  seat.session->OnStop(Now());
  EXPECT_EQ(seat.session->waiting_bytes(), 0u);
  Advance(milliseconds(2000));
  EXPECT_EQ(seat.exits, 1);
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, AStopSendsEdits) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  seat.held = true;
  Say(seat, EditOf("abc"));
  seat.session->OnStop(Now());
  Settle();
  seat.held = false;
  Advance(milliseconds(100));
  EXPECT_EQ(seat.exits, 1);
  EXPECT_EQ(ServerText(id), "abc");
}

TEST_F(HelperSessionTest, AStopDuringADisconnectEndsToo) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  Create(seat);
  seat.held = true;
  Say(seat, EditOf("abc"));
  EXPECT_THAT(Say(seat, SimpleOf("disconnect")), IsEmpty());
  seat.session->OnStop(Now());
  Advance(milliseconds(2000));
  EXPECT_EQ(seat.exits, 1);
  EXPECT_EQ(seat.disconnects, 1);
}

// --- 2 and 3. messages

TEST_F(HelperSessionTest, ConnectedIsToldBeforeAnyServerHasAnswered) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  seat.relay_is_there = false;
  const auto lines = Say(seat, ConnectOf());
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(HelperJson::parse(lines[0])["userId"].get<std::string>(),
              MatchesRegex("nvim-[0-9a-z]{8}"));
  EXPECT_THAT(seat.urls, ElementsAre("ws://127.0.0.1:3030", "ws://127.0.0.1:1235"));
}

TEST_F(HelperSessionTest, EachConnectHasANewUserId) {
  HelperSeat& seat = Sit();
  const auto first = Say(seat, ConnectOf());
  Say(seat, SimpleOf("disconnect"));
  const auto second = Say(seat, ConnectOf());
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_NE(first, second);
}

TEST_F(HelperSessionTest, TheRelayMayBeMissing) {
  for (const char* line :
       {R"({"type":"connect","syncUrl":"ws://127.0.0.1:1"})",
        R"({"type":"connect","syncUrl":"ws://127.0.0.1:1","awarenessUrl":null})",
        R"({"type":"connect","syncUrl":"ws://127.0.0.1:1","awarenessUrl":""})"}) {
    HelperSeat& seat = Sit();
    EXPECT_THAT(Say(seat, line), ElementsAre(HasSubstr("connected")));
    EXPECT_THAT(seat.urls, SizeIs(1));
    EXPECT_NE(Create(seat), "");
    EXPECT_THAT(Say(seat, R"({"type":"cursor","offset":0})"), IsEmpty());
    EXPECT_THAT(Say(seat, EditOf("x")), IsEmpty());
    EXPECT_THAT(Say(seat, SimpleOf("close")), ElementsAre(SimpleOf("closed")));
  }
}

TEST_F(HelperSessionTest, DisconnectedIsAlwaysAnswered) {
  HelperSeat& seat = Sit();
  EXPECT_THAT(Say(seat, SimpleOf("disconnect")), ElementsAre(SimpleOf("disconnected")));
  EXPECT_EQ(seat.disconnects, 0);
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, SimpleOf("disconnect")), ElementsAre(SimpleOf("disconnected")));
  EXPECT_THAT(Say(seat, SimpleOf("disconnect")), ElementsAre(SimpleOf("disconnected")));
  EXPECT_EQ(seat.disconnects, 1);
}

TEST_F(HelperSessionTest, CreatedHasTheIdWithPrefix) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  EXPECT_THAT(id, StartsWith("automerge:"));
  EXPECT_THAT(DocumentId::Parse(id), IsOk());
  EXPECT_EQ(ServerText(id), "") << "an empty text under content";
}

TEST_F(HelperSessionTest, OpenedHasTheIdAsTheEditorGaveIt) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  for (const std::string& id :
       {std::string(kHelperId), std::string("automerge:") + kHelperId, std::string(kHelperId)}) {
    EXPECT_THAT(Say(seat, OpenOf(id)), ElementsAre(OpenedLine(id, "abc")));
  }
}

TEST_F(HelperSessionTest, ChangedIsNoEchoOfAnOwnEdit) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  Create(seat);
  EXPECT_THAT(Say(seat, EditOf("Hello")), IsEmpty());
  Advance(milliseconds(60000));
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, ChangedIsOneLineForABurst) {
  HelperStranger& stranger = PublishText(kHelperId, "");
  HelperSeat& seat = SitAndOpen();
  std::string text;
  for (int i = 0; i < 100; ++i) {
    StrangerEdits(stranger, 0, 0, "x");
    text += "x";
    Advance(milliseconds(1));
  }
  const auto lines = Lines(seat);
  EXPECT_THAT(lines, SizeIs(::testing::Le(6u)));
  EXPECT_EQ(lines.front(), ChangedLine("x")) << "the first at once";
  Advance(milliseconds(20));
  EXPECT_EQ(seat.has, text) << "and the newest at the end";
}

TEST_F(HelperSessionTest, ChangedIsNotToldWhereTheTextIsTheSameAgain) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 0, 0, "x");
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("xabc")));
  StrangerEdits(stranger, 0, 0, "y");
  StrangerEdits(stranger, 0, 1, "");
  Advance(milliseconds(1000));
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, ClosedIsAlwaysAnswered) {
  HelperSeat& seat = Sit();
  EXPECT_THAT(Say(seat, SimpleOf("close")), ElementsAre(SimpleOf("closed")));
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, SimpleOf("close")), ElementsAre(SimpleOf("closed")));
}

TEST_F(HelperSessionTest, InfoTellsWhatIsTrue) {
  HelperSeat& seat = Sit();
  const auto info = [&](bool connected, const HelperJson& doc, const HelperJson& user,
                        std::string_view name, bool awareness) {
    EXPECT_THAT(Say(seat, SimpleOf("info")), ElementsAre(HelperLineOf({{"type", "info"},
                                                                       {"connected", connected},
                                                                       {"docId", doc},
                                                                       {"userId", user},
                                                                       {"userName", name},
                                                                       {"awareness", awareness}})));
  };
  info(false, nullptr, nullptr, "nvim-user", false);
  seat.server_is_there = false;
  seat.relay_is_there = false;
  const auto connected = Say(seat, ConnectOf({{"name", "Alice"}}));
  const std::string user = HelperJson::parse(connected.at(0))["userId"];
  info(false, nullptr, user, "Alice", false);
  seat.server_is_there = true;
  Settle();
  info(true, nullptr, user, "Alice", false);
  seat.relay_is_there = true;
  const std::string id = Create(seat);
  info(true, id.substr(10), user, "Alice", true);
  LoseServer(seat);
  info(false, id.substr(10), user, "Alice", true);
  LoseRelay(seat);
  Say(seat, SimpleOf("close"));
  info(false, nullptr, user, "Alice", false);
  Say(seat, SimpleOf("disconnect"));
  info(false, nullptr, nullptr, "Alice", false);
}

TEST_F(HelperSessionTest, ConnectedIsFalseBeforeTheServerHasAnsweredTheJoin) {
  HelperSeat& seat = Sit();
  seat.held = true;
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, SimpleOf("info")), ElementsAre(HasSubstr(R"("connected":false)")));
  seat.held = false;
  EXPECT_THAT(Say(seat, SimpleOf("info")), ElementsAre(HasSubstr(R"("connected":false)")))
      << "the line is done before the answer is there";
  EXPECT_THAT(Say(seat, SimpleOf("info")), ElementsAre(HasSubstr(R"("connected":true)")));
}

TEST_F(HelperSessionTest, EmptyNamesAndColorsAreTheDefaultOnes) {
  HelperSeat& seat = Sit();
  EXPECT_THAT(Say(seat, R"({"type":"set_name","name":"Bob"})"),
              ElementsAre(HelperLineOf({{"type", "name_set"}, {"name", "Bob"}})));
  EXPECT_THAT(Say(seat, R"({"type":"set_name","name":""})"),
              ElementsAre(HelperLineOf({{"type", "name_set"}, {"name", "nvim-user"}})));
  EXPECT_THAT(Say(seat, R"({"type":"set_color","color":"#123"})"),
              ElementsAre(HelperLineOf({{"type", "color_set"}, {"color", "#123"}})));
  EXPECT_THAT(Say(seat, R"({"type":"set_color","color":""})"),
              ElementsAre(HelperLineOf({{"type", "color_set"}, {"color", "#88cc88"}})));
  Say(seat, ConnectOf({{"name", ""}, {"color", ""}}));
  Create(seat);
  Advance(milliseconds(50));
  EXPECT_THAT(Frames(seat).back(), HasSubstr(R"({"name":"nvim-user","color":"#88cc88"})"));
  Say(seat, R"({"type":"set_name","name":"Zoe"})");
  Advance(milliseconds(50));
  EXPECT_THAT(Frames(seat).back(), HasSubstr(R"({"name":"Zoe","color":"#88cc88"})"));
}

TEST_F(HelperSessionTest, StatusIsToldWhereItIsWanted) {
  HelperSeat& seat = Sit({.status = true});
  EXPECT_THAT(Say(seat, ConnectOf()),
              ::testing::UnorderedElementsAre(HasSubstr("userId"), StatusOf("sync_status", true),
                                              StatusOf("awareness_status", true)));
  LoseServer(seat);
  EXPECT_THAT(Lines(seat), ElementsAre(StatusOf("sync_status", false)));
  LoseRelay(seat);
  EXPECT_THAT(Lines(seat), ElementsAre(StatusOf("awareness_status", false)));
  seat.server_is_there = seat.relay_is_there = true;
  Settle();
  EXPECT_THAT(Lines(seat), ::testing::UnorderedElementsAre(StatusOf("sync_status", true),
                                                           StatusOf("awareness_status", true)));
  EXPECT_THAT(Say(seat, SimpleOf("disconnect")),
              ::testing::UnorderedElementsAre(StatusOf("sync_status", false),
                                              StatusOf("awareness_status", false),
                                              SimpleOf("disconnected")));
}

// --- errors

TEST_F(HelperSessionTest, ErrorsHaveTheirTextsAndCodes) {
  HelperSeat& seat = Sit();
  EXPECT_THAT(Say(seat, R"({"a":1})"),
              ElementsAre(ErrorLine("Unknown message type: (none)", "unknown_type")));
  EXPECT_THAT(Say(seat, R"({"type":7})"),
              ElementsAre(ErrorLine("Unknown message type: (none)", "unknown_type")));
  EXPECT_THAT(Say(seat, R"({"type":"nonsense"})"),
              ElementsAre(ErrorLine("Unknown message type: nonsense", "unknown_type", "nonsense")));
  for (const char* line : {"not json", "[]", "7", "null", "\"connect\"", "{", "{}{}"}) {
    const auto lines = Say(seat, line);
    ASSERT_THAT(lines, SizeIs(1)) << line;
    EXPECT_THAT(lines[0],
                AllOf(HasSubstr(R"("message":"Parse error: )"), HasSubstr(R"("code":"parse")")));
  }
  EXPECT_THAT(Say(seat, SimpleOf("create")),
              ElementsAre(ErrorLine("Not connected", "not_connected", "create")));
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)),
              ElementsAre(ErrorLine("Not connected", "not_connected", "open")));
  EXPECT_THAT(Say(seat, EditOf("x")),
              ElementsAre(ErrorLine("No document open", "no_document", "edit")));
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, ConnectOf()),
              ElementsAre(ErrorLine("Already connected", "already_connected", "connect")));
  EXPECT_THAT(seat.urls, SizeIs(2)) << "the connection stays";
  EXPECT_NE(seat.sync, nullptr);
  Create(seat);
  Say(seat, SimpleOf("close"));
  EXPECT_THAT(Say(seat, EditOf("x")),
              ElementsAre(ErrorLine("No document open", "no_document", "edit")));
  Say(seat, SimpleOf("disconnect"));
  EXPECT_THAT(Say(seat, SimpleOf("create")),
              ElementsAre(ErrorLine("Not connected", "not_connected", "create")));
}

TEST_F(HelperSessionTest, MalformedIdsAreAnError) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  for (const char* id :
       {"", "notADoc", "automerge:notADoc", "automerge:", "3RuhE2UFocx5aonmHkwc1U66XWwZ",
        "3RuhE2UFocx5aonmHkwc1U66XWwY ", "../x", "a\u0000b", "automerge:automerge:x"}) {
    const auto lines = Say(seat, OpenOf(id));
    ASSERT_THAT(lines, SizeIs(1)) << id;
    EXPECT_THAT(lines[0],
                AllOf(HasSubstr(R"("message":"Failed to open: )"),
                      HasSubstr(R"("code":"bad_doc_id")"), HasSubstr(R"("request":"open")")));
  }
}

TEST_F(HelperSessionTest, ADocumentThatNobodyHasIsUnavailable) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  EXPECT_THAT(
      Say(seat, OpenOf(kHelperId)),
      ElementsAre(ErrorLine("Failed to open: document unavailable", "unavailable", "open")));
  EXPECT_THAT(Say(seat, EditOf("x")), ElementsAre(HasSubstr("no_document")));
}

TEST_F(HelperSessionTest, WithoutAServerAnOpenFailsAfterTenSeconds) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  Advance(milliseconds(5000));
  Say(seat, OpenOf(kHelperId));
  Advance(milliseconds(9999));
  EXPECT_THAT(Lines(seat), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Lines(seat), ElementsAre(ErrorLine(
                               "Failed to open: no connection to ws://127.0.0.1:3030: it is gone",
                               "unavailable", "open")));
}

// A change that puts something else than a text under "content".
std::string HelperRootChange(std::string_view key, const automerge::ValueView& value,
                             automerge::Action action = automerge::Action::kSet) {
  automerge::OpWriter writer;
  writer.Append({.map_key = key, .action = action, .value = value});
  automerge::ChangeHead head{.actor = "zzzzzzzz"};
  head.columns = writer.Finish();
  automerge::ChangeWriter body;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string_view bytes = body.Write(head);
  return automerge::ChangeChunk(bytes, automerge::HashOfChange(bytes, scratch, hasher));
}

TEST_F(HelperSessionTest, SomethingElseThanATextCannotBeOpened) {
  const std::string changes[] = {HelperRootChange("content", {automerge::ValueType::kTrue, ""}),
                                 HelperRootChange("content", {automerge::ValueType::kInt, "\x05"}),
                                 HelperRootChange("content", {}, automerge::Action::kMakeMap),
                                 HelperRootChange("content", {}, automerge::Action::kMakeList)};
  uint8_t number = 0;
  for (const std::string& change : changes) {
    const std::string id = DocumentId({++number}).ToString();
    Publish(id, change);
    HelperSeat& seat = Sit();
    Say(seat, ConnectOf());
    EXPECT_THAT(Say(seat, OpenOf(id)),
                ElementsAre(ErrorLine("Failed to open: not a text document", "not_text", "open")));
    EXPECT_THAT(Say(seat, EditOf("x")), ElementsAre(HasSubstr("no_document")));
    EXPECT_THAT(Say(seat, SimpleOf("info")), ElementsAre(HasSubstr(R"("docId":null)")));
  }
}

TEST_F(HelperSessionTest, BadUrlsAreAnError) {
  HelperSeat& seat = Sit();
  for (const char* url : {"", "x", "http://127.0.0.1", "ws://", "ws://example.com:3030", "wss://",
                          "ws://127.0.0.1:99999", "ws://127.0.0.1:1\r\nX: y"}) {
    for (const char* member : {"syncUrl", "awarenessUrl"}) {
      if (*url == '\0' && std::string_view(member) == "awarenessUrl") continue;
      const auto lines = Say(seat, ConnectOf({{member, url}, {"name", "Mallory"}}));
      ASSERT_THAT(lines, SizeIs(1)) << url;
      EXPECT_THAT(
          lines[0],
          AllOf(HasSubstr(R"("message":"Bad URL: )"), HasSubstr(R"("code":"bad_url")"),
                HasSubstr(R"("request":"connect")"), ::testing::Not(HasSubstr("bad URL of"))));
    }
  }
  EXPECT_THAT(
      Say(seat, ConnectOf({{"syncUrl", "http://127.0.0.1"}})),
      ElementsAre(ErrorLine("Bad URL: it must begin with wss:// or ws://", "bad_url", "connect")));
  EXPECT_THAT(seat.urls, IsEmpty());
  EXPECT_THAT(Say(seat, SimpleOf("info")), ElementsAre(HasSubstr(R"("userName":"nvim-user")")));
  EXPECT_THAT(Say(seat, ConnectOf()), ElementsAre(HasSubstr("connected")));
}

TEST_F(HelperSessionTest, PlainTextToAnotherMachineNeedsLeave) {
  HelperSeat& seat = Sit({.allow_plaintext = true});
  EXPECT_THAT(Say(seat, ConnectOf({{"syncUrl", "ws://example.com:3030"}})),
              ElementsAre(HasSubstr("connected")));
}

TEST_F(HelperSessionTest, AServerOfAnotherVersionIsToldOfOnce) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  for (int round = 0; round < 3; ++round) {
    seat.session->OnOpened(HelperPeer::kSync, Now());
    std::string user;
    while (auto command = seat.session->TakeCommand()) {
      const auto* send = std::get_if<HelperSend>(&*command);
      if (send == nullptr || send->peer != HelperPeer::kSync) continue;
      user = std::get<JoinMessage>(*ReadRepoMessage(send->message)).sender;
    }
    seat.session->OnMessage(
        HelperPeer::kSync,
        WriteRepoMessage(PeerMessage{.sender = "server", .target = user, .version = "7"}), Now());
    Settle();
    seat.session->OnClosed(HelperPeer::kSync, absl::UnavailableError("it is gone"), Now());
    Settle();
  }
  const auto lines = Lines(seat);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0],
              AllOf(HasSubstr(R"("message":"Sync server: )"), HasSubstr(R"("code":"protocol")")));
  EXPECT_THAT(seat.failures, SizeIs(3));
}

// A server that is a script: it refuses nothing, and sends what it is told to.
class HelperRefusalTest : public HelperSessionTest {
 protected:
  void Connect() {
    seat_->session->OnOpened(HelperPeer::kSync, Now());
    TakeJoin();
    Give(WriteRepoMessage(PeerMessage{.sender = "server", .target = user_, .version = "1"}));
  }
  void Lose() {
    seat_->session->OnClosed(HelperPeer::kSync, absl::UnavailableError("it is gone"), Now());
    Drop();
  }
  void Give(const std::string& message) {
    seat_->session->OnMessage(HelperPeer::kSync, message, Now());
    Drop();
  }
  void GiveSync(std::string data) {
    Give(WriteRepoMessage(DocumentMessage{
        .sender = "server", .target = user_, .document = kHelperId, .data = std::move(data)}));
  }
  std::vector<std::string> TakeLines() {
    std::vector<std::string> lines;
    while (auto line = seat_->session->TakeLine()) {
      lines.push_back(HelperJson::parse(*line).dump());
    }
    return lines;
  }
  void SitDown() {
    seat_ = &Sit();
    seat_->session->OnLine(ConnectOf(), Now());
    Connect();
    seat_->session->OnLine(OpenOf(kHelperId), Now());
    Drop();
    EXPECT_THAT(TakeLines(), ElementsAre(HasSubstr("connected")));
  }
  void Pass(milliseconds time) {
    now_ += time;
    seat_->session->OnDeadline(Now());
    Drop();
  }
  static std::string WithText(std::string_view text) {
    automerge::Document document("writer");
    EXPECT_THAT(document.MakeText("content"), IsOk());
    EXPECT_THAT(document.Splice(document.Get("content")->id, crdt::Unit::kCodePoints, 0, 0, text),
                IsOk());
    document.Commit(1);
    return automerge::WriteSyncMessage({.heads = document.heads(),
                                        .have = {automerge::SyncMessage::Have()},
                                        .changes = {document.ChunkOf(0)}});
  }

  HelperSeat* seat_ = nullptr;

 private:
  void TakeJoin() {
    while (auto command = seat_->session->TakeCommand()) {
      const auto* const send = std::get_if<HelperSend>(&*command);
      if (send == nullptr || send->peer != HelperPeer::kSync) continue;
      const auto message = ReadRepoMessage(send->message);
      if (const auto* const join = std::get_if<JoinMessage>(&*message)) user_ = join->sender;
    }
  }
  void Drop() {
    while (seat_->session->TakeCommand()) {
    }
  }

  std::string user_;
};

// A filter of 2^28 bits.
std::string TooLargeSync() {
  return std::string("\x42\0\0\x01\0\x07\x80\x80\x80\x01\x80\x01\x07\0", 14);
}

TEST_F(HelperRefusalTest, ARefusedMessageIsToldOnceForEachConnection) {
  SitDown();
  GiveSync(WithText("abc"));
  EXPECT_THAT(TakeLines(), ElementsAre(OpenedLine(kHelperId, "abc")));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 50; ++i) GiveSync("\x42 rubbish");
    const auto lines = TakeLines();
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_THAT(lines[0],
                AllOf(HasSubstr(R"("message":"Sync server: a message of the server was refused: )"),
                      HasSubstr(R"("code":"protocol")"), Not(HasSubstr("request"))));
    Lose();
    Connect();
    EXPECT_THAT(TakeLines(), IsEmpty());
  }
  GiveSync(TooLargeSync());
  const auto lines = TakeLines();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0],
              AllOf(HasSubstr(R"("message":"Too large: )"), HasSubstr(R"("code":"too_large")")));
}

TEST_F(HelperRefusalTest, OneThatCannotBeReadIsToldOnceToo) {
  SitDown();
  for (int i = 0; i < 50; ++i) Give("rubbish");
  EXPECT_THAT(TakeLines(), ElementsAre(HasSubstr(R"("code":"protocol")")));
}

TEST_F(HelperRefusalTest, EphemeralOnesAndThoseOfOtherDocumentsAreNotTold) {
  SitDown();
  GiveSync(WithText("abc"));
  TakeLines();
  Give(WriteRepoMessage(EphemeralMessage{.sender = "x",
                                         .target = "nvim",
                                         .document = kHelperId,
                                         .session = "s",
                                         .count = 1,
                                         .data = std::string(100'000, 'x')}));
  seat_->session->OnLine(SimpleOf("close"), Now());
  GiveSync("\x42 rubbish");
  EXPECT_THAT(TakeLines(), ElementsAre(HasSubstr("closed")));
}

TEST_F(HelperRefusalTest, AnOpenFailsWithWhatWasRefused) {
  for (const bool too_large : {false, true}) {
    SitDown();
    GiveSync(too_large ? TooLargeSync() : "\x42 rubbish");
    EXPECT_THAT(TakeLines(), ElementsAre(HasSubstr("was refused")));
    Pass(milliseconds(10000));
    const auto lines = TakeLines();
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_THAT(lines[0],
                AllOf(HasSubstr(too_large ? R"("message":"Too large: a message )"
                                          : R"("message":"Failed to open: a message )"),
                      HasSubstr(too_large ? R"("code":"too_large")" : R"("code":"protocol")"),
                      HasSubstr(R"("request":"open")")));
  }
}

TEST_F(HelperSessionTest, LimitsAreAnErrorThatSaysTooLarge) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  std::vector<std::string> lines;
  for (int i = 0; i < 65; ++i) lines = Say(seat, SimpleOf("create"));
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], HasSubstr(R"("code":"too_large")"));
  EXPECT_THAT(lines[0], HasSubstr(R"("message":"Too large: )"));
}

TEST_F(HelperSessionTest, ErrorsEndNothing) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  for (const char* line : {"x", "{}", R"({"type":"x"})", R"({"type":"edit"})",
                           R"({"type":"cursor"})", R"({"type":"connect","syncUrl":7})"}) {
    EXPECT_THAT(Say(seat, line), ElementsAre(HasSubstr("error"))) << line;
  }
  EXPECT_THAT(Say(seat, EditOf("abcd")), IsEmpty());
  EXPECT_EQ(ServerText(), "abcd");
}

// --- rules: cursors

TEST_F(HelperSessionTest, ACursorWithoutADocumentIsIgnored) {
  HelperSeat& seat = Sit();
  EXPECT_THAT(Say(seat, R"({"type":"cursor","offset":1})"), IsEmpty());
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, R"({"type":"cursor","offset":1})"), IsEmpty());
  Create(seat);
  Say(seat, SimpleOf("close"));
  Advance(milliseconds(100));
  Frames(seat);
  EXPECT_THAT(Say(seat, R"({"type":"cursor","offset":1})"), IsEmpty());
  Advance(milliseconds(6000));
  EXPECT_THAT(Frames(seat), IsEmpty()) << "[H] sends it for the document \"default\"";
}

TEST_F(HelperSessionTest, OffsetsAreCutToTheText) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  const struct {
    const char* line;
    const char* sent;
  } kCases[] = {
      {R"({"type":"cursor","offset":2})", R"("selection":{"anchor":2}})"},
      {R"({"type":"cursor","offset":3.9})", R"("selection":{"anchor":3}})"},
      {R"({"type":"cursor","offset":1.9})", R"("selection":{"anchor":1}})"},
      {R"({"type":"cursor","offset":99})", R"("selection":{"anchor":3}})"},
      {R"({"type":"cursor","offset":-1})", R"("selection":{"anchor":0}})"},
      {R"({"type":"cursor","offset":4294967296})", R"("selection":{"anchor":3}})"},
      {R"({"type":"cursor","offset":-1e300})", R"("selection":{"anchor":0}})"},
      {R"({"type":"cursor","offset":18446744073709551616})", R"("selection":{"anchor":3}})"},
      {R"({"type":"cursor","offset":1,"selection":null})", R"("selection":{"anchor":1}})"},
      {R"({"type":"cursor","offset":1,"selection":{"anchor":2}})",
       R"("selection":{"anchor":2,"head":2}})"},
      {R"({"type":"cursor","offset":1,"selection":{"anchor":-5,"head":1e9}})",
       R"("selection":{"anchor":0,"head":3}})"},
      {R"({"type":"cursor","offset":42,"selection":{"anchor":2,"head":1}})",
       R"("selection":{"anchor":2,"head":1}})"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.line);
    EXPECT_THAT(Say(seat, c.line), IsEmpty());
    Advance(milliseconds(50));
    const auto frames = Frames(seat);
    if (frames.empty()) continue;  // the same as before
    EXPECT_THAT(frames.back(), HasSubstr(c.sent));
  }
}

TEST_F(HelperSessionTest, OffsetsThatAreNoNumbersAreAnError) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  for (const char* line :
       {R"({"type":"cursor"})", R"({"type":"cursor","offset":"1"})",
        R"({"type":"cursor","offset":null})", R"({"type":"cursor","offset":true})",
        R"({"type":"cursor","offset":[1]})", R"({"type":"cursor","offset":1,"selection":7})",
        R"({"type":"cursor","offset":1,"selection":{}})",
        R"({"type":"cursor","offset":1,"selection":{"head":1}})",
        R"({"type":"cursor","offset":1,"selection":{"anchor":"x"}})",
        R"({"type":"cursor","offset":1,"selection":{"anchor":1,"head":"x"}})"}) {
    EXPECT_THAT(Say(seat, line), ElementsAre(HasSubstr(R"("code":"bad_message")"))) << line;
  }
  EXPECT_THAT(Frames(seat), IsEmpty());
}

// --- rules: edits

TEST_F(HelperSessionTest, AnEditThatCrossesAnInsertOfSomebodyElseKeepsIt) {
  HelperStranger& stranger = PublishText(kHelperId, "one\ntwo\n");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 4, 0, "remote ");
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("one\nremote two\n")));
  // The editor had not seen it.
  EXPECT_THAT(Say(seat, EditOf("one!\ntwo\n")), ElementsAre(ChangedLine("one!\nremote two\n")));
  EXPECT_EQ(ServerText(), "one!\nremote two\n");
}

TEST_F(HelperSessionTest, AnEditThatMayBeReplacedByATextOnItsWayIsToldOnceMore) {
  HelperStranger& stranger = PublishText(kHelperId, "");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 0, 0, "a");
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("a")));
  // It may have typed "b" after reading that, or "ab" before.
  check_echo_ = false;
  EXPECT_THAT(Say(seat, EditOf("ab")), IsEmpty());
  Advance(OpenText::kRepeatDelay - milliseconds(1));
  EXPECT_THAT(Lines(seat), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("ab")));
  Advance(milliseconds(60000));
  EXPECT_THAT(Lines(seat), IsEmpty());
  EXPECT_THAT(Say(seat, EditOf("abc")), IsEmpty());
  Advance(milliseconds(60000));
  EXPECT_THAT(Lines(seat), IsEmpty()) << "it has read that long ago";
  EXPECT_EQ(ServerText(), "abc");
}

TEST_F(HelperSessionTest, AnEditBeforeAChangeIsToldIsOfTheTextThatTheEditorHas) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 0, 0, "1");
  StrangerEdits(stranger, 1, 0, "2");  // within 20 ms: not told yet
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("1abc")));
  EXPECT_THAT(Say(seat, EditOf("1abcd")), ElementsAre(ChangedLine("12abcd")));
  EXPECT_EQ(ServerText(), "12abcd");
}

TEST_F(HelperSessionTest, ADeletionOfWhatSomebodyElseDeletedTooTakesNothingElse) {
  HelperStranger& stranger = PublishText(kHelperId, "abcdef");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 1, 2, "");
  EXPECT_THAT(Say(seat, EditOf("aef")), ElementsAre(ChangedLine("adef")));
  EXPECT_EQ(ServerText(), "aef");
}

TEST_F(HelperSessionTest, AnEditOfTheNewestTextMayDeleteWhatOthersWrote) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 3, 0, "REMOTE TEXT");
  EXPECT_THAT(Say(seat, EditOf("abcREMOTE TEX")), ElementsAre(ChangedLine("abcREMOTE TEXT")));
  EXPECT_EQ(ServerText(), "abcREMOTE TEX");
}

TEST_F(HelperSessionTest, ATextThatGaveWayTwoSecondsAgoIsNoBaseAnyMore) {
  for (const int late : {2000, 2001}) {
    SCOPED_TRACE(late);
    const std::string id = DocumentId({static_cast<uint8_t>(late - 1990)}).ToString();
    PublishText(id, "abc");
    HelperSeat& seat = Sit();
    HelperSeat& other = Sit();
    for (HelperSeat* it : {&seat, &other}) {
      Say(*it, ConnectOf());
      Say(*it, OpenOf(id));
    }
    Advance(milliseconds(100));
    Say(other, EditOf("abcX"));
    EXPECT_THAT(Lines(seat), ::testing::Contains(ChangedLine("abcX")));
    Advance(milliseconds(late));
    Say(seat, EditOf("abc"));
    EXPECT_EQ(ServerText(id), late == 2000 ? "abcX" : "abc");
  }
}

TEST_F(HelperSessionTest, ABusyEditorDeletesNothingOfOthers) {
  HelperStranger& stranger = PublishText(kHelperId, "one two");
  HelperSeat& seat = SitAndOpen();
  for (const int interval : {100, 600}) {
    SCOPED_TRACE(interval);
    Say(seat, EditOf("one two"));
    Advance(milliseconds(3000));
    for (int i = 0; i < 17; ++i) {
      StrangerEdits(stranger, 4, 0, "R");
      Advance(milliseconds(interval));
    }
    // What was typed meanwhile.
    Say(seat, R"({"type":"cursor","offset":0})");
    Say(seat, EditOf("0one two"));
    Say(seat, EditOf("01one two"));
    EXPECT_EQ(ServerText(), "01one " + std::string(17, 'R') + "two");
    // Who says something two seconds later has read all.
    Advance(milliseconds(2000));
    Say(seat, R"({"type":"cursor","offset":1})");
    Advance(milliseconds(2001));
    Say(seat, EditOf("one two"));
    EXPECT_EQ(ServerText(), "one two");
  }
}

TEST_F(HelperSessionTest, AnEditorThatBecomesBusyBehindALineDeletesNothingOfOthers) {
  HelperStranger& stranger = PublishText(kHelperId, "one two");
  HelperSeat& seat = SitAndOpen();
  Advance(milliseconds(3000));
  StrangerEdits(stranger, 4, 0, "REMOTE ");
  Say(seat, R"({"type":"cursor","offset":0})");
  Advance(milliseconds(10000));
  // What was typed meanwhile.
  Say(seat, R"({"type":"cursor","offset":1})");
  Say(seat, EditOf("0one two"));
  EXPECT_EQ(ServerText(), "0one REMOTE two");
}

TEST_F(HelperSessionTest, WhatOthersWroteCanBeTakenBackByASilentEditor) {
  HelperStranger& stranger = PublishText(kHelperId, "one two");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 4, 0, "REMOTE ");
  Advance(milliseconds(2001));
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("one REMOTE two")));
  EXPECT_THAT(Say(seat, EditOf("one two")), IsEmpty());
  EXPECT_EQ(ServerText(), "one two");
}

TEST_F(HelperSessionTest, EqualContentIsNoChange) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  const size_t changes = ServerChanges();
  EXPECT_THAT(Say(seat, EditOf("abc")), IsEmpty());
  Advance(milliseconds(5000));
  EXPECT_EQ(ServerChanges(), changes);
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, AnEditIsOneChange) {
  PublishText(kHelperId, "one two three");
  HelperSeat& seat = SitAndOpen();
  const size_t changes = ServerChanges();
  EXPECT_THAT(Say(seat, EditOf("One two Three four")), IsEmpty());
  EXPECT_EQ(ServerChanges(), changes + 1);
}

TEST_F(HelperSessionTest, ContentIsKeptByteForByte) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  using std::string_literals::operator""s;
  for (const std::string& text : {"a\r\nb\r\n"s, "a\0b"s, "\0"s, "\t\x01\x7f"s,
                                  "\xef\xbb\xbf text"s, "\xe2\x80\xa8\xe2\x80\xa9"s, "e\xcc\x81"s,
                                  std::string(kSmile) + kSmile, "\n\n\n"s, ""s, "\xef\xbf\xbe"s}) {
    EXPECT_THAT(Say(seat, EditOf(text)), IsEmpty());
    EXPECT_EQ(ServerText(id), text);
    EXPECT_THAT(Say(seat, OpenOf(id)), ElementsAre(OpenedLine(id, text)));
  }
}

TEST_F(HelperSessionTest, LoneSurrogatesBecomeReplacementCharacters) {
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  check_echo_ = false;  // what it sent is no text
  const std::string text =
      "a\xef\xbf\xbd"
      "b\xef\xbf\xbd" +
      std::string(kSmile) + "\xef\xbf\xbd\xef\xbf\xbd";
  EXPECT_THAT(Say(seat, R"({"type":"edit","content":"a\ud800b\udc00\ud83d\ude00\udfff\ud800"})"),
              ElementsAre(ChangedLine(text)));
  EXPECT_EQ(ServerText(id), text);
}

TEST_F(HelperSessionTest, DoesNotTellThePathOfAUrl) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf({{"syncUrl", "ws://127.0.0.1:3030/sync?token=secret"}}));
  Say(seat, OpenOf(kHelperId));
  Advance(milliseconds(10000));
  EXPECT_THAT(Lines(seat), ElementsAre(ErrorLine(
                               "Failed to open: no connection to ws://127.0.0.1:3030: it is gone",
                               "unavailable", "open")));
}

TEST_F(HelperSessionTest, TakesAChangeOfVeryManySteps) {
  HelperStranger& stranger = PublishText(kHelperId, std::string(5000, '.'));
  HelperSeat& seat = SitAndOpen();
  const DocumentId id = *DocumentId::Parse(kHelperId);
  automerge::Document& document = *stranger.session.Find(id);
  const automerge::OpId text = document.Get("content")->id;
  for (uint32_t at = 5000; at > 0; --at) {
    ASSERT_THAT(document.Splice(text, crdt::Unit::kCodePoints, at, 0, "x"), IsOk());
  }
  document.Commit(2);
  const std::string before = *seat.has;
  stranger.session.OnEdited(id, now_);
  Settle();
  Say(seat, EditOf(before + "!"));
  EXPECT_EQ(ServerText().size(), 10001u);
}

// Places of the texts that an editor may have are moved for all steps at once.
TEST_F(HelperSessionTest, AnEditThatCrossesAChangeOfManyStepsKeepsIt) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "line " + std::to_string(i) + "\n";
  HelperStranger& stranger = PublishText(kHelperId, text);
  HelperSeat& seat = SitAndOpen();
  const DocumentId id = *DocumentId::Parse(kHelperId);
  automerge::Document& document = *stranger.session.Find(id);
  std::string theirs = text;
  // From the end, and once more over it: each line has its number in front, and no "line ".
  for (int i = 39; i >= 0; --i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    const size_t at = theirs.find(line);
    ASSERT_THAT(document.Splice(document.Get("content")->id, crdt::Unit::kCodePoints,
                                static_cast<uint32_t>(at), 5, "* "),
                IsOk());
    theirs.replace(at, 5, "* ");
  }
  document.Commit(2);
  stranger.session.OnEdited(id, now_);
  Settle();
  EXPECT_EQ(ServerText(), theirs);
  Advance(milliseconds(20));
  // It has not read it.
  const size_t at = text.find("line 20");
  Say(seat, EditOf(std::string(text).insert(at + 7, " of mine")));
  EXPECT_EQ(ServerText(), theirs.insert(theirs.find("* 20") + 4, " of mine"));
}

TEST_F(HelperSessionTest, NoEditIsLostWhileAChangeIsTold) {
  // [H] drops edits that arrive while it delivers a remote one.
  HelperStranger& stranger = PublishText(kHelperId, "");
  HelperSeat& seat = SitAndOpen();
  std::string own;
  for (int i = 0; i < 30; ++i) {
    StrangerEdits(stranger, 0, 0, "r");
    own = *seat.has + "o";
    Say(seat, EditOf(own));
    Advance(milliseconds(3));
  }
  Advance(milliseconds(100));
  const std::string text = ServerText();
  EXPECT_EQ(std::count(text.begin(), text.end(), 'r'), 30);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'o'), 30);
  EXPECT_EQ(seat.has, text);
}

TEST_F(HelperSessionTest, APlainStringCanBeEdited) {
  Publish(kHelperId, HelperRootChange("content", {automerge::ValueType::kString, "plain"}));
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)), ElementsAre(OpenedLine(kHelperId, "plain")));
  EXPECT_THAT(Say(seat, EditOf("plains")), IsEmpty());
  EXPECT_EQ(ServerText(), "plains");
}

TEST_F(HelperSessionTest, AMissingContentIsMadeByTheFirstEdit) {
  Publish(kHelperId, HelperRootChange("other", {automerge::ValueType::kTrue, ""}));
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)), ElementsAre(OpenedLine(kHelperId, "")));
  EXPECT_THAT(Say(seat, EditOf("x")), IsEmpty());
  EXPECT_EQ(ServerText(), "x");
}

TEST_F(HelperSessionTest, AnEmptyDocumentOpensAtOnce) {
  PublishText(kHelperId, "");
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)), ElementsAre(OpenedLine(kHelperId, "")));
}

TEST_F(HelperSessionTest, ATextThatBecomesSomethingElseIsAnErrorOnce) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  automerge::Document& document = *stranger.session.Find(*DocumentId::Parse(kHelperId));
  automerge::WaitingChanges waiting(document);
  automerge::OpWriter writer;
  writer.Append({.map_key = "content", .value = {automerge::ValueType::kTrue, ""}});
  automerge::ChangeHead head{.actor = "zzzzzzzz", .seq = 1, .start_op = 100};
  head.deps.assign(document.heads().begin(), document.heads().end());
  head.columns = writer.Finish();
  automerge::ChangeWriter body;
  std::string scratch;
  Sha256Hasher hasher;
  const std::string_view bytes = body.Write(head);
  ASSERT_THAT(
      waiting.Add(automerge::ChangeChunk(bytes, automerge::HashOfChange(bytes, scratch, hasher))),
      IsOk());
  stranger.session.OnEdited(*DocumentId::Parse(kHelperId), now_);
  Settle();
  EXPECT_THAT(Lines(seat), ElementsAre(ErrorLine("not a text document", "not_text")));
  EXPECT_THAT(Say(seat, EditOf("abcd")), ElementsAre(HasSubstr("not_text")));
  Advance(milliseconds(1000));
  EXPECT_THAT(Lines(seat), IsEmpty());
  // As at any other open of it.
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)),
              ElementsAre(ErrorLine("Failed to open: not a text document", "not_text", "open")));
}

// --- rules: create, open, disconnect

TEST_F(HelperSessionTest, CreateWorksOfflineAndIsAnnouncedLater) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  ASSERT_NE(id, "");
  EXPECT_THAT(Say(seat, EditOf("offline")), IsEmpty());
  Advance(milliseconds(60000));
  EXPECT_THAT(Lines(seat), IsEmpty());
  seat.server_is_there = true;
  Settle();
  EXPECT_EQ(ServerText(id), "offline");
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, OfflineDocumentsThatWereClosedAreSentLaterToo) {
  HelperSeat& seat = Sit();
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  const std::string first = Create(seat);
  Say(seat, EditOf("first"));
  const std::string second = Create(seat);
  Say(seat, EditOf("second"));
  Say(seat, SimpleOf("close"));
  EXPECT_THAT(Say(seat, OpenOf(first)), ElementsAre(OpenedLine(first, "first")));
  Say(seat, SimpleOf("close"));
  seat.server_is_there = true;
  Settle();
  EXPECT_EQ(ServerText(first), "first");
  EXPECT_EQ(ServerText(second), "second");
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, AnotherOpenHasThePresentText) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 0, 0, "1");
  StrangerEdits(stranger, 0, 0, "2");
  Lines(seat);
  check_echo_ = false;
  const auto lines = Say(seat, OpenOf(std::string("automerge:") + kHelperId));
  EXPECT_THAT(lines, ElementsAre(OpenedLine(std::string("automerge:") + kHelperId, "21abc")));
  Advance(milliseconds(1000));
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, AnOpenClosesTheDocumentBeforeWithoutALine) {
  const std::string other = DocumentId({9}).ToString();
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  PublishText(other, "xyz");
  HelperSeat& seat = SitAndOpen();
  EXPECT_THAT(Say(seat, OpenOf(other)), ElementsAre(OpenedLine(other, "xyz")));
  StrangerEdits(stranger, 0, 0, "1");
  Relay(BobOf({{"anchor", 1}}));
  Advance(milliseconds(1000));
  EXPECT_THAT(Lines(seat), IsEmpty());
  EXPECT_THAT(Say(seat, EditOf("xyz!")), IsEmpty());
  EXPECT_EQ(ServerText(other), "xyz!");
  EXPECT_EQ(ServerText(), "1abc");
}

TEST_F(HelperSessionTest, AfterAFailedOpenNoDocumentIsOpen) {
  PublishText(kHelperId, "abc");
  const std::string nobodys = DocumentId({9}).ToString();
  for (const std::string& id : {std::string("notADoc"), nobodys}) {
    SCOPED_TRACE(id);
    HelperSeat& seat = SitAndOpen();
    EXPECT_THAT(Say(seat, OpenOf(id)), ElementsAre(HasSubstr("Failed to open")));
    EXPECT_THAT(Say(seat, SimpleOf("info")), ElementsAre(HasSubstr(R"("docId":null)")));
    EXPECT_THAT(Say(seat, EditOf("lost")), ElementsAre(HasSubstr("no_document")));
    Advance(milliseconds(100));
    EXPECT_THAT(Frames(seat), ElementsAre(HasSubstr(R"("documentId":"default")")));
  }
  EXPECT_EQ(ServerText(), "abc");
}

TEST_F(HelperSessionTest, DisconnectClosesTheDocumentAndSendsItsEdits) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  seat.held = true;
  Say(seat, EditOf("abcd"));
  Say(seat, EditOf("abcde"));
  EXPECT_THAT(Say(seat, SimpleOf("disconnect")), IsEmpty());
  EXPECT_THAT(Say(seat, SimpleOf("info")), IsEmpty()) << "in their order";
  seat.held = false;
  Advance(milliseconds(50));
  EXPECT_THAT(Lines(seat), ElementsAre(SimpleOf("disconnected"), HasSubstr(R"("docId":null)")));
  EXPECT_EQ(ServerText(), "abcde");
  EXPECT_THAT(Say(seat, EditOf("x")), ElementsAre(HasSubstr("no_document")));
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)), ElementsAre(OpenedLine(kHelperId, "abcde")));
}

TEST_F(HelperSessionTest, DisconnectWaitsAtMostTwoSeconds) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  seat.held = true;
  Say(seat, EditOf("abcd"));
  Say(seat, SimpleOf("disconnect"));
  Advance(milliseconds(1999));
  EXPECT_THAT(Lines(seat), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Lines(seat), ElementsAre(SimpleOf("disconnected")));
}

TEST_F(HelperSessionTest, EditsAreKeptWhileTheServerIsLost) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  for (int round = 0; round < 3; ++round) {
    LoseServer(seat);
    const std::string before = *seat.has;
    StrangerEdits(stranger, 0, 0, "R");
    Advance(milliseconds(30000));
    EXPECT_THAT(Say(seat, EditOf(before + "o")), IsEmpty());
    seat.server_is_there = true;
    Settle();
    EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("R" + before + "o")));
    EXPECT_EQ(ServerText(), "R" + before + "o");
  }
}

TEST_F(HelperSessionTest, TheRelayWorksWithoutTheServerAndTheOtherWayRound) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  LoseServer(seat);
  Relay(BobOf({{"anchor", 1}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(1, nullptr)));
  seat.server_is_there = true;
  LoseRelay(seat);
  Settle();
  StrangerEdits(stranger, 0, 0, "x");
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("xabc"), CursorLineOf(2, nullptr)));
  EXPECT_THAT(Say(seat, EditOf("xabcd")), IsEmpty());
  EXPECT_EQ(ServerText(), "xabcd");
}

// --- documents that are kept

TEST_F(HelperSessionTest, AKeptDocumentOpensAfterTwoSecondsWithoutAServer) {
  HelperDisk& disk = Insert();
  HelperStranger& stranger = PublishText(kHelperId, "kept");
  HelperSeat& seat = SitAndOpen({}, &disk);
  Say(seat, SimpleOf("disconnect"));
  EXPECT_THAT(disk.open, IsEmpty());
  StrangerEdits(stranger, 0, 0, "new ");
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  Say(seat, OpenOf(kHelperId));
  Advance(milliseconds(1999));
  EXPECT_THAT(Lines(seat), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Lines(seat), ElementsAre(OpenedLine(kHelperId, "kept")));
  EXPECT_THAT(Say(seat, EditOf("kept!")), IsEmpty());
  Advance(milliseconds(20000));
  EXPECT_THAT(Lines(seat), IsEmpty()) << "one opened, and no error";
  seat.server_is_there = true;
  Settle();
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("new kept!")));
  EXPECT_EQ(ServerText(), "new kept!");
}

TEST_F(HelperSessionTest, AKeptDocumentOpensAtOnceWhereTheServerHasIt) {
  HelperDisk& disk = Insert();
  HelperStranger& stranger = PublishText(kHelperId, "kept");
  HelperSeat& seat = SitAndOpen({}, &disk);
  Say(seat, SimpleOf("disconnect"));
  StrangerEdits(stranger, 0, 0, "new ");
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)), ElementsAre(OpenedLine(kHelperId, "new kept")));
  Advance(milliseconds(5000));
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, AKeptDocumentOpensAtOnceWhereTheServerHasItNot) {
  HelperDisk& disk = Insert();
  HelperSeat& seat = Sit({}, &disk);
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  Say(seat, EditOf("mine"));
  Say(seat, SimpleOf("disconnect"));
  seat.server_is_there = true;
  Say(seat, ConnectOf());
  EXPECT_THAT(Say(seat, OpenOf(id)), ElementsAre(OpenedLine(id, "mine")));
  EXPECT_EQ(ServerText(id), "mine");
}

TEST_F(HelperSessionTest, AKeptDocumentOpensAtOnceWhenTheServerSaysUnavailable) {
  HelperDisk& disk = Insert();
  HelperSeat& seat = Sit({}, &disk);
  seat.server_is_there = false;
  Say(seat, ConnectOf());
  const std::string id = Create(seat);
  Say(seat, EditOf("mine"));
  Say(seat, SimpleOf("disconnect"));
  // A server that is a script.
  const auto connected = Say(seat, ConnectOf());
  const std::string user = HelperJson::parse(connected.at(0))["userId"];
  Say(seat, OpenOf(id));
  seat.session->OnOpened(HelperPeer::kSync, Now());
  seat.session->OnMessage(
      HelperPeer::kSync,
      WriteRepoMessage(PeerMessage{.sender = "server", .target = user, .version = "1"}), Now());
  seat.session->OnMessage(HelperPeer::kSync,
                          WriteRepoMessage(UnavailableMessage{
                              .sender = "server", .target = user, .document = id.substr(10)}),
                          Now());
  while (seat.session->TakeCommand()) continue;
  Settle();
  EXPECT_THAT(Lines(seat), ElementsAre(OpenedLine(id, "mine")));
}

TEST_F(HelperSessionTest, AKeptDocumentOpensHoweverItIsCutShort) {
  HelperDisk& disk = Insert();
  HelperSeat& maker = Sit({}, &disk);
  maker.server_is_there = false;
  Say(maker, ConnectOf());
  const std::string id = Create(maker);
  for (const char* text : {"a", "ab", "abc", "abcd"}) Say(maker, EditOf(text));
  Say(maker, SimpleOf("disconnect"));
  const std::string file = disk.files[id.substr(10)];
  ASSERT_GT(file.size(), 100u);
  size_t longest = 0;
  for (size_t size = 0; size <= file.size(); ++size) {
    SCOPED_TRACE(size);
    HelperDisk& cut = Insert({.files = {{id.substr(10), file.substr(0, size)}}});
    HelperSeat& seat = Sit({}, &cut);
    seat.server_is_there = false;
    Say(seat, ConnectOf());
    Say(seat, OpenOf(id));
    Advance(milliseconds(10000));
    const auto lines = Lines(seat);
    ASSERT_THAT(lines, SizeIs(1));
    const HelperJson json = HelperJson::parse(lines[0]);
    if (json["type"] != "opened") {  // nothing of it is there
      EXPECT_LT(size, 120u) << lines[0];
      EXPECT_THAT(lines[0], HasSubstr("no connection"));
    } else {
      const auto text = json["content"].get<std::string>();
      EXPECT_EQ(text, std::string("abcd").substr(0, text.size()));
      EXPECT_GE(text.size(), longest);
      longest = text.size();
      Say(seat, EditOf(text + "Z"));
      Say(seat, SimpleOf("close"));
      EXPECT_THAT(Say(seat, OpenOf(id)), ElementsAre(OpenedLine(id, text + "Z")));
      // And it is a whole file again.
      Say(seat, SimpleOf("disconnect"));
      Say(seat, ConnectOf());
      Say(seat, OpenOf(id));
      Advance(milliseconds(2000));
      EXPECT_THAT(Lines(seat), ElementsAre(OpenedLine(id, text + "Z")));
    }
    seats_.pop_back();
  }
  EXPECT_EQ(longest, 4u);
}

TEST_F(HelperSessionTest, EditsOfOthersAreKeptToo) {
  HelperDisk& disk = Insert();
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen({}, &disk);
  StrangerEdits(stranger, 3, 0, "d");
  Say(seat, EditOf("eabcd"));
  const std::string file = disk.files[kHelperId];
  HelperDisk& copy = Insert({.files = {{kHelperId, file}}});
  HelperSeat& later = Sit({}, &copy);
  later.server_is_there = false;
  Say(later, ConnectOf());
  Say(later, OpenOf(kHelperId));
  Advance(milliseconds(2000));
  EXPECT_THAT(Lines(later), ElementsAre(OpenedLine(kHelperId, "eabcd")));
}

TEST_F(HelperSessionTest, AFullDiskIsToldOnceAndEditsAreStillSent) {
  HelperDisk& disk = Insert();
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen({}, &disk);
  disk.full = true;
  EXPECT_THAT(Say(seat, EditOf("abcd")), ElementsAre(HasSubstr("Cannot keep the document")));
  EXPECT_THAT(Say(seat, EditOf("abcde")), IsEmpty());
  EXPECT_EQ(ServerText(), "abcde");
}

TEST_F(HelperSessionTest, ADocumentOfAnotherProcessIsAnError) {
  HelperDisk& disk = Insert();
  PublishText(kHelperId, "abc");
  SitAndOpen({}, &disk);
  HelperSeat& second = Sit({}, &disk);
  Say(second, ConnectOf());
  const auto lines = Say(second, OpenOf(kHelperId));
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], HasSubstr("Failed to open: "));
  EXPECT_THAT(Say(second, SimpleOf("info")), ElementsAre(HasSubstr(R"("docId":null)")));
}

TEST_F(HelperSessionTest, ALooseFileIsMadeAnewWhenItIsClosed) {
  HelperDisk& disk = Insert({.loose_above = 0});
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen({}, &disk);
  Say(seat, EditOf("abcd"));
  EXPECT_EQ(disk.replaced, 0);
  Say(seat, SimpleOf("close"));
  EXPECT_EQ(disk.replaced, 1);
  EXPECT_THAT(disk.open, IsEmpty());
  EXPECT_THAT(Say(seat, OpenOf(kHelperId)), ElementsAre(OpenedLine(kHelperId, "abcd")));
}

// --- 4. the relay

TEST_F(HelperSessionTest, OnlyJoinsBeforeADocumentIsOpenAndNamesItWithPrefix) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = Sit();
  const auto connected = Say(seat, ConnectOf({{"name", "Alice"}, {"color", "#4ECDC4"}}));
  const std::string user = HelperJson::parse(connected.at(0))["userId"];
  Advance(milliseconds(20000));
  EXPECT_THAT(Frames(seat), ElementsAre(R"({"type":"join","documentId":"default","clientID":")" +
                                        user + R"("})"));
  Say(seat, OpenOf(kHelperId));
  const std::string state =
      R"({"type":"awareness","clientID":")" + user +
      R"(","documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY","state":{"user":{"name":"Alice",)"
      R"("color":"#4ECDC4"},"typing":false,"selection":)";
  EXPECT_THAT(Frames(seat), ElementsAre(state + "null}}"));
  Advance(milliseconds(5000));
  EXPECT_THAT(Frames(seat), ElementsAre(state + "null}}"));
  Advance(milliseconds(50));
  Say(seat, R"({"type":"cursor","offset":1})");
  EXPECT_THAT(Frames(seat), ElementsAre(state + R"({"anchor":1}}})"));
}

TEST_F(HelperSessionTest, AStateIsSentAtEachCursorButNotTwoHundred) {
  PublishText(kHelperId, std::string(300, 'x'));
  HelperSeat& seat = SitAndOpen();
  for (int i = 0; i < 200; ++i) {
    Say(seat, HelperLineOf({{"type", "cursor"}, {"offset", i}}));
    Advance(milliseconds(1));
  }
  Advance(milliseconds(50));
  const auto frames = Frames(seat);
  EXPECT_THAT(frames, SizeIs(::testing::Le(6u)));
  EXPECT_THAT(frames.back(), HasSubstr(R"("selection":{"anchor":199})")) << "the last one too";
}

TEST_F(HelperSessionTest, TheLastPlaceIsSentAtADisconnect) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  Say(seat, R"({"type":"cursor","offset":1})");
  Frames(seat);
  Say(seat, SimpleOf("disconnect"));
  const auto frames = Frames(seat);
  ASSERT_THAT(frames, SizeIs(1)) << "others see the cursor for 15 s more";
  EXPECT_THAT(frames[0],
              AllOf(HasSubstr(R"("documentId":"default")"), HasSubstr(R"("selection":null)")));
}

TEST_F(HelperSessionTest, AfterACloseOneStateSaysSo) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  Say(seat, R"({"type":"cursor","offset":1})");
  Advance(milliseconds(100));
  Frames(seat);
  Say(seat, SimpleOf("close"));
  Advance(milliseconds(60000));
  const auto frames = Frames(seat);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_THAT(frames[0],
              AllOf(HasSubstr(R"("documentId":"default")"), HasSubstr(R"("selection":null)")));
}

TEST_F(HelperSessionTest, OnlyCursorsOfTheOpenDocumentAreTold) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = Sit();
  Say(seat, ConnectOf());
  Relay(BobOf({{"anchor", 1}}));
  EXPECT_THAT(Lines(seat), IsEmpty());
  Say(seat, OpenOf(kHelperId));
  Relay(BobOf({{"anchor", 1}}, "automerge:2wnb8SZyGZaYpCGG4UHPTXgF4gQH"));
  Relay(BobOf({{"anchor", 1}}, "default"));
  EXPECT_THAT(Lines(seat), IsEmpty());
  Relay(BobOf({{"anchor", 1}}, kHelperId));  // without prefix
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(1, nullptr)));
  Say(seat, SimpleOf("close"));
  Relay(BobOf({{"anchor", 2}}));
  Advance(milliseconds(20000));
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, CursorsAreToldOnlyWhenSomethingHasChanged) {
  PublishText(kHelperId, "abcdef");
  HelperSeat& seat = SitAndOpen();
  Relay(BobOf(nullptr));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(nullptr, nullptr)));
  Relay(BobOf(nullptr));
  Relay(BobOf({{"anchor", 2}, {"head", 5}}));
  Relay(BobOf({{"anchor", 2}, {"head", 5}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(2, 5)));
  Relay(BobOf({{"anchor", 2}, {"head", 5}}, "", "bob", "Rob"));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(2, 5, "bob", "Rob")));
  Relay(BobOf(nullptr, "", "bob", "Rob"));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(nullptr, nullptr, "bob", "Rob")));
  // Both are behind the end, and so at the same place.
  Relay(BobOf({{"anchor", 99}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(6, nullptr)));
  Relay(BobOf({{"anchor", 100}}));
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, BadFramesAndOwnOnesAreDropped) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = Sit();
  const auto connected = Say(seat, ConnectOf());
  const std::string user = HelperJson::parse(connected.at(0))["userId"];
  Say(seat, OpenOf(kHelperId));
  for (const std::string& frame :
       {std::string("no json"), std::string("[]"), std::string(), BobOf({{"anchor", 1}}, "", user),
        BobOf({{"anchor", 1}}, "", "bob", std::string(70000, 'x')),
        std::string(R"({"type":"awareness","clientID":7})"), std::string(5000, '[')}) {
    Relay(frame);
  }
  EXPECT_THAT(Lines(seat), IsEmpty());
}

TEST_F(HelperSessionTest, NamesOfOthersAreCleaned) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  Relay(BobOf({{"anchor", 1}}, "", "bob",
              "B\x1b[31mo\x07"
              "b\n" +
                  std::string(400, 'x')));
  EXPECT_THAT(Lines(seat),
              ElementsAre(CursorLineOf(1, nullptr, "bob", "B[31mob" + std::string(249, 'x'))));
}

TEST_F(HelperSessionTest, WhoIsSilentIsForgottenAfterFifteenSeconds) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen({.status = true});
  Relay(BobOf({{"anchor", 1}}));
  Lines(seat);
  Advance(milliseconds(14999));
  EXPECT_THAT(Lines(seat), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Lines(seat),
              ElementsAre(HelperLineOf({{"type", "cursor_removed"}, {"userId", "bob"}})));
  Relay(BobOf({{"anchor", 1}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(1, nullptr)));
}

TEST_F(HelperSessionTest, WithoutStatusWhoIsForgottenHasNoPlace) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  Relay(BobOf({{"anchor", 1}, {"head", 2}}));
  Relay(BobOf(nullptr, "", "eve"));
  Lines(seat);
  Advance(milliseconds(20000));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(nullptr, nullptr)));
  Relay(BobOf({{"anchor", 1}, {"head", 2}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(1, 2)));
}

TEST_F(HelperSessionTest, JoinsAndTellsItsStateAfterEachReconnect) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  Say(seat, R"({"type":"cursor","offset":2})");
  Frames(seat);
  LoseRelay(seat);
  Say(seat, R"({"type":"cursor","offset":3})");
  seat.relay_is_there = true;
  Settle();
  EXPECT_THAT(Frames(seat),
              ElementsAre(HasSubstr(R"("type":"join")"), HasSubstr(R"("selection":{"anchor":3})")));
}

TEST_F(HelperSessionTest, TypingIsToldForASecondAndAHalf) {
  PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  Say(seat, EditOf("abc"));
  EXPECT_THAT(Frames(seat), IsEmpty());
  Say(seat, EditOf("abcd"));
  EXPECT_THAT(Frames(seat), ElementsAre(HasSubstr(R"("typing":true)")));
  Advance(milliseconds(1499));
  EXPECT_THAT(Frames(seat), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Frames(seat), ElementsAre(HasSubstr(R"("typing":false)")));
}

// --- 5. offsets

TEST_F(HelperSessionTest, OffsetsAreCodePointsHereAndUtf16OnTheRelay) {
  PublishText(kHelperId, "a" + std::string(kSmile) + "b");
  HelperSeat& seat = SitAndOpen();
  Say(seat, R"({"type":"cursor","offset":2})");
  EXPECT_THAT(Frames(seat), ElementsAre(HasSubstr(R"("selection":{"anchor":3})")));
  for (const auto& [utf16, code_points] :
       std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 3}, {5, 3}, {99, 3}}) {
    Relay(BobOf({{"anchor", utf16}}, "", "u" + std::to_string(utf16)));
    EXPECT_THAT(Lines(seat),
                ElementsAre(CursorLineOf(code_points, nullptr, "u" + std::to_string(utf16))));
  }
}

TEST_F(HelperSessionTest, OffsetsOfTheExample) {
  PublishText(kHelperId, "Hello, \xe4\xb8\x96\xe7\x95\x8c!");
  HelperSeat& seat = SitAndOpen();
  for (const int offset : {0, 5, 7, 9}) {
    Say(seat, HelperLineOf({{"type", "cursor"}, {"offset", offset}}));
    EXPECT_THAT(Frames(seat),
                ElementsAre(HasSubstr(R"("anchor":)" + std::to_string(offset) + "}")));
    Advance(milliseconds(50));
  }
}

TEST_F(HelperSessionTest, OffsetsCanBeUtf16InBothDirections) {
  PublishText(kHelperId, "a" + std::string(kSmile) + "b");
  HelperSeat& seat = SitAndOpen({.offsets = OffsetUnit::kUtf16});
  Say(seat, R"({"type":"cursor","offset":3})");
  EXPECT_THAT(Frames(seat), ElementsAre(HasSubstr(R"("selection":{"anchor":3})")));
  Relay(BobOf({{"anchor", 3}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(3, nullptr)));
  Relay(BobOf({{"anchor", 2}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(1, nullptr)));
}

TEST_F(HelperSessionTest, CombiningMarksAndLineEndsCountEach) {
  PublishText(kHelperId, "e\xcc\x81\r\nx");
  HelperSeat& seat = SitAndOpen();
  Relay(BobOf({{"anchor", 4}, {"head", 1}}));
  EXPECT_THAT(Lines(seat), ElementsAre(CursorLineOf(4, 1)));
}

TEST_F(HelperSessionTest, CursorsMoveWithEditsOfOthersAtMostEveryHundredMilliseconds) {
  HelperStranger& stranger = PublishText(kHelperId, "abcdef");
  HelperSeat& seat = SitAndOpen();
  Relay(BobOf({{"anchor", 3}}));
  Lines(seat);
  std::vector<std::string> cursors;
  for (int i = 0; i < 101; ++i) {
    if (i < 100) StrangerEdits(stranger, 0, 0, "x");
    Advance(milliseconds(i < 100 ? 2 : 100));
    for (const std::string& line : Lines(seat)) {
      if (line.find(R"("type":"cursor")") != std::string::npos) cursors.push_back(line);
    }
  }
  EXPECT_THAT(cursors, SizeIs(::testing::Le(4u)));
  EXPECT_EQ(cursors.back(), CursorLineOf(103, nullptr));
}

TEST_F(HelperSessionTest, OwnEditsMoveCursorsWithoutALine) {
  HelperStranger& stranger = PublishText(kHelperId, "abcdef");
  HelperSeat& seat = SitAndOpen();
  Relay(BobOf({{"anchor", 3}}));
  Lines(seat);
  Say(seat, EditOf("xxabcdef"));
  Advance(milliseconds(1000));
  EXPECT_THAT(Lines(seat), IsEmpty());
  // It knows where the cursor has come to.
  Relay(BobOf({{"anchor", 5}}));
  EXPECT_THAT(Lines(seat), IsEmpty());
  StrangerEdits(stranger, 0, 0, "y");
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("yxxabcdef"), CursorLineOf(6, nullptr)));
}

TEST_F(HelperSessionTest, EditsBehindACursorTellNothing) {
  HelperStranger& stranger = PublishText(kHelperId, "abcdef");
  HelperSeat& seat = SitAndOpen();
  Relay(BobOf({{"anchor", 3}}));
  Lines(seat);
  StrangerEdits(stranger, 5, 0, "y");
  Advance(milliseconds(1000));
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("abcdeyf")));
}

TEST_F(HelperSessionTest, TheOwnPlaceMovesWithEditsOfOthers) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  Say(seat, R"({"type":"cursor","offset":1,"selection":{"anchor":1,"head":3}})");
  Advance(milliseconds(100));
  Frames(seat);
  StrangerEdits(stranger, 0, 0, kSmile);
  Advance(milliseconds(50));
  EXPECT_THAT(Frames(seat), ElementsAre(HasSubstr(R"("selection":{"anchor":3,"head":5})")));
}

TEST_F(HelperSessionTest, ACursorIsNeverBehindTheTextThatTheEditorHas) {
  HelperStranger& stranger = PublishText(kHelperId, "abc");
  HelperSeat& seat = SitAndOpen();
  StrangerEdits(stranger, 0, 0, "1");
  EXPECT_THAT(Lines(seat), ElementsAre(ChangedLine("1abc")));
  StrangerEdits(stranger, 0, 0, "2222");  // within 20 ms: not told yet
  Relay(BobOf({{"anchor", 8}}));
  size_t length = 4;
  Advance(milliseconds(500));
  for (const std::string& line : Lines(seat)) {
    const HelperJson json = HelperJson::parse(line);
    if (json["type"] == "changed") length = json["content"].get<std::string>().size();
    if (json["type"] != "cursor") continue;
    EXPECT_LE(json["anchor"].get<size_t>(), length) << line;
  }
}

// --- 7. the conversation

TEST_F(HelperSessionTest, Conversation) {
  HelperSeat& first = Sit();
  HelperSeat& second = Sit();
  EXPECT_THAT(Say(first, R"({"type":"edit","content":"x"})"),
              ElementsAre(ErrorLine("No document open", "no_document", "edit")));
  EXPECT_THAT(Say(first, R"({"type":"create"})"),
              ElementsAre(ErrorLine("Not connected", "not_connected", "create")));
  EXPECT_THAT(Say(first, R"({"type":"info"})"), ElementsAre(HelperLineOf({{"type", "info"},
                                                                          {"connected", false},
                                                                          {"docId", nullptr},
                                                                          {"userId", nullptr},
                                                                          {"userName", "nvim-user"},
                                                                          {"awareness", false}})));
  EXPECT_THAT(Say(first, "not json"), ElementsAre(HasSubstr("Parse error: ")));
  EXPECT_THAT(Say(first, R"({"type":"nonsense"})"),
              ElementsAre(ErrorLine("Unknown message type: nonsense", "unknown_type", "nonsense")));
  const auto connected = Say(first, ConnectOf({{"name", "Alice"}, {"color", "#4ECDC4"}}));
  const std::string alice = HelperJson::parse(connected.at(0))["userId"];
  const std::string id = Create(first);
  const std::string bare = id.substr(10);
  EXPECT_THAT(Say(first, EditOf("Hello, \xe4\xb8\x96\xe7\x95\x8c! \xf0\x9f\x98\x80\n")), IsEmpty());

  Say(second, ConnectOf());
  EXPECT_THAT(Say(second, OpenOf(bare)),
              ElementsAre(OpenedLine(bare, "Hello, \xe4\xb8\x96\xe7\x95\x8c! \xf0\x9f\x98\x80\n")));
  Advance(milliseconds(1000));
  Lines(first);
  Lines(second);
  const std::string brave = "Hello brave \xe4\xb8\x96\xe7\x95\x8c! \xf0\x9f\x98\x80\nbye\n";
  EXPECT_THAT(Say(second, EditOf(brave)), IsEmpty());
  EXPECT_THAT(Lines(first), ElementsAre(ChangedLine(brave)));
  Advance(milliseconds(1000));
  EXPECT_THAT(Say(first, R"({"type":"cursor","offset":42,"selection":{"anchor":2,"head":5}})"),
              IsEmpty());
  EXPECT_THAT(Lines(second), ElementsAre(CursorLineOf(2, 5, alice, "Alice", "#4ECDC4")));
  EXPECT_THAT(Say(first, R"({"type":"close"})"), ElementsAre(SimpleOf("closed")));
  EXPECT_THAT(Say(first, R"({"type":"edit","content":"y"})"),
              ElementsAre(ErrorLine("No document open", "no_document", "edit")));
  Advance(milliseconds(1000));
  EXPECT_THAT(Lines(second),
              ElementsAre(CursorLineOf(nullptr, nullptr, alice, "Alice", "#4ECDC4")));
  EXPECT_THAT(Say(first, R"({"type":"disconnect"})"), ElementsAre(SimpleOf("disconnected")));
  EXPECT_EQ(ServerText(id), brave);
}

// --- editors that type at the same time

// Types characters that nobody else types, has its own text, and knows nothing of changes but by
// lines, which take a while.
struct HelperTypist {
  HelperSeat* seat = nullptr;
  std::u32string text{};
  bool typed = false;  // something that is not sent
  std::deque<std::pair<TimePoint, std::string>> to_helper{};
  std::deque<std::pair<TimePoint, std::u32string>> to_editor{};
};

struct HelperTyping {
  uint32_t seed = 0;
  size_t editors = 2;
  int line_delay = 0;     // at most, of each line to the helper, in milliseconds
  int changed_delay = 0;  // of those to the editor
  bool patient = false;   // types only where nothing is on its way
  bool drops = false;     // of connections
  bool deletes = false;
};

std::u32string HelperTextOf(std::string_view utf8) {
  std::u32string text;
  while (!utf8.empty()) text += TakeCharacter(utf8);
  return text;
}
std::string HelperUtf8Of(const std::u32string& text) {
  std::string utf8;
  for (const char32_t c : text) {
    utf8 += static_cast<char>(0xf0 | (c >> 18));
    utf8 += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    utf8 += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    utf8 += static_cast<char>(0x80 | (c & 0x3f));
  }
  return utf8;
}

class HelperTypingTest : public HelperSessionTest {
 protected:
  // Of all runs, those in which something went wrong, and how many of 300 may.
  void Run(HelperTyping how, int allowed = 0) {
    ++runs_;
    int lost = 0;
    int doubled = 0;
    int differing = 0;
    std::string seeds;
    const uint32_t all = test::SweepsAreWhole() ? 300 : 12;
    for (how.seed = 0; how.seed < all; ++how.seed) {
      const Outcome outcome = RunOnce(how);
      lost += outcome.lost > 0 ? 1 : 0;
      doubled += outcome.doubled > 0 ? 1 : 0;
      differing += outcome.differing > 0 ? 1 : 0;
      if (outcome.lost + outcome.doubled + outcome.differing > 0 && seeds.size() < 60) {
        seeds += " " + std::to_string(how.seed);
      }
      if (HasFatalFailure()) break;
    }
    EXPECT_LE(lost, allowed) << "runs lost characters that nobody deleted; seeds" << seeds;
    EXPECT_LE(doubled, allowed) << "runs doubled characters; seeds" << seeds;
    EXPECT_EQ(differing, 0) << "runs left editors with another text; seeds" << seeds;
  }

 private:
  struct Outcome {
    int lost = 0;
    int doubled = 0;
    int differing = 0;
  };

  uint32_t runs_ = 0;

  int Pick(int most) {
    return most <= 0 ? 0 : static_cast<int>(random_() % (static_cast<uint32_t>(most) + 1));
  }

  Outcome RunOnce(const HelperTyping& how) {
    random_.seed(how.seed + 1000 * runs_);  // ids, too, are new ones
    for (const auto& seat : seats_) {
      if (seat->sync != nullptr) server_.Disconnect(*seat->sync);
    }
    seats_.clear();
    // What is typed right behind a new text may have been typed before that came.
    check_echo_ = false;
    std::vector<HelperTypist> typists(how.editors);
    std::string id;
    for (HelperTypist& typist : typists) {
      typist.seat = &Sit();
      Say(*typist.seat, ConnectOf());
      if (id.empty()) {
        id = Create(*typist.seat);
      } else {
        Say(*typist.seat, OpenOf(id));
      }
    }
    Advance(milliseconds(100));
    for (HelperTypist& typist : typists) Lines(*typist.seat);
    char32_t next = 0xf0000;
    std::set<char32_t> sent;
    std::set<char32_t> deleted;
    const auto exchange = [&](bool all) {
      for (HelperTypist& typist : typists) {
        while (!typist.to_helper.empty() && (all || typist.to_helper.front().first <= now_)) {
          const std::string line = std::move(typist.to_helper.front().second);
          typist.to_helper.pop_front();
          typist.seat->session->OnLine(line, Now());
          typist.seat->has = std::get<EditLine>(std::get<EditorLine>(ReadEditorLine(line))).content;
          Settle();
        }
        Settle();
        for (HelperTypist& other : typists) {
          for (const std::string& line : Lines(*other.seat)) {
            const HelperJson json = HelperJson::parse(line);
            if (json["type"] != "changed") continue;
            TimePoint due = now_ + milliseconds(Pick(how.changed_delay));
            if (!other.to_editor.empty()) due = std::max(due, other.to_editor.back().first);
            other.to_editor.emplace_back(due, HelperTextOf(json["content"].get<std::string>()));
          }
        }
      }
    };
    const auto send = [&](HelperTypist& typist) {
      if (!std::exchange(typist.typed, false)) return;
      sent.insert(typist.text.begin(), typist.text.end());
      TimePoint due = now_ + milliseconds(Pick(how.line_delay));
      if (!typist.to_helper.empty()) due = std::max(due, typist.to_helper.back().first);
      typist.to_helper.emplace_back(due, EditOf(HelperUtf8Of(typist.text)));
    };
    const auto receive = [&](HelperTypist& typist, bool all) {
      while (!typist.to_editor.empty() && (all || typist.to_editor.front().first <= now_)) {
        send(typist);
        typist.text = std::move(typist.to_editor.front().second);
        typist.to_editor.pop_front();
      }
    };
    for (int step = 0; step < 40; ++step) {
      Advance(milliseconds(Pick(12)));
      HelperTypist& typist = typists[random_() % typists.size()];
      receive(typist, false);
      if (Pick(5) == 0) typist.seat->held = !typist.seat->held;
      if (how.drops && Pick(12) == 0) {
        typist.seat->server_is_there = !typist.seat->server_is_there;
        if (!typist.seat->server_is_there) DropSync(*typist.seat);
      }
      if (!how.patient || (typist.to_helper.empty() && typist.to_editor.empty())) {
        const size_t at = random_() % (typist.text.size() + 1);
        if (how.deletes && Pick(3) == 0 && at < typist.text.size()) {
          const size_t count = std::min<size_t>(1 + random_() % 3, typist.text.size() - at);
          for (size_t i = at; i < at + count; ++i) deleted.insert(typist.text[i]);
          typist.text.erase(at, count);
        } else {
          for (int count = 1 + Pick(3); count > 0; --count) typist.text.insert(at, 1, next++);
        }
        typist.typed = true;
        if (how.patient || how.changed_delay == 0 || Pick(2) != 0) send(typist);
      }
      exchange(false);
      for (HelperTypist& it : typists) {
        if (how.changed_delay == 0) receive(it, true);
      }
    }
    for (HelperTypist& typist : typists) {
      send(typist);
      typist.seat->held = false;
      typist.seat->server_is_there = true;
    }
    for (int round = 0; round < 5; ++round) {
      exchange(true);
      Advance(milliseconds(200));
      exchange(true);
      for (HelperTypist& typist : typists) receive(typist, true);
    }
    Outcome outcome;
    const std::u32string text = HelperTextOf(ServerText(id));
    std::map<char32_t, int> counts;
    for (const char32_t c : text) ++counts[c];
    for (const auto& [c, count] : counts) outcome.doubled += count > 1 ? 1 : 0;
    for (const char32_t c : sent) {
      outcome.lost += !deleted.contains(c) && !counts.contains(c) ? 1 : 0;
    }
    for (const HelperTypist& typist : typists) outcome.differing += typist.text != text ? 1 : 0;
    return outcome;
  }
};

TEST_F(HelperTypingTest, EditorsWithoutDelay) {
  Run({});
  Run({.editors = 3, .drops = true});
}
// The nearest text is now and then another one than the editor had, where both sides delete. Where
// it may be one from before, what the editor has in the end is told again, to be sure.
TEST_F(HelperTypingTest, EditorsThatDeleteToo) {
  Run({.deletes = true}, 10);
  Run({.editors = 3, .drops = true, .deletes = true}, 60);
}
TEST_F(HelperTypingTest, EditorsThatTypeWhenNothingIsOnItsWay) {
  Run({.line_delay = 30, .changed_delay = 30, .patient = true});
  Run({.editors = 3, .line_delay = 30, .changed_delay = 30, .patient = true, .drops = true});
}
TEST_F(HelperTypingTest, EditorsThatGetTextsLate) {
  Run({.changed_delay = 30});
  Run({.editors = 3, .changed_delay = 30, .drops = true});
}
TEST_F(HelperTypingTest, EditorsWithDelaysBothWays) {
  Run({.line_delay = 30, .changed_delay = 30});
  Run({.editors = 3, .line_delay = 30, .changed_delay = 30, .drops = true});
}

}  // namespace
}  // namespace cursorwire::collab
