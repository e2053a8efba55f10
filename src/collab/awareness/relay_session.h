#ifndef CURSORWIRE_SRC_COLLAB_AWARENESS_RELAY_SESSION_H_
#define CURSORWIRE_SRC_COLLAB_AWARENESS_RELAY_SESSION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace cursorwire::collab {

// The own cursor, in UTF-16 units as on the wire. Without `head` nothing is selected.
struct RelaySelection {
  uint32_t anchor = 0;
  std::optional<uint32_t> head{};

  friend bool operator==(const RelaySelection&, const RelaySelection&) = default;
};

// Somebody else in the open document. The texts are fit for a screen, `color` is a colour. No
// `anchor`: the place is not known. Places may be behind the end of the text, or within a pair of
// surrogates.
struct RelayUser {
  std::string id{};
  std::string name{};
  std::string color{};
  std::optional<uint32_t> anchor{};
  std::optional<uint32_t> head{};

  friend bool operator==(const RelayUser&, const RelayUser&) = default;
};

// Is new, or has another name, colour or place.
struct RelayUserChanged {
  RelayUser user;
};
// Nothing has come from it for RelaySession::kForgetAfter.
struct RelayUserGone {
  std::string id;
};
using RelayEvent = std::variant<RelayUserChanged, RelayUserGone>;

// A client of the relay for cursors, over one connection after the other. It is that of
// computerscienceiscool/collab-awareness (server/index.js), which hands each frame to all other
// clients, whatever document it is of. So frames come from strangers; those that cannot be taken
// are dropped silently.
// No I/O: whole text frames in and out, time as an argument.
//
// Order: OnConnected(), then OnText() for each frame, OnClosed() when the connection is gone, and
// from the start again. After each call: TakeMessage() and TakeEvent() until there is none, and
// OnDeadline() at deadline(). All else may be called at any time, also without a connection.
// Thread-compatible.
class RelaySession {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Between two states that we send; and the same where nothing has changed.
  static constexpr std::chrono::milliseconds kStateInterval{50};
  static constexpr std::chrono::milliseconds kKeepAlive{5000};
  // For how long after an edit others are told that we type.
  static constexpr std::chrono::milliseconds kTypingTime{1500};
  // Without a frame; three times kKeepAlive.
  static constexpr std::chrono::milliseconds kForgetAfter{15000};
  static constexpr size_t kMaxUsers = 1024;  // further ones are not shown
  static constexpr size_t kMaxFrameBytes = size_t{64} * 1024;

  // Of our texts, too, only what others show is sent: no control characters, and not more than
  // kMaxTextCharacters.
  RelaySession(std::string_view client_id, std::string_view name, std::string_view color);

  void SetUser(std::string_view name, std::string_view color, TimePoint now);
  // The open document, without "automerge:"; nullopt: none is open. Another document than before
  // has a selection of its own, and users of its own: the old ones are forgotten without
  // RelayUserGone, and their events that were not taken are dropped.
  void SetDocument(std::optional<std::string> bare_id, TimePoint now);
  // Of the open document; without one nothing is kept. nullopt: the place is not known.
  void SetSelection(std::optional<RelaySelection> selection, TimePoint now);
  // The user has changed the text of the open document.
  void OnEdited(TimePoint now);

  void OnConnected(TimePoint now);
  void OnText(std::string_view frame, TimePoint now);
  // Drops messages that were not taken. Users stay until they are forgotten.
  void OnClosed();
  // nullopt: none.
  std::optional<TimePoint> deadline() const;
  void OnDeadline(TimePoint now);
  // What others do not have yet, at once: before the connection is closed.
  void SendLast(TimePoint now);

  std::optional<std::string> TakeMessage();
  // Of what happens to one user before it is asked for, the last alone is told.
  std::optional<RelayEvent> TakeEvent();

 private:
  struct KnownUser {
    RelayUser user{};
    TimePoint received{};
    bool told = false;  // an event of it was taken
  };

  std::string DocumentOnWire() const;
  // When to send a state; nullopt: others need none.
  std::optional<TimePoint> StateDue() const;
  void SendIfDue(TimePoint now);
  void SendState(TimePoint now);
  void NoteChange(TimePoint now);
  void ForgetSilent(TimePoint now);
  void NoteUser(KnownUser& known);
  void NoteGone(const std::string& id, const KnownUser& known);
  std::deque<RelayEvent>::iterator EventOf(const std::string& id);

  const std::string client_id_;
  std::string name_;
  std::string color_;
  std::optional<std::string> document_;
  std::optional<RelaySelection> selection_;
  std::optional<TimePoint> typing_until_;

  bool connected_ = false;
  bool changed_ = false;           // since the last state
  bool shown_ = false;             // the last state named a document
  std::optional<TimePoint> sent_;  // the last state on this connection

  std::map<std::string, KnownUser> users_;  // by id
  // Before it nobody is to be forgotten. nullopt: there is nobody.
  std::optional<TimePoint> next_look_;
  std::deque<std::string> messages_;
  // One for each user at most, and of those who were never told of none that they are gone: so
  // twice kMaxUsers at most.
  std::deque<RelayEvent> events_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_AWARENESS_RELAY_SESSION_H_
