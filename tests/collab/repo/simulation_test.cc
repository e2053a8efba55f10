// Clients and a server of documents on a clock and a network of their own, all from one seed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "collab/repo/document_server.h"
#include "collab/repo/repo_message.h"
#include "collab/repo/repo_session.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/text/text_size.h"
#include "support/status_matchers.h"
#include "support/sweep.h"

namespace cursorwire::collab {
namespace {

constexpr uint64_t kSimulations = 200;
constexpr uint64_t kAllSimulations = 10000;
constexpr uint64_t kSimulationParts = 4;
constexpr std::string_view kSimulatedKey = "content";
constexpr char32_t kFirstMarker = 0xe000;
constexpr char32_t kLastShortMarker = 0xf8ff;
constexpr char32_t kFirstLongMarker = 0xf0000;

bool IsMarker(char32_t character) {
  return (character >= kFirstMarker && character <= kLastShortMarker) ||
         character >= kFirstLongMarker;
}

std::string MarkerAsUtf8(char32_t marker) {
  const auto continued = [](char32_t bits) { return static_cast<char>(0x80 | (bits & 0x3f)); };
  if (marker <= kLastShortMarker) {
    return {static_cast<char>(0xe0 | (marker >> 12)), continued(marker >> 6), continued(marker)};
  }
  return {static_cast<char>(0xf0 | (marker >> 18)), continued(marker >> 12), continued(marker >> 6),
          continued(marker)};
}

// In their order.
std::vector<char32_t> MarkersIn(std::string_view text) {
  std::vector<char32_t> markers;
  while (!text.empty()) {
    const char32_t character = TakeCharacter(text);
    if (IsMarker(character)) markers.push_back(character);
  }
  return markers;
}

// What a seed decides once.
struct Weather {
  size_t clients = 2;
  size_t documents = 1;
  uint64_t max_delay_ms = 100;
  bool races = false;    // anybody makes a text that it does not see
  bool loses = false;    // connections are lost
  bool doubles = false;  // messages come twice
  bool garbage = false;  // what is no message comes in between
  bool reopens = false;  // clients close documents and open them again
  bool hostile = false;  // messages are lost and altered, and overtake each other
};

// A text object has another number with each peer, and this name with all.
using ObjectName = std::pair<std::string, uint32_t>;

// What must be in each text in the end. Each piece that is inserted has characters that are in no
// other one.
class Ledger {
 public:
  char32_t NewMarker(uint64_t random) {
    const char32_t marker =
        (random % 2 == 0 ? kFirstMarker : kFirstLongMarker) + static_cast<char32_t>(count_++);
    return marker;
  }
  void NoteEdit(const ObjectName& object, std::string_view before, std::string_view after,
                std::string_view inserted) {
    const std::vector<char32_t> markers = MarkersIn(inserted);
    pieces_[object].push_back(markers);
    const std::vector<char32_t> kept = MarkersIn(after);
    const std::set<char32_t> there(kept.begin(), kept.end());
    for (const char32_t marker : MarkersIn(before)) {
      if (!there.contains(marker)) deleted_.insert(marker);
    }
  }
  std::vector<ObjectName> objects() const {
    std::vector<ObjectName> names;
    for (const auto& [name, pieces] : pieces_) names.push_back(name);
    return names;
  }
  // Each marker that nobody has deleted is there once, those of a piece in their order, and no
  // other one is.
  void Check(const ObjectName& object, std::string_view text) const {
    const std::vector<char32_t> there = MarkersIn(text);
    std::map<char32_t, size_t> places;
    for (size_t i = 0; i < there.size(); ++i) {
      ASSERT_TRUE(places.emplace(there[i], i).second) << "twice: " << uint32_t{there[i]};
    }
    size_t expected = 0;
    for (const std::vector<char32_t>& piece : pieces_.at(object)) {
      std::optional<size_t> last;
      for (const char32_t marker : piece) {
        const auto place = places.find(marker);
        if (deleted_.contains(marker)) {
          ASSERT_TRUE(place == places.end()) << "was deleted: " << uint32_t{marker};
          continue;
        }
        ASSERT_TRUE(place != places.end()) << "is lost: " << uint32_t{marker};
        ASSERT_TRUE(!last || *last < place->second) << "out of order: " << uint32_t{marker};
        last = place->second;
        ++expected;
      }
    }
    EXPECT_EQ(there.size(), expected) << "in another text";
  }

