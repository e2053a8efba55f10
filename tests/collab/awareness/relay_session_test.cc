#include "collab/awareness/relay_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collab/presence/cursor.h"
#include "collab/presence/shown_text.h"

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kRelayDocument = "3RuhE2UFocx5aonmHkwc1U66XWwY";

// What is in a frame of somebody else, as JSON.
struct RelayFrame {
  std::string client = R"("bob")";
  std::string document = R"("automerge:3RuhE2UFocx5aonmHkwc1U66XWwY")";
  std::string name = R"("Bob")";
  std::string color = R"("#123456")";
  std::string selection = R"({"anchor":1})";
  std::string typing = "false";

  std::string Text() const {
    return R"({"type":"awareness","clientID":)" + client + R"(,"documentId":)" + document +
           R"(,"state":{"user":{"name":)" + name + R"(,"color":)" + color + R"(},"typing":)" +
           typing + R"(,"selection":)" + selection + "}}";
  }
};

class RelaySessionTest : public ::testing::Test {
 protected:
  // What is sent meanwhile stays in the session.
  void Advance(milliseconds time) {
    const auto end = now_ + time;
    for (auto due = session_.deadline(); due && *due <= end; due = session_.deadline()) {
      ASSERT_GE(*due, now_);
      now_ = *due;
      session_.OnDeadline(now_);
      ASSERT_TRUE(!session_.deadline() || *session_.deadline() > now_) << "it would spin";
    }
    now_ = end;
  }
  void OpenAndConnect() {
    session_.SetDocument(kRelayDocument, now_);
    session_.OnConnected(now_);
    Sent();
    Advance(RelaySession::kStateInterval);
  }
  std::vector<std::string> Sent() {
    std::vector<std::string> messages;
    while (auto message = session_.TakeMessage()) messages.push_back(*std::move(message));
    return messages;
  }
  // "changed id name color anchor-head" or "gone id".
  std::vector<std::string> Events() {
    std::vector<std::string> lines;
    while (const auto event = session_.TakeEvent()) {
      if (const auto* const gone = std::get_if<RelayUserGone>(&*event)) {
        lines.push_back("gone " + gone->id);
        continue;
      }
      const RelayUser& user = std::get<RelayUserChanged>(*event).user;
      std::string line = user.id + " " + user.name + " " + user.color;
      if (user.anchor) line += " " + std::to_string(*user.anchor);
      if (user.head) line += "-" + std::to_string(*user.head);
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> Receive(std::string_view frame) {
    session_.OnText(frame, now_);
    return Events();
  }
  std::vector<std::string> Receive(const RelayFrame& frame) { return Receive(frame.Text()); }

  static std::string Join(const std::string& document) {
    return R"({"type":"join","documentId":")" + document + R"(","clientID":"me"})";
  }
  static std::string State(const std::string& selection, const std::string& typing = "false",
                           const std::string& document = std::string("automerge:") +
                                                         kRelayDocument) {
    return R"({"type":"awareness","clientID":"me","documentId":")" + document +
           R"(","state":{"user":{"name":"Me","color":"#4ECDC4"},"typing":)" + typing +
           R"(,"selection":)" + selection + "}}";
  }

  RelaySession session_{"me", "Me", "#4ECDC4"};
  RelaySession::TimePoint now_{std::chrono::hours(1)};
};

// --- what we send

TEST_F(RelaySessionTest, JoinsAndThenSendsItsState) {
  session_.SetDocument(kRelayDocument, now_);
  EXPECT_THAT(Sent(), IsEmpty());
  session_.OnConnected(now_);
  EXPECT_THAT(Sent(), ElementsAre(Join(std::string("automerge:") + kRelayDocument), State("null")));
}

TEST_F(RelaySessionTest, JoinsAndSendsItsStateAfterEachReconnect) {
  OpenAndConnect();
  session_.SetSelection(RelaySelection{.anchor = 7}, now_);
  for (int round = 0; round < 2; ++round) {
    session_.OnClosed();
    session_.OnConnected(now_);  // at once: the 50 ms are those of one connection
    EXPECT_THAT(Sent(), ElementsAre(Join(std::string("automerge:") + kRelayDocument),
                                    State(R"({"anchor":7})")));
  }
}

TEST_F(RelaySessionTest, OnlyJoinsBeforeADocumentIsOpen) {
  session_.SetDocument(std::nullopt, now_);
  session_.OnConnected(now_);
  session_.SetUser("Other", "#ffffff", now_);
  session_.SetUser("Me", "#4ECDC4", now_);
  session_.SetSelection(RelaySelection{.anchor = 1}, now_);
  session_.OnEdited(now_);
  Advance(milliseconds(60000));
  EXPECT_THAT(Sent(), ElementsAre(Join("default")));
  EXPECT_EQ(session_.deadline(), std::nullopt);
  session_.SetDocument(kRelayDocument, now_);
  EXPECT_THAT(Sent(), ElementsAre(State("null"))) << "what came before is not of this document";
}

TEST_F(RelaySessionTest, SendsOneStateAfterADocumentWasClosed) {
  OpenAndConnect();
  session_.SetSelection(RelaySelection{.anchor = 1}, now_);
  session_.OnEdited(now_);
  Sent();
  session_.SetDocument(std::nullopt, now_);
  EXPECT_THAT(Sent(), IsEmpty()) << "50 ms are not over";
  Advance(milliseconds(60000));
  EXPECT_THAT(Sent(), ElementsAre(State("null", "false", "default")));
  session_.OnClosed();
  session_.OnConnected(now_);
  Advance(milliseconds(60000));
  EXPECT_THAT(Sent(), ElementsAre(Join("default")));
}

TEST_F(RelaySessionTest, TellsOfACloseWithoutConnectionAfterTheNextJoin) {
  OpenAndConnect();
  session_.OnClosed();
  session_.SetDocument(std::nullopt, now_);
  session_.OnConnected(now_);
  Advance(milliseconds(60000));
  EXPECT_THAT(Sent(), ElementsAre(Join("default"), State("null", "false", "default")));
}

TEST_F(RelaySessionTest, SendsAStateEveryFiveSeconds) {
  OpenAndConnect();
  Advance(milliseconds(4949));
  EXPECT_THAT(Sent(), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Sent(), ElementsAre(State("null")));
  Advance(milliseconds(15000));
  EXPECT_THAT(Sent(), SizeIs(3));
}

TEST_F(RelaySessionTest, SendsAStateAtEachChange) {
  OpenAndConnect();
  session_.SetSelection(RelaySelection{.anchor = 2, .head = 5}, now_);
  EXPECT_THAT(Sent(), ElementsAre(State(R"({"anchor":2,"head":5})")));
  Advance(milliseconds(50));
  session_.SetSelection(RelaySelection{.anchor = 2, .head = 5}, now_);
  session_.SetUser("Me", "#4ECDC4", now_);
  session_.SetDocument(kRelayDocument, now_);
  EXPECT_THAT(Sent(), IsEmpty()) << "nothing has changed";
  session_.SetUser("Zo\xc3\xab", "#4ECDC4", now_);
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr("{\"name\":\"Zo\xc3\xab\",\"color\":\"#4ECDC4\"}")));
  Advance(milliseconds(50));
  session_.SetUser("Me", "#4ECDC4", now_);
  Sent();
  Advance(milliseconds(50));
  session_.SetSelection(std::nullopt, now_);
  EXPECT_THAT(Sent(), ElementsAre(State("null")));
  Advance(milliseconds(50));
  session_.SetDocument("other", now_);
  EXPECT_THAT(Sent(), ElementsAre(State("null", "false", "automerge:other")));
}

