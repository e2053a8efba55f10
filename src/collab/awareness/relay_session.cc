#include "collab/awareness/relay_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "collab/presence/cursor.h"
#include "collab/presence/shown_text.h"
#include "json/json_member.h"
#include "json/json_reader.h"

namespace cursorwire::collab {
namespace {

using RelayJson = nlohmann::ordered_json;  // members in the order in which they are written

constexpr std::string_view kDocumentPrefix = "automerge:";
constexpr std::string_view kNoDocument = "default";
// A state has 11 values in 3 levels; members that we do not know may add some.
constexpr size_t kMaxRelayDepth = 32;
constexpr size_t kMaxRelayValues = 4096;

std::string WriteRelayFrame(const RelayJson& frame) {
  return frame.dump(-1, ' ', false, RelayJson::error_handler_t::replace);
}

RelayJson SelectionJson(const std::optional<RelaySelection>& selection) {
  if (!selection) return nullptr;
  RelayJson json{{"anchor", selection->anchor}};
  if (selection->head) json["head"] = *selection->head;
  return json;
}

std::string_view WithoutDocumentPrefix(std::string_view id) {
  return id.starts_with(kDocumentPrefix) ? id.substr(kDocumentPrefix.size()) : id;
}

// The folder has another TextOf(), of CBOR.
std::string RelayTextOf(const nlohmann::json& object, std::string_view name) {
  return cursorwire::TextOf(object, name);
}

std::optional<uint32_t> RelayPositionIn(const nlohmann::json& selection, std::string_view name) {
  const nlohmann::json& value = MemberOf(selection, name);
  return value.is_number() ? PositionOfNumber(value.get<double>()) : std::nullopt;
}

RelayUser RelayUserIn(const std::string& id, const nlohmann::json& state) {
  const nlohmann::json& user = MemberOf(state, "user");
  const nlohmann::json& selection = MemberOf(state, "selection");
  RelayUser read{.id = id,
                 .name = ShownText(RelayTextOf(user, "name")),
                 .color = ShownText(RelayTextOf(user, "color")),
                 .anchor = RelayPositionIn(selection, "anchor")};
  if (read.name.empty()) read.name = kNoName;
  if (!IsColor(read.color)) read.color = ColorOfPeer(id);
  if (read.anchor) read.head = RelayPositionIn(selection, "head");
  return read;
}

const std::string& IdOf(const RelayEvent& event) {
  const auto* const changed = std::get_if<RelayUserChanged>(&event);
  return changed != nullptr ? changed->user.id : std::get<RelayUserGone>(event).id;
}

}  // namespace

RelaySession::RelaySession(std::string_view client_id, std::string_view name,
                           std::string_view color)
    : client_id_(ShownText(client_id)), name_(ShownText(name)), color_(ShownText(color)) {}

// --- what we are

void RelaySession::SetUser(std::string_view name, std::string_view color, TimePoint now) {
  std::string shown_name = ShownText(name);
  std::string shown_color = ShownText(color);
  if (shown_name == name_ && shown_color == color_) return;
  name_ = std::move(shown_name);
  color_ = std::move(shown_color);
  NoteChange(now);
}

void RelaySession::SetDocument(std::optional<std::string> bare_id, TimePoint now) {
  if (bare_id == document_) return;
  document_ = std::move(bare_id);
  selection_.reset();
  typing_until_.reset();
  users_.clear();
  next_look_.reset();
  events_.clear();
  NoteChange(now);
}

void RelaySession::SetSelection(std::optional<RelaySelection> selection, TimePoint now) {
  if (!document_ || selection == selection_) return;
  selection_ = selection;
  NoteChange(now);
}

void RelaySession::OnEdited(TimePoint now) {
  if (!document_) return;
  if (!std::exchange(typing_until_, now + kTypingTime)) NoteChange(now);
}

// --- what we send

std::string RelaySession::DocumentOnWire() const {
  return document_ ? std::string(kDocumentPrefix) + *document_ : std::string(kNoDocument);
}

std::optional<RelaySession::TimePoint> RelaySession::StateDue() const {
  // Without a document, those who saw us in one are told so once.
  if (!connected_ || (!document_ && !shown_)) return std::nullopt;
  if (!sent_) return TimePoint::min();
  return *sent_ + (changed_ ? kStateInterval : kKeepAlive);
}

void RelaySession::NoteChange(TimePoint now) {
  changed_ = true;
  SendIfDue(now);
}

void RelaySession::SendIfDue(TimePoint now) {
  if (typing_until_ && *typing_until_ <= now) {
    typing_until_.reset();
    changed_ = true;
  }
  const std::optional<TimePoint> due = StateDue();
  if (due && *due <= now) SendState(now);
}

void RelaySession::SendLast(TimePoint now) {
  if (connected_ && changed_ && StateDue()) SendState(now);
}

void RelaySession::SendState(TimePoint now) {
  messages_.push_back(WriteRelayFrame({{"type", "awareness"},
                                       {"clientID", client_id_},
                                       {"documentId", DocumentOnWire()},
                                       {"state",
                                        {{"user", {{"name", name_}, {"color", color_}}},
                                         {"typing", typing_until_.has_value()},
                                         {"selection", SelectionJson(selection_)}}}}));
  sent_ = now;
  changed_ = false;
  shown_ = document_.has_value();
}

// --- the connection

void RelaySession::OnConnected(TimePoint now) {
  connected_ = true;
  sent_.reset();
  messages_.push_back(WriteRelayFrame(
      {{"type", "join"}, {"documentId", DocumentOnWire()}, {"clientID", client_id_}}));
  SendIfDue(now);
}

void RelaySession::OnClosed() {
  connected_ = false;
  messages_.clear();
}

void RelaySession::OnText(std::string_view frame, TimePoint now) {
  if (!connected_ || !document_ || frame.size() > kMaxFrameBytes) return;
  constexpr JsonBounds kBounds{.max_depth = kMaxRelayDepth, .max_values = kMaxRelayValues};
  nlohmann::json message;
  if (ReadJson(frame, kBounds, message) || RelayTextOf(message, "type") != "awareness") return;
  const nlohmann::json& state = MemberOf(message, "state");
  const std::string id = ShownText(RelayTextOf(message, "clientID"));
  if (id.empty() || id == client_id_ || !state.is_object()) return;

  const auto known = users_.find(id);
  const std::string document = RelayTextOf(message, "documentId");
  RelayUser user = RelayUserIn(id, state);
  if (known != users_.end() && document == kNoDocument) {
    // Has closed the document: is nowhere in it, and soon forgotten.
    user.anchor.reset();
    user.head.reset();
  } else if (WithoutDocumentPrefix(document) != WithoutDocumentPrefix(*document_)) {
    return;
  } else if (known != users_.end()) {
    known->second.received = now;
  }

  if (known == users_.end()) {
    if (users_.size() >= kMaxUsers) return;
    const auto added = users_.emplace(id, KnownUser{.user = std::move(user), .received = now});
    if (!next_look_) next_look_ = now + kForgetAfter;
    NoteUser(added.first->second);
  } else if (!(known->second.user == user)) {
    known->second.user = std::move(user);
    NoteUser(known->second);
  }
}

std::deque<RelayEvent>::iterator RelaySession::EventOf(const std::string& id) {
  return std::find_if(events_.begin(), events_.end(),
                      [&id](const RelayEvent& event) { return IdOf(event) == id; });
}

void RelaySession::NoteUser(KnownUser& known) {
  const auto event = EventOf(known.user.id);
  if (event == events_.end()) {
    events_.emplace_back(RelayUserChanged{known.user});
    return;
  }
  // Who is back before it was told that it was gone is one who was told of.
  known.told |= std::holds_alternative<RelayUserGone>(*event);
  *event = RelayUserChanged{known.user};
}

void RelaySession::NoteGone(const std::string& id, const KnownUser& known) {
  const auto event = EventOf(id);
  if (event != events_.end()) events_.erase(event);
  if (known.told) events_.emplace_back(RelayUserGone{id});
}

std::optional<RelaySession::TimePoint> RelaySession::deadline() const {
  std::optional<TimePoint> first;
  const std::optional<TimePoint> typing = connected_ ? typing_until_ : std::nullopt;
  for (const auto& due : {StateDue(), typing, next_look_}) {
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

void RelaySession::OnDeadline(TimePoint now) {
  ForgetSilent(now);
  SendIfDue(now);
}

void RelaySession::ForgetSilent(TimePoint now) {
  if (!next_look_ || now < *next_look_) return;
  next_look_.reset();
  std::erase_if(users_, [this, now](const auto& entry) {
    const TimePoint due = entry.second.received + kForgetAfter;
    if (due <= now) {
      NoteGone(entry.first, entry.second);
      return true;
    }
    if (!next_look_ || due < *next_look_) next_look_ = due;
    return false;
  });
}

std::optional<std::string> RelaySession::TakeMessage() {
  if (messages_.empty()) return std::nullopt;
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

std::optional<RelayEvent> RelaySession::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  RelayEvent event = std::move(events_.front());
  events_.pop_front();
  const auto known = users_.find(IdOf(event));
  if (known != users_.end()) known->second.told = true;
  return event;
}

}  // namespace cursorwire::collab