 private:
  size_t count_ = 0;
  std::map<ObjectName, std::vector<std::vector<char32_t>>> pieces_;
  std::set<char32_t> deleted_;
};

class Simulation {
 public:
  explicit Simulation(uint64_t seed) : random_(seed) {
    weather_ = {.clients = 2 + Random(4),
                .documents = 1 + Random(4) / 3,
                .max_delay_ms = std::array<uint64_t, 4>{0, 5, 100, 1000}[Random(4)],
                .races = Chance(4),
                .loses = !Chance(4),
                .doubles = Chance(2),
                .garbage = Chance(2),
                .reopens = Chance(2),
                .hostile = Chance(4)};
    for (size_t i = 0; i < weather_.clients; ++i) {
      clients_.push_back(std::make_unique<Client>("client " + std::to_string(i)));
    }
    for (size_t i = 0; i < weather_.documents; ++i) {
      ids_.emplace_back(DocumentId::Bytes{static_cast<uint8_t>(i + 1)});
      Client& author = *clients_[Random(clients_.size())];
      Open(author, i);
      MakeText(author, i);
    }
  }

  void Run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      now_ += std::chrono::milliseconds(Random(weather_.max_delay_ms / 4 + 2));
      DeliverDue();
      Act();
    }
  }

  // All are connected, and nobody has anything to say any more.
  void Settle() {
    is_calm_ = true;
    for (const auto& client : clients_) {
      if (weather_.hostile && client->link) Disconnect(*client);
      for (size_t i = 0; i < ids_.size(); ++i) Open(*client, i);
      if (!client->link) Connect(*client);
    }
    RunUntilQuiet();
    for (const auto& client : clients_) {
      for (size_t i = 0; i < ids_.size(); ++i) SendEphemeral(*client, i);
    }
    RunUntilQuiet();
  }

  void CheckAll() {
    for (size_t i = 0; i < ids_.size(); ++i) {
      const automerge::Document* const served = server_.Find(ids_[i]);
      ASSERT_NE(served, nullptr);
      CheckTexts(*served, i);
      for (const auto& client : clients_) {
        SCOPED_TRACE(client->name);
        const automerge::Document& document = *client->session.Find(ids_[i]);
        EXPECT_EQ(document.heads(), served->heads());
        EXPECT_EQ(ShownText(document), ShownText(*served));
        CheckTexts(document, i);
        EXPECT_TRUE(client->copies[i].opened);
        for (const auto& other : clients_) {
          // One whose number was altered may have used up the next ones.
          if (other == client || weather_.hostile) continue;
          EXPECT_TRUE(client->ephemerals.contains(other->last_ephemeral.at(i)))
              << other->last_ephemeral.at(i);
        }
      }
    }
  }

 private:
  struct Message {
    TimePoint due{};
    std::string bytes{};
  };
  // WebSockets keep the order of messages.
  struct Link {
    test::DocumentServer::Connection* connection = nullptr;
    std::deque<Message> to_server{};
    std::deque<Message> to_client{};
  };
  // What a client shows of a document.
  struct Copy {
    bool opened = false;
    bool unavailable = false;
    bool changed = false;  // an event said so, since the last message
    std::optional<automerge::OpId> watched{};
    std::string screen{};  // kept up to date by changes alone
  };
  struct Client {
    explicit Client(const std::string& of_name)
        : name(of_name), session({.peer_id = of_name, .session_id = "session of " + of_name}) {}

    const std::string name;
    RepoSession session;
    std::optional<Link> link{};
    std::map<size_t, Copy> copies{};  // by the number of the document
    std::set<std::string> ephemerals{};
    std::map<size_t, std::string> last_ephemeral{};
    bool failed = false;
  };