TEST_F(RelaySessionTest, SendsAtMostOneStateIn50Milliseconds) {
  OpenAndConnect();
  for (uint32_t at = 0; at < 100; ++at) {
    session_.SetSelection(RelaySelection{.anchor = at}, now_);
    Advance(milliseconds(1));
  }
  EXPECT_THAT(Sent(), ElementsAre(State(R"({"anchor":0})"), State(R"({"anchor":49})"),
                                  State(R"({"anchor":99})")))
      << "the first at once, then the newest, and the last one";
  Advance(milliseconds(1000));
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(RelaySessionTest, TypesForAWhileAfterAnEdit) {
  OpenAndConnect();
  session_.OnEdited(now_);
  EXPECT_THAT(Sent(), ElementsAre(State("null", "true")));
  Advance(milliseconds(1000));
  session_.OnEdited(now_);
  Advance(milliseconds(1499));
  EXPECT_THAT(Sent(), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Sent(), ElementsAre(State("null", "false")));
}

TEST_F(RelaySessionTest, DoesNotTypeAfterALongDisconnect) {
  OpenAndConnect();
  session_.OnEdited(now_);
  session_.OnClosed();
  EXPECT_EQ(session_.deadline(), std::nullopt);
  Advance(milliseconds(2000));
  session_.OnConnected(now_);
  Advance(milliseconds(1000));
  EXPECT_THAT(Sent(), ElementsAre(Join(std::string("automerge:") + kRelayDocument),
                                  State("null", "false")));
}

TEST_F(RelaySessionTest, SendsNothingWithoutAConnection) {
  session_.SetDocument(kRelayDocument, now_);
  session_.SetSelection(RelaySelection{.anchor = 1}, now_);
  session_.OnEdited(now_);
  Advance(milliseconds(60000));
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_THAT(Receive(RelayFrame{}), IsEmpty());
}

TEST_F(RelaySessionTest, DropsMessagesWhenTheConnectionIsGone) {
  session_.SetDocument(kRelayDocument, now_);
  session_.OnConnected(now_);
  session_.OnClosed();
  EXPECT_THAT(Sent(), IsEmpty());
  Advance(milliseconds(60000));
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(RelaySessionTest, EarlyDeadlinesDoNothing) {
  OpenAndConnect();
  session_.OnEdited(now_);
  session_.SetSelection(RelaySelection{.anchor = 1}, now_);
  Sent();
  session_.OnDeadline(now_);
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(RelaySessionTest, SendsOnlyWhatOthersShowOfItsOwnTexts) {
  OpenAndConnect();
  session_.SetUser("a\x07\xff\"" + std::string(300, 'x'), "#4ECDC4", now_);
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr("{\"name\":\"a\xef\xbf\xbd\\\"" +
                                            std::string(253, 'x') + "\",")));
}

// --- what comes

TEST_F(RelaySessionTest, TellsOfUsersOfTheOpenDocumentOnly) {
  EXPECT_THAT(Receive(RelayFrame{}), IsEmpty());
  session_.OnConnected(now_);
  EXPECT_THAT(Receive(RelayFrame{}), IsEmpty()) << "none is open";
  EXPECT_THAT(Receive({.document = R"("default")"}), IsEmpty());
  session_.SetDocument(kRelayDocument, now_);
  EXPECT_THAT(Receive({.document = R"("default")"}), IsEmpty());
  EXPECT_THAT(Receive({.document = R"("automerge:other")"}), IsEmpty());
  EXPECT_THAT(Receive({.document = "5"}), IsEmpty());
  EXPECT_THAT(Receive({.document = R"("automerge:")"}), IsEmpty());
  EXPECT_THAT(Receive(R"({"type":"awareness","clientID":"bob","state":{"selection":null}})"),
              IsEmpty())
      << "of no document";
  EXPECT_THAT(Receive(RelayFrame{}), ElementsAre("bob Bob #123456 1"));
}

TEST_F(RelaySessionTest, ComparesDocumentsWithoutTheirPrefix) {
  OpenAndConnect();
  const std::string bare = "\"" + std::string(kRelayDocument) + "\"";
  EXPECT_THAT(Receive({.document = bare}), ElementsAre("bob Bob #123456 1"));
  EXPECT_THAT(Receive({.selection = R"({"anchor":2})"}), ElementsAre("bob Bob #123456 2"));
}

TEST_F(RelaySessionTest, AnotherDocumentForgetsAllUsers) {
  OpenAndConnect();
  Receive(RelayFrame{});
  session_.OnText(RelayFrame{.name = R"("Not taken")"}.Text(), now_);
  session_.SetDocument("other", now_);
  EXPECT_THAT(Events(), IsEmpty());
  Advance(milliseconds(20000));
  EXPECT_THAT(Events(), IsEmpty());
  session_.SetDocument(kRelayDocument, now_);
  EXPECT_THAT(Receive(RelayFrame{}), ElementsAre("bob Bob #123456 1"));
}

TEST_F(RelaySessionTest, WhoClosesTheDocumentIsNowhereAndThenForgotten) {
  OpenAndConnect();
  Receive(RelayFrame{});
  Advance(milliseconds(10000));
  EXPECT_THAT(Receive({.document = R"("default")", .selection = R"({"anchor":1})"}),
              ElementsAre("bob Bob #123456"));
  EXPECT_THAT(Receive({.document = R"("default")"}), IsEmpty());
  Advance(milliseconds(5000));
  EXPECT_THAT(Events(), ElementsAre("gone bob"));
  EXPECT_THAT(Receive({.document = R"("default")"}), IsEmpty());
}

TEST_F(RelaySessionTest, IgnoresItsOwnId) {
  OpenAndConnect();
  EXPECT_THAT(Receive({.client = R"("me")"}), IsEmpty());
  EXPECT_THAT(Receive({.client = R"("m\u0007e")"}), IsEmpty()) << "shown as ours";
  EXPECT_THAT(Receive({.client = R"("Me")"}), SizeIs(1));
}

TEST_F(RelaySessionTest, DropsFramesThatItCannotTake) {
  OpenAndConnect();
  const std::string good = RelayFrame{}.Text();
  struct Case {
    const char* name;
    std::string frame;
  };
  const Case cases[] = {
      {"empty", ""},
      {"not JSON", "not json"},
      {"cut", good.substr(0, good.size() - 1)},
      {"not UTF-8", RelayFrame{.name = "\"\xff\""}.Text()},
      {"two values", good + good},
      {"null", "null"},
      {"text", R"("awareness")"},
      {"list", "[" + good + "]"},
      {"no client",
       R"({"type":"awareness","documentId":"3RuhE2UFocx5aonmHkwc1U66XWwY","state":{}})"},
      {"client is a number", RelayFrame{.client = "5"}.Text()},
      {"client is null", RelayFrame{.client = "null"}.Text()},
      {"client is empty", RelayFrame{.client = R"("")"}.Text()},
      {"nothing of the client is shown", RelayFrame{.client = R"("\u0001")"}.Text()},
      {"no state",
       R"({"type":"awareness","documentId":"3RuhE2UFocx5aonmHkwc1U66XWwY","clientID":"bob"})"},
      {"join", R"({"type":"join","documentId":"3RuhE2UFocx5aonmHkwc1U66XWwY","clientID":"bob"})"},
      {"another type",
       R"({"type":"x","documentId":"3RuhE2UFocx5aonmHkwc1U66XWwY","clientID":"bob","state":{}})"},
      {"number over the range", RelayFrame{.selection = R"({"anchor":1e999})"}.Text()},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Receive(c.frame), IsEmpty());
  }
  EXPECT_THAT(Receive(good), SizeIs(1));
}