  uint64_t Random(uint64_t end) { return random_() % end; }
  bool Chance(uint64_t one_in) { return Random(one_in) == 0; }

  // --- what happens at random

  void Act() {
    Client& client = *clients_[Random(clients_.size())];
    const size_t document = Random(ids_.size());
    const uint64_t kind = Random(100);
    if (kind < 25) {
      if (client.copies.contains(document)) Edit(client, document);
    } else if (kind < 40) {
      if (!client.link) Connect(client);
    } else if (kind < 45) {
      if (client.link && weather_.loses) Disconnect(client);
    } else if (kind < 55) {
      Open(client, document);
    } else if (kind < 58) {
      if (weather_.reopens) Reopen(client, document);
    } else if (kind < 63) {
      if (client.copies.contains(document)) SendEphemeral(client, document);
    } else if (kind < 64) {
      now_ += std::chrono::seconds(Random(12));  // everything in time is late at once
    }
  }

  void Open(Client& client, size_t document, std::string_view saved = {}) {
    if (client.copies.contains(document)) return;
    std::string actor(16, '\0');
    for (char& byte : actor) byte = static_cast<char>(Random(256));
    const auto fill = [saved](automerge::Document&, automerge::WaitingChanges& waiting) {
      return waiting.Add(saved);
    };
    ASSERT_THAT(client.session.Open(ids_[document], actor, now_, fill), test::IsOk());
    client.copies[document];
    After(client);
  }

  // What nobody else has would be gone with a document: it is closed once the server has all of it,
  // or comes back as from a file.
  void Reopen(Client& client, size_t document) {
    if (!client.copies.contains(document)) return;
    const automerge::Document& closed = *client.session.Find(ids_[document]);
    const automerge::Document* const served = server_.Find(ids_[document]);
    const bool is_served =
        served != nullptr && std::all_of(closed.heads().begin(), closed.heads().end(),
                                         [served](const auto& head) { return served->Has(head); });
    if (!is_served || Chance(2)) {
      const absl::StatusOr<std::string> saved = closed.Save();
      ASSERT_THAT(saved, test::IsOk());
      Close(client, document);
      Open(client, document, *saved);
    } else {
      Close(client, document);
      if (Chance(2)) Open(client, document);
    }
  }
  void Close(Client& client, size_t document) {
    client.session.Close(ids_[document]);
    client.copies.erase(document);
    After(client);
  }

  void SendEphemeral(Client& client, size_t document) {
    const std::string data = absl::StrCat(client.name, ": ", ++ephemerals_);
    client.last_ephemeral[document] = data;
    client.session.SendEphemeral(ids_[document], data);
    After(client);
  }

  // --- edits

  void MakeText(Client& client, size_t document) {
    automerge::Document& edited = *client.session.Find(ids_[document]);
    ASSERT_THAT(edited.MakeText(kSimulatedKey), test::IsOk());
    edited.Commit(1);
    client.session.OnEdited(ids_[document], now_);
    After(client);
  }

  void Edit(Client& client, size_t document) {
    automerge::Document& edited = *client.session.Find(ids_[document]);
    if (!edited.Get(kSimulatedKey)) {
      if (weather_.races) MakeText(client, document);
      return;
    }
    const bool in_one_change = Chance(2);
    const bool told_once = Chance(2);
    for (uint64_t count = Chance(3) ? 1 + Random(8) : 1; count > 0; --count) {
      Splice(client, document, edited);
      if (in_one_change && count > 1) continue;
      edited.Commit(1);
      if (!told_once || count == 1) client.session.OnEdited(ids_[document], now_);
    }
    After(client);
  }

  void Splice(Client& client, size_t document, automerge::Document& edited) {
    const automerge::OpId object = edited.Get(kSimulatedKey)->id;
    const automerge::Sequence& text = *edited.FindSequence(object);
    const std::string before = text.Text();
    const crdt::Unit unit =
        std::array{crdt::Unit::kBytes, crdt::Unit::kUtf16, crdt::Unit::kCodePoints}[Random(3)];
    const uint32_t size = text.size().code_points;
    const uint64_t from = Chance(3) ? size : Random(size + uint64_t{1});
    const bool deletes = Chance(3);
    const uint64_t most = std::min<uint64_t>(size - from, Chance(8) ? 200 : 10);
    const uint64_t count = deletes ? Random(most + 1) : 0;
    const std::string inserted = deletes && Chance(2) ? "" : NewPiece();
    const std::string_view begin = crdt::PrefixOf(before, crdt::Unit::kCodePoints, from);
    const std::string_view end = crdt::PrefixOf(before, crdt::Unit::kCodePoints, from + count);
    const uint32_t at = crdt::Measure(begin).In(unit);
    ASSERT_THAT(edited.Splice(object, unit, at, crdt::Measure(end).In(unit) - at, inserted),
                test::IsOk());
    std::string expected = before;
    expected.replace(begin.size(), end.size() - begin.size(), inserted);
    ASSERT_EQ(text.Text(), expected);
    ledgers_[document].NoteEdit({std::string(edited.actors().id(object.actor)), object.counter},
                                before, expected, inserted);
    Copy& copy = client.copies.at(document);
    if (copy.watched == object) copy.screen = expected;
  }

  std::string NewPiece() {
    constexpr std::array<const char*, 10> kPieces = {
        "a",          "word ",        "\r\n",   "\n",   "e\u0301",
        "\U0001f600", "\u4e16\u754c", "\u00fc", "\r\n", "\U0001f468\u200d\U0001f469"};
    std::string piece;
    for (uint64_t count = 1 + Random(3); count > 0; --count) {
      if (Chance(2)) piece += kPieces[Random(kPieces.size())];
      piece += MarkerAsUtf8(markers_.NewMarker(Random(2)));
      if (Chance(2)) piece += kPieces[Random(kPieces.size())];
    }
    return piece;
  }

  // --- the network

  void Connect(Client& client) {
    client.link.emplace(Link{.connection = &server_.Connect()});
    client.session.OnConnected();
    After(client);
  }
  // All messages under way are gone.
  void Disconnect(Client& client) {
    server_.Disconnect(*client.link->connection);
    client.link.reset();
    client.session.OnClosed();
    client.failed = false;
    After(client);
  }

  // What the contract of a session asks for after each call.
  void After(Client& client) {
    while (std::optional<std::string> message = client.session.TakeMessage()) {
      ASSERT_TRUE(client.link.has_value()) << "a message without a connection";
      Post(client.link->to_server, *std::move(message));
    }
    while (const std::optional<RepoEvent> event = client.session.TakeEvent()) {
      std::visit([this, &client](const auto& kind) { Note(client, kind); }, *event);
    }
    for (auto& [document, copy] : client.copies) UpdateScreen(client, document, copy);
    if (client.failed) Disconnect(client);
  }
  void Collect() {
    for (const auto& client : clients_) {
      if (!client->link) continue;
      for (std::string& message : client->link->connection->TakeMessages()) {
        Post(client->link->to_client, std::move(message));
      }
    }
  }