TEST_F(RelaySessionTest, DropsFramesOver64KiB) {
  OpenAndConnect();
  const std::string frame = RelayFrame{}.Text();
  const std::string largest = frame + std::string(RelaySession::kMaxFrameBytes - frame.size(), ' ');
  EXPECT_THAT(Receive(largest + " "), IsEmpty());
  EXPECT_THAT(Receive(largest), SizeIs(1));
}

TEST_F(RelaySessionTest, DropsFramesOfTooManyOrTooDeepValues) {
  OpenAndConnect();
  const auto with = [](const std::string& value) { return RelayFrame{.typing = value}; };
  EXPECT_THAT(Receive(with(std::string(31, '[') + std::string(31, ']'))), IsEmpty());
  EXPECT_THAT(Receive(with(std::string(30000, '[') + std::string(30000, ']'))), IsEmpty());
  std::string many = "[0";
  for (int i = 0; i < 5000; ++i) many += ",0";
  EXPECT_THAT(Receive(with(many + "]")), IsEmpty());
  EXPECT_THAT(Receive(with(std::string(30, '[') + std::string(30, ']'))), SizeIs(1));
}

TEST_F(RelaySessionTest, TellsOnlyOfWhatHasChanged) {
  OpenAndConnect();
  EXPECT_THAT(Receive(RelayFrame{}), ElementsAre("bob Bob #123456 1"));
  EXPECT_THAT(Receive(RelayFrame{}), IsEmpty());
  EXPECT_THAT(Receive({.name = R"("B")"}), ElementsAre("bob B #123456 1"));
  EXPECT_THAT(Receive({.name = R"("B")", .color = R"("#abc")"}), ElementsAre("bob B #abc 1"));
  EXPECT_THAT(Receive({.selection = R"({"anchor":2})"}), ElementsAre("bob Bob #123456 2"));
  EXPECT_THAT(Receive({.selection = R"({"anchor":2,"head":2})"}),
              ElementsAre("bob Bob #123456 2-2"));
  EXPECT_THAT(Receive({.client = R"("eve")", .selection = "null"}), ElementsAre("eve Bob #123456"));
}

TEST_F(RelaySessionTest, IgnoresWhetherOthersType) {
  OpenAndConnect();
  Receive(RelayFrame{});
  EXPECT_THAT(Receive({.typing = "true"}), IsEmpty());
  EXPECT_THAT(Receive({.typing = R"({"a":[1]})"}), IsEmpty());
}

TEST_F(RelaySessionTest, ForgetsAPositionWithoutSelection) {
  OpenAndConnect();
  Receive({.selection = R"({"anchor":2,"head":5})"});
  EXPECT_THAT(Receive({.selection = "null"}), ElementsAre("bob Bob #123456"));
  EXPECT_THAT(Receive({.selection = "null"}), IsEmpty());
}

TEST_F(RelaySessionTest, ReadsPositions) {
  OpenAndConnect();
  struct Case {
    const char* selection;
    const char* shown;
  };
  const Case cases[] = {
      {R"({"anchor":3})", " 3"},
      {R"({"anchor":2.9,"head":0.5})", " 2-0"},
      {R"({"anchor":4294967295,"head":4294967296})", " 4294967295-4294967295"},
      {R"({"anchor":1e300,"head":18446744073709551616})", " 4294967295-4294967295"},
      {R"({"anchor":1,"head":null})", " 1"},
      {R"({"anchor":1,"head":-1})", " 1"},
      {R"({"anchor":-1,"head":1})", ""},
      {R"({"anchor":-0.5})", ""},
      {R"({"anchor":"1"})", ""},
      {R"({"anchor":true})", ""},
      {R"({"anchor":null,"head":1})", ""},
      {R"({"head":1})", ""},
      {"{}", ""},
      {"[1]", ""},
      {"7", ""},
  };
  int client = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.selection);
    const std::string id = std::to_string(++client);
    EXPECT_THAT(Receive({.client = "\"" + id + "\"", .selection = c.selection}),
                ElementsAre(id + " Bob #123456" + c.shown));
  }
}

TEST_F(RelaySessionTest, CleansTexts) {
  OpenAndConnect();
  EXPECT_THAT(Receive({.client = R"("b\u001bob\n")",
                       .name = R"("\u0000Bo\u009fb\u007f\ud83d")",
                       .color = R"("red; x")"}),
              ElementsAre("bob Bob\xef\xbf\xbd " + std::string(ColorOfPeer("bob")) + " 1"));
  EXPECT_THAT(Receive({.name = "5", .color = R"("#12345")"}),
              ElementsAre("bob Anonymous " + std::string(ColorOfPeer("bob")) + " 1"));
  std::string name;
  for (size_t i = 0; i < kMaxTextCharacters; ++i) name += "\xc3\xab";
  EXPECT_THAT(Receive({.name = "\"" + name + "x\""}), ElementsAre("bob " + name + " #123456 1"));
  const std::string id(kMaxTextCharacters, 'i');
  EXPECT_THAT(Receive({.client = "\"" + id + "x\""}), ElementsAre(id + " Bob #123456 1"));
}

TEST_F(RelaySessionTest, ForgetsUsers15SecondsAfterTheirLastFrame) {
  OpenAndConnect();
  Receive(RelayFrame{});
  Advance(milliseconds(5000));
  Receive({.client = R"("eve")"});
  EXPECT_THAT(Receive(RelayFrame{}), IsEmpty());
  Advance(milliseconds(5000));
  EXPECT_THAT(Receive(RelayFrame{}), IsEmpty());
  Advance(milliseconds(9999));
  EXPECT_THAT(Events(), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Events(), ElementsAre("gone eve"));
  session_.OnClosed();
  Advance(milliseconds(4999));
  EXPECT_THAT(Events(), IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(Events(), ElementsAre("gone bob"));
  EXPECT_EQ(session_.deadline(), std::nullopt);
}

TEST_F(RelaySessionTest, ALaterFrameBringsAUserBack) {
  OpenAndConnect();
  Receive(RelayFrame{});
  Advance(milliseconds(15000));
  EXPECT_THAT(Events(), ElementsAre("gone bob"));
  EXPECT_THAT(Receive(RelayFrame{}), ElementsAre("bob Bob #123456 1"));
  Advance(milliseconds(15000));
  EXPECT_THAT(Events(), ElementsAre("gone bob"));
}

TEST_F(RelaySessionTest, KeepsAtMost1024Users) {
  OpenAndConnect();
  const auto user = [](size_t number) {
    return RelayFrame{.client = "\"" + std::to_string(number) + "\""};
  };
  for (size_t i = 0; i < RelaySession::kMaxUsers; ++i) EXPECT_THAT(Receive(user(i)), SizeIs(1));
  EXPECT_THAT(Receive(user(RelaySession::kMaxUsers)), IsEmpty());
  RelayFrame known = user(5);
  known.name = R"("Known")";
  Advance(milliseconds(5000));
  EXPECT_THAT(Receive(known), ElementsAre("5 Known #123456 1"));
  Advance(milliseconds(10000));
  EXPECT_THAT(Events(), SizeIs(RelaySession::kMaxUsers - 1));
  EXPECT_THAT(Receive(user(RelaySession::kMaxUsers)), SizeIs(1));
}

// --- the real helper

// Frames of two instances of the real helper and what the other one showed of them: capture
// nvim-01, awareness.
TEST_F(RelaySessionTest, ReadsTheFramesOfTheRealHelper) {
  OpenAndConnect();
  struct Frame {
    const char* text;
    std::vector<std::string> events;
  };
  const Frame frames[] = {
      {R"({"type":"join","documentId":"default","clientID":"duct-fybab16d"})", {}},
      // The real helper shows this one, which is of no document.
      {R"({"type":"awareness","clientID":"duct-fybab16d","state":{"user":{"name":"viduct-user","color":"#88cc88"},"typing":false,"selection":null},"documentId":"default"})",
       {}},
      {R"({"type":"awareness","clientID":"duct-fybab16d","state":{"user":{"name":"viduct-user","color":"#88cc88"},"typing":false,"selection":null},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {"duct-fybab16d viduct-user #88cc88"}},
      {R"({"type":"awareness","clientID":"duct-fybab16d","state":{"user":{"name":"viduct-user","color":"#88cc88"},"typing":false,"selection":{"anchor":0}},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {"duct-fybab16d viduct-user #88cc88 0"}},
      {R"({"type":"awareness","clientID":"duct-i03l0jv6","state":{"user":{"name":"Alice","color":"#4ECDC4"},"typing":false,"selection":{"anchor":7}},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {"duct-i03l0jv6 Alice #4ECDC4 7"}},
      {R"({"type":"awareness","clientID":"duct-i03l0jv6","state":{"user":{"name":"Alice","color":"#4ECDC4"},"typing":false,"selection":{"anchor":2,"head":5}},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {"duct-i03l0jv6 Alice #4ECDC4 2-5"}},
      {R"({"type":"awareness","clientID":"duct-fybab16d","state":{"user":{"name":"viduct-user","color":"#88cc88"},"typing":false,"selection":{"anchor":1,"head":1}},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {"duct-fybab16d viduct-user #88cc88 1-1"}},
      {R"({"type":"awareness","clientID":"duct-fybab16d","state":{"user":{"name":"Bob","color":"#88cc88"},"typing":false,"selection":{"anchor":1,"head":1}},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {"duct-fybab16d Bob #88cc88 1-1"}},
      {R"({"type":"awareness","clientID":"duct-fybab16d","state":{"user":{"name":"Bob","color":"#FF6B6B"},"typing":false,"selection":{"anchor":1,"head":1}},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {"duct-fybab16d Bob #FF6B6B 1-1"}},
      // The real helper shows the repetition of each beat, too.
      {R"({"type":"awareness","clientID":"duct-i03l0jv6","state":{"user":{"name":"Alice","color":"#4ECDC4"},"typing":false,"selection":{"anchor":2,"head":5}},"documentId":"automerge:3RuhE2UFocx5aonmHkwc1U66XWwY"})",
       {}},
  };
  for (const Frame& frame : frames) {
    SCOPED_TRACE(frame.text);
    EXPECT_EQ(Receive(frame.text), frame.events);
  }
}

// --- events that nobody takes

TEST_F(RelaySessionTest, OneEventOfEachUserWaits) {
  OpenAndConnect();
  for (int i = 0; i < 10000; ++i) {
    const std::string place = R"({"anchor":)" + std::to_string(i) + "}";
    session_.OnText(
        RelayFrame{.client = i % 2 == 0 ? R"("bob")" : R"("eve")", .selection = place}.Text(),
        now_);
  }
  EXPECT_THAT(Events(), ElementsAre("bob Bob #123456 9998", "eve Bob #123456 9999"));
}

TEST_F(RelaySessionTest, WhoWasNeverToldOfIsNotToldToBeGone) {
  OpenAndConnect();
  for (int i = 0; i < 5; ++i) {
    session_.OnText(RelayFrame{.client = '"' + std::to_string(i) + '"'}.Text(), now_);
    Advance(RelaySession::kForgetAfter);
  }
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(RelaySessionTest, WhoWasToldOfIsToldToBeGoneOnce) {
  OpenAndConnect();
  EXPECT_THAT(Receive(RelayFrame{}), SizeIs(1));
  for (int i = 2; i < 5; ++i) {
    session_.OnText(RelayFrame{.selection = R"({"anchor":)" + std::to_string(i) + "}"}.Text(),
                    now_);
    Advance(RelaySession::kForgetAfter);
  }
  EXPECT_THAT(Events(), ElementsAre("gone bob"));
  Advance(RelaySession::kForgetAfter);
  EXPECT_THAT(Events(), IsEmpty());
  EXPECT_THAT(Receive(RelayFrame{}), ElementsAre("bob Bob #123456 1"));
}

TEST_F(RelaySessionTest, WhoIsBackBeforeItIsToldToBeGoneIsToldAsItIs) {
  OpenAndConnect();
  EXPECT_THAT(Receive(RelayFrame{}), SizeIs(1));
  Advance(RelaySession::kForgetAfter);
  session_.OnText(RelayFrame{.selection = R"({"anchor":7})"}.Text(), now_);
  EXPECT_THAT(Events(), ElementsAre("bob Bob #123456 7"));
  Advance(RelaySession::kForgetAfter);
  EXPECT_THAT(Events(), ElementsAre("gone bob"));
}

}  // namespace
}  // namespace cursorwire::collab