  void Post(std::deque<Message>& queue, std::string message) {
    if (weather_.garbage && Chance(10) && !(weather_.hostile && is_calm_))
      Enqueue(queue, Garbage(message));
    const uint64_t copies = weather_.doubles && Chance(8) ? 2 : 1;
    for (uint64_t i = 1; i < copies; ++i) Enqueue(queue, message);
    const bool is_hostile = weather_.hostile && !is_calm_;
    if (is_hostile) {
      if (Chance(15)) return;
      if (Chance(15)) message[Random(message.size())] ^= static_cast<char>(1 << Random(8));
    }
    Enqueue(queue, std::move(message));
    if (is_hostile && queue.size() > 1 && Chance(10)) {
      std::swap(queue.back().bytes, queue[Random(queue.size())].bytes);
    }
  }
  void Enqueue(std::deque<Message>& queue, std::string message) {
    const TimePoint due = now_ + std::chrono::milliseconds(Random(weather_.max_delay_ms + 1));
    queue.push_back({queue.empty() ? due : std::max(due, queue.back().due), std::move(message)});
  }
  // Nothing that a peer may believe.
  std::string Garbage(const std::string& message) {
    switch (Random(5)) {
      case 0:
        return message.substr(0, Random(message.size()));
      case 1: {
        std::string bytes(Random(40), '\0');
        for (char& byte : bytes) byte = static_cast<char>(Random(256));
        return bytes;
      }
      case 2:
        return WriteRepoMessage(LeaveMessage{.sender = "client 0"});
      case 3:
        return WriteRepoMessage(DocumentMessage{.sender = "nobody",
                                                .target = "nobody",
                                                .document = ids_[0].ToString(),
                                                .data = "garbage"});
      default:
        return WriteRepoMessage(
            DocumentMessage{.sender = test::DocumentServer::kPeerId,
                            .target = clients_[Random(clients_.size())]->name,
                            .document = ids_[0].ToString(),
                            .data = std::string("\x42\x01garbage", 2 + Random(8))});
    }
  }

  // In the order of each connection, and at random among them.
  bool DeliverDue() {
    bool any = false;
    const size_t first = Random(clients_.size());
    for (size_t i = 0; i < clients_.size(); ++i) {
      Client& client = *clients_[(first + i) % clients_.size()];
      while (client.link && !client.link->to_server.empty() &&
             client.link->to_server.front().due <= now_) {
        const std::string bytes = std::move(client.link->to_server.front().bytes);
        client.link->to_server.pop_front();
        const absl::Status status = server_.OnMessage(*client.link->connection, bytes);
        if (!weather_.garbage && !weather_.hostile) {
          EXPECT_THAT(status, test::IsOk());
        }
        Collect();
        any = true;
        if (Chance(4)) break;
      }
      while (client.link && !client.link->to_client.empty() &&
             client.link->to_client.front().due <= now_) {
        const std::string bytes = std::move(client.link->to_client.front().bytes);
        client.link->to_client.pop_front();
        Deliver(client, bytes);
        any = true;
        if (Chance(4)) break;
      }
      if (client.session.deadline() && *client.session.deadline() <= now_) {
        client.session.OnDeadline(now_);
        EXPECT_TRUE(!client.session.deadline() || *client.session.deadline() > now_);
        After(client);
        any = true;
      }
    }
    return any;
  }

  void Deliver(Client& client, const std::string& bytes) {
    std::map<size_t, std::vector<automerge::ChangeHash>> before;
    for (auto& [document, copy] : client.copies) {
      copy.changed = false;
      if (copy.opened) before[document] = client.session.Find(ids_[document])->heads();
    }
    client.session.OnMessage(bytes, now_);
    After(client);
    for (const auto& [document, heads] : before) {
      EXPECT_EQ(client.copies.at(document).changed,
                client.session.Find(ids_[document])->heads() != heads);
    }
  }

  void RunUntilQuiet() {
    for (int round = 0; round < 10000; ++round) {
      if (::testing::Test::HasFailure()) return;
      if (DeliverDue()) continue;
      std::optional<TimePoint> next;
      const auto note = [&next](TimePoint time) { next = next ? std::min(*next, time) : time; };
      for (const auto& client : clients_) {
        if (client->session.deadline()) note(*client->session.deadline());
        if (!client->link) Connect(*client);
        for (const auto* queue : {&client->link->to_server, &client->link->to_client}) {
          if (!queue->empty()) note(queue->front().due);
        }
      }
      if (!next) return;
      now_ = std::max(now_, *next);
    }
    ADD_FAILURE() << "they do not come to an end";
  }

  // --- what a client sees

  template <typename Kind>
  void Note(Client& client, const Kind& event) {
    if constexpr (std::is_same_v<Kind, DocumentOpened>) {
      Copy& copy = CopyOf(client, event.document);
      EXPECT_FALSE(std::exchange(copy.opened, true));
    } else if constexpr (std::is_same_v<Kind, DocumentUnavailable>) {
      Copy& copy = CopyOf(client, event.document);
      EXPECT_FALSE(copy.opened);
      EXPECT_FALSE(std::exchange(copy.unavailable, true));
    } else if constexpr (std::is_same_v<Kind, DocumentChanged>) {
      Copy& copy = CopyOf(client, event.document);
      copy.changed = copy.opened;
    } else if constexpr (std::is_same_v<Kind, EphemeralReceived>) {
      EXPECT_TRUE(client.ephemerals.insert(event.data).second || weather_.hostile) << event.data;
      EXPECT_NE(event.sender, client.name);
    } else if constexpr (std::is_same_v<Kind, MessageRefused>) {
      EXPECT_TRUE(weather_.garbage || weather_.hostile || weather_.doubles) << event.status;
    } else if constexpr (std::is_same_v<Kind, SessionFailed>) {
      EXPECT_TRUE(weather_.hostile) << event.status;
      client.failed = true;
    }
  }

  Copy& CopyOf(Client& client, const DocumentId& id) {
    const auto place = std::find(ids_.begin(), ids_.end(), id);
    return client.copies.at(static_cast<size_t>(place - ids_.begin()));
  }

  // Changes of others lead to the text without a look at it.
  void UpdateScreen(Client& client, size_t document, Copy& copy) {
    automerge::Document& shown = *client.session.Find(ids_[document]);
    const auto value = shown.Get(kSimulatedKey);
    if (!value) return;
    const std::vector<automerge::Document::TextChange> changes = shown.TakeTextChanges();
    if (copy.watched != value->id) {
      copy.watched = value->id;
      shown.Watch(value->id);
      copy.screen = ShownText(shown);
      return;
    }
    for (const automerge::Document::TextChange& change : changes) {
      ASSERT_LE(size_t{change.at.bytes} + change.deleted.bytes, copy.screen.size());
      copy.screen.replace(change.at.bytes, change.deleted.bytes, change.inserted);
    }
    ASSERT_EQ(copy.screen, ShownText(shown));
  }

  static std::string ShownText(const automerge::Document& document) {
    const auto value = document.Get(kSimulatedKey);
    return value ? document.FindSequence(value->id)->Text() : "";
  }

  // Also those that lost against a text that was made at the same time.
  void CheckTexts(const automerge::Document& document, size_t number) {
    const Ledger& ledger = ledgers_[number];
    for (const ObjectName& name : ledger.objects()) {
      const std::optional<uint32_t> actor = document.actors().Find(name.first);
      ASSERT_TRUE(actor.has_value());
      const automerge::Sequence* const text =
          document.FindSequence({.counter = name.second, .actor = *actor});
      ASSERT_NE(text, nullptr);
      ledger.Check(name, text->Text());
    }
  }

  std::mt19937_64 random_;
  Weather weather_;
  bool is_calm_ = false;  // at the end
  TimePoint now_{std::chrono::hours(1)};
  test::DocumentServer server_;
  std::vector<DocumentId> ids_;
  std::vector<std::unique_ptr<Client>> clients_;
  Ledger markers_;
  std::map<size_t, Ledger> ledgers_;  // by the number of the document
  uint64_t ephemerals_ = 0;
};

// In parts, which may run side by side.
class RepoSimulation : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RepoSimulation, LeadsAllToTheSameTextsAndLosesNothing) {
  const uint64_t seeds = test::SweepsAreWhole() ? kAllSimulations : kSimulations;
  for (uint64_t seed = GetParam(); seed <= seeds && !HasFailure(); seed += kSimulationParts) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Simulation simulation(seed);
    simulation.Run(200);
    simulation.Settle();
    simulation.CheckAll();
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, RepoSimulation,
                         ::testing::Range(uint64_t{1}, kSimulationParts + 1));

}  // namespace
}  // namespace cursorwire::collab
