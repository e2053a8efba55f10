#include "collab/helper/helper_session.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/strings.h"
#include "base/text.h"
#include "base/url.h"
#include "collab/presence/shown_text.h"
#include "collab/socket/web_socket.h"
#include "collab/text/new_document_id.h"
#include "collab/text/random_name.h"
#include "crdt/text/offset_unit.h"

namespace cursorwire::collab {
namespace {

using crdt::Unit;
using nlohmann::ordered_json;

constexpr std::string_view kDefaultName = "nvim-user";
constexpr std::string_view kDefaultColor = "#88cc88";
constexpr std::string_view kUserPrefix = "nvim-";
constexpr std::string_view kFailedToOpen = "Failed to open: ";
constexpr std::string_view kFromServer = "Sync server: ";

int64_t Seconds(Moment now) {
  return std::chrono::floor<std::chrono::seconds>(now.wall.time_since_epoch()).count();
}

std::string ToLine(const ordered_json& value) {
  return EscapeLineSeparators(value.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

template <typename Value>
ordered_json OrNull(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

// A path or query may be secret.
std::string_view WithoutPath(std::string_view url) {
  const std::optional<UrlPieces> pieces = SplitUrl(url);
  return pieces ? url.substr(0, url.size() - pieces->rest.size()) : "";
}

std::string TextOr(std::string_view text, std::string_view default_text) {
  std::string shown = ShownText(text);
  return shown.empty() ? std::string(default_text) : shown;
}

// The code of an error that a document gives.
std::string_view CodeOf(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return "too_large";
  if (absl::IsFailedPrecondition(status)) return "not_text";
  return "bad_document";
}

std::string MessageOf(std::string_view what, const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return absl::StrCat("Too large: ", status.message());
  if (absl::IsFailedPrecondition(status)) return absl::StrCat(ToAbsl(what), "not a text document");
  return absl::StrCat(ToAbsl(what), status.message());
}

std::string_view CodeOfRefused(const absl::Status& status) {
  return absl::IsResourceExhausted(status) ? "too_large" : "protocol";
}

std::string MessageOfRefused(std::string_view what, const absl::Status& status) {
  return absl::StrCat(absl::IsResourceExhausted(status) ? "Too large: " : ToAbsl(what),
                      "a message of the server was refused: ", status.message());
}

}  // namespace

HelperSession::HelperSession(HelperOptions options)
    : options_(std::move(options)),
      unit_(crdt::UnitOf(options_.offsets)),
      name_(kDefaultName),
      color_(kDefaultColor),
      cursors_(unit_) {}

// --- lines of the editor

void HelperSession::OnLine(std::string line, Moment now) {
  if (input_ended_ || Trim(line).empty()) return;
  waiting_bytes_ += CostOf(line);
  waiting_.emplace_back(std::move(line));
  if (text_) text_->NoteAwake(now.steady);
  Work(now);
}

void HelperSession::OnTooLongLine(Moment now) {
  waiting_.emplace_back(LineError{
      .message = absl::StrCat("Too large: a line of more than ", kMaxEditorLineBytes, " bytes"),
      .code = "too_large"});
  Work(now);
}

void HelperSession::OnInputEnd(Moment now) {
  input_ended_ = true;
  Work(now);
}

void HelperSession::OnStop(Moment now) {
  input_ended_ = true;
  waiting_.clear();
  waiting_bytes_ = 0;
  opening_.reset();
  if (flushing_) flushing_->is_end = true;
  Work(now);
}

// Does what can be done now, and notes what is to be said of it.
void HelperSession::Work(Moment now) {
  if (exited_) return;
  CollectRepo(now);
  DoLines(now);
  TellText(now);
  ForgetSynced();
  StoreAll();
  if (!connection_) return;
  while (std::optional<std::string> message = connection_->repo.TakeMessage()) {
    commands_.emplace_back(HelperSend{.peer = HelperPeer::kSync, .message = *std::move(message)});
  }
  if (!connection_->relay) return;
  while (std::optional<std::string> message = connection_->relay->TakeMessage()) {
    commands_.emplace_back(HelperSend{.peer = HelperPeer::kRelay, .message = *std::move(message)});
  }
}

bool HelperSession::CanDoLine() const {
  return !opening_ && !flushing_ && !exited_ && !waiting_.empty() &&
         untaken_bytes_ < kMaxUntakenBytes;
}

bool HelperSession::GoOn(Moment now) {
  if (!CanDoLine()) return false;
  Work(now);
  return true;
}

void HelperSession::DoLines(Moment now) {
  while (CanDoLine()) {
    const std::variant<std::string, LineError> next = std::move(waiting_.front());
    waiting_.pop_front();
    if (const auto* error = std::get_if<LineError>(&next)) {
      TellError(*error);
      continue;
    }
    const auto& text = std::get<std::string>(next);
    waiting_bytes_ -= CostOf(text);
    const std::variant<EditorLine, LineError> line = ReadEditorLine(text);
    if (const auto* error = std::get_if<LineError>(&line)) {
      TellError(*error);
      continue;
    }
    // What the line finds is what the editor is told of.
    TellText(now);
    std::visit([this, now](const auto& kind) { Do(kind, now); }, std::get<EditorLine>(line));
    CollectRepo(now);
  }
  if (input_ended_ && waiting_.empty() && !opening_ && !flushing_ && !exited_) Flush(true, now);
}

bool HelperSession::CheckUrls(const ConnectLine& line) {
  for (const std::string* url : {&line.sync_url, &line.awareness_url}) {
    if (url == &line.awareness_url && url->empty()) continue;
    const absl::Status status = CheckWebSocketUrl(*url, options_.allow_plaintext);
    if (status.ok()) continue;
    absl::string_view why = status.message();
    absl::ConsumePrefix(&why, ToAbsl(kBadWebSocketUrl));
    TellError({.message = absl::StrCat("Bad URL: ", why), .code = "bad_url", .request = "connect"});
    return false;
  }
  return true;
}

void HelperSession::Do(const ConnectLine& line, Moment /*now*/) {
  if (connection_) {
    return TellError(
        {.message = "Already connected", .code = "already_connected", .request = "connect"});
  }
  if (!CheckUrls(line)) return;
  if (line.name) name_ = TextOr(*line.name, kDefaultName);
  if (line.color) color_ = TextOr(*line.color, kDefaultColor);
  const std::string user_id = RandomName(kUserPrefix, options_.random);
  connection_.emplace(Connection{
      .sync_url = line.sync_url,
      .user_id = user_id,
      .repo = RepoSession({.peer_id = user_id, .session_id = RandomName("", options_.random)})});
  commands_.emplace_back(HelperConnect{.peer = HelperPeer::kSync, .url = line.sync_url});
  if (!line.awareness_url.empty()) {
    connection_->relay.emplace(user_id, name_, color_);
    commands_.emplace_back(HelperConnect{.peer = HelperPeer::kRelay, .url = line.awareness_url});
  }
  AddLine(ToLine({{"type", "connected"}, {"userId", user_id}}));
}

void HelperSession::Do(const DisconnectLine& /*line*/, Moment now) {
  if (!connection_) return Tell("disconnected");
  Flush(false, now);
}

void HelperSession::Do(const SetNameLine& line, Moment now) {
  name_ = TextOr(line.name, kDefaultName);
  if (connection_ && connection_->relay) connection_->relay->SetUser(name_, color_, now.steady);
  AddLine(ToLine({{"type", "name_set"}, {"name", name_}}));
}

void HelperSession::Do(const SetColorLine& line, Moment now) {
  color_ = TextOr(line.color, kDefaultColor);
  if (connection_ && connection_->relay) connection_->relay->SetUser(name_, color_, now.steady);
  AddLine(ToLine({{"type", "color_set"}, {"color", color_}}));
}

void HelperSession::Do(const InfoLine& /*line*/, Moment /*now*/) {
  const bool connected = connection_ && connection_->sync_up;
  const bool awareness = connection_ && connection_->relay_up;
  AddLine(
      ToLine({{"type", "info"},
              {"connected", connected},
              {"docId", text_ ? ordered_json(text_->id().ToString()) : ordered_json(nullptr)},
              {"userId", connection_ ? ordered_json(connection_->user_id) : ordered_json(nullptr)},
              {"userName", name_},
              {"awareness", awareness}}));
}

// --- documents

void HelperSession::Do(const CreateLine& /*line*/, Moment now) {
  if (!connection_) {
    return TellError({.message = "Not connected", .code = "not_connected", .request = "create"});
  }
  CloseText(now);
  const DocumentId id = NewDocumentId(options_.random);
  const auto fill = [now](automerge::Document& document,
                          automerge::WaitingChanges& /*waiting*/) -> absl::Status {
    const auto made = document.MakeText(OpenText::kField);
    if (made.ok()) document.Commit(Seconds(now));
    return made.status();
  };
  absl::Status status = Follow(id, fill, now);
  if (status.ok()) status = ShowText(id, now);
  if (!status.ok()) {
    return TellError({.message = MessageOf("Failed to create: ", status),
                      .code = CodeOf(status),
                      .request = "create"});
  }
  given_id_ = id.ToUrl();
  AddLine(ToLine({{"type", "created"}, {"docId", given_id_}}));
}

void HelperSession::Do(const OpenLine& line, Moment now) {
  if (!connection_) {
    return TellError({.message = "Not connected", .code = "not_connected", .request = "open"});
  }
  const absl::StatusOr<DocumentId> id = DocumentId::Parse(line.doc_id);
  if (!id.ok()) {
    CloseText(now);
    return TellError({.message = absl::StrCat("Failed to open: ", id.status().message()),
                      .code = "bad_doc_id",
                      .request = "open"});
  }
  if (!text_ || !(text_->id() == *id)) CloseText(now);
  opening_ = Opening{.id = *id, .given_id = line.doc_id};
  // One that is open, or was closed a moment ago.
  if (connection_->repo.Find(*id) != nullptr) {
    documents_.at(id->ToString()).is_open = true;
    return FinishOpen(now);
  }
  const absl::Status status = Follow(*id, nullptr, now);
  if (!status.ok()) return FailOpen(MessageOf(kFailedToOpen, status), CodeOf(status));
  if (!connection_->repo.Find(*id)->heads().empty()) {
    opening_->use_stored_at = now.steady + kStoredWait;
  }
}

absl::Status HelperSession::Follow(const DocumentId& id, const RepoSession::Fill& fill,
                                   Moment now) {
  KnownDocument known{.id = id};
  if (options_.open_stored != nullptr) {
    auto stored = options_.open_stored(id.ToString());
    if (!stored.ok()) {
      return absl::InternalError(absl::StrCat("it cannot be kept: ", stored.status().message()));
    }
    known.stored = *std::move(stored);
  }
  const auto fill_all = [this, &known, &fill](automerge::Document& document,
                                              automerge::WaitingChanges& waiting) -> absl::Status {
    absl::Status status = Fill(known, document, waiting);
    return status.ok() && fill != nullptr ? fill(document, waiting) : status;
  };
  absl::Status status =
      connection_->repo.Open(id, options_.random(kActorBytes), now.steady, fill_all);
  if (status.ok()) documents_.emplace(id.ToString(), std::move(known));
  return status;
}

// What is kept of it.
absl::Status HelperSession::Fill(KnownDocument& known, automerge::Document& document,
                                 automerge::WaitingChanges& waiting) const {
  if (known.stored != nullptr) {
    const absl::StatusOr<automerge::SavedSize> size =
        automerge::LoadSaved(known.stored->TakeBytes(), document, waiting);
    if (!size.ok()) return absl::DataLossError(size.status().message());
    if (absl::Status status = known.stored->Keep(*size); !status.ok()) {
      return absl::InternalError(status.message());
    }
  }
  return known.unsaved.Begin(document);
}

absl::Status HelperSession::ShowText(const DocumentId& id, Moment now) {
  text_.emplace(id, *connection_->repo.Find(id));
  const absl::StatusOr<bool> changes = text_->TakeChanges();
  is_text_ = changes.ok();
  if (!is_text_) {
    text_.reset();
    return changes.status();
  }
  text_->NoteGiven(now.steady);
  if (connection_->relay) connection_->relay->SetDocument(id.ToString(), now.steady);
  return absl::OkStatus();
}

void HelperSession::FinishOpen(Moment now) {
  const Opening opening = *std::exchange(opening_, std::nullopt);
  given_id_ = opening.given_id;
  if (text_ && !is_text_) CloseText(now);
  if (text_) {  // it was open
    text_->NoteGiven(now.steady);
  } else if (const absl::Status status = ShowText(opening.id, now); !status.ok()) {
    opening_ = opening;
    return FailOpen(MessageOf(kFailedToOpen, status), CodeOf(status));
  }
  AddLine(ToLine({{"type", "opened"}, {"docId", given_id_}, {"content", text_->field().Text()}}));
}

void HelperSession::FailOpen(std::string message, std::string_view code) {
  const Opening opening = *std::exchange(opening_, std::nullopt);
  Forget(opening.id);
  TellError({.message = std::move(message), .code = code, .request = "open"});
}

void HelperSession::Do(const CloseLine& /*line*/, Moment now) {
  CloseText(now);
  Tell("closed");
}

void HelperSession::CloseText(Moment now) {
  if (!text_) return;
  documents_.at(text_->id().ToString()).is_open = false;
  text_.reset();
  cursors_.Clear();
  own_cursor_.reset();
  if (connection_->relay) connection_->relay->SetDocument(std::nullopt, now.steady);
}

void HelperSession::Forget(const DocumentId& id) {
  const auto place = documents_.find(id.ToString());
  if (place == documents_.end()) return;
  const automerge::Document* const document = connection_->repo.Find(id);
  StoredDocument* const stored = place->second.stored.get();
  if (document != nullptr && stored != nullptr) {
    const absl::Status appended = stored->Append(place->second.unsaved.Take(*document));
    if (appended.ok() && stored->is_loose() && !connection_->repo.HasWaitingChanges(id)) {
      const absl::StatusOr<std::string> saved = document->Save();
      // Where this fails, what was appended stays.
      if (saved.ok()) stored->Replace(*saved).IgnoreError();
    }
  }
  connection_->repo.Close(id);
  documents_.erase(place);
}

void HelperSession::StoreAll() {
  if (!connection_) return;
  for (auto& [name, known] : documents_) {
    if (known.stored == nullptr) continue;
    const absl::Status status =
        known.stored->Append(known.unsaved.Take(*connection_->repo.Find(known.id)));
    if (status.ok()) continue;
    // The next changes would come after a gap. All is still sent.
    known.stored.reset();
    TellError({.message = absl::StrCat("Cannot keep the document: ", status.message()),
               .code = "storage"});
  }
}

bool HelperSession::IsAllSynced() {
  return std::all_of(documents_.begin(), documents_.end(), [this](const auto& entry) {
    const DocumentId& id = entry.second.id;
    return connection_->repo.Find(id)->heads().empty() || connection_->repo.IsSynced(id);
  });
}

void HelperSession::ForgetSynced() {
  if (!connection_) return;
  std::vector<DocumentId> gone;
  for (const auto& [name, known] : documents_) {
    const bool is_wanted = known.is_open || (opening_ && opening_->id == known.id);
    if (!is_wanted && connection_->repo.IsSynced(known.id)) gone.push_back(known.id);
  }
  for (const DocumentId& id : gone) Forget(id);
}

// --- the end of a connection

void HelperSession::Flush(bool is_end, Moment now) {
  flushing_ = Flushing{.deadline = now.steady + kFlushTime, .is_end = is_end};
  CloseText(now);
  if (!connection_ || !connection_->sync_lost.ok() || IsAllSynced()) FinishFlush(now);
}

void HelperSession::FinishFlush(Moment now) {
  const Flushing flushing = *std::exchange(flushing_, std::nullopt);
  if (connection_) {
    while (!documents_.empty()) Forget(DocumentId(documents_.begin()->second.id));
    if (options_.status && connection_->sync_up) TellStatus("sync_status", false);
    if (options_.status && connection_->relay_up) TellStatus("awareness_status", false);
    // What others are to know at the end.
    if (connection_->relay) connection_->relay->SendLast(now.steady);
    while (connection_->relay) {
      std::optional<std::string> message = connection_->relay->TakeMessage();
      if (!message) break;
      commands_.emplace_back(
          HelperSend{.peer = HelperPeer::kRelay, .message = *std::move(message)});
    }
    commands_.emplace_back(HelperDisconnect{});
    connection_.reset();
  }
  if (!flushing.is_end) return Tell("disconnected");
  exited_ = true;
  commands_.emplace_back(HelperExit{.end_by = flushing.deadline});
}

// --- edits and cursors

void HelperSession::Do(const EditLine& line, Moment now) {
  if (!text_) {
    return TellError({.message = "No document open", .code = "no_document", .request = "edit"});
  }
  const absl::StatusOr<bool> changed = text_->Edit(line.content, now.steady, Seconds(now));
  if (!changed.ok()) {
    return TellError({.message = MessageOf("Failed to edit: ", changed.status()),
                      .code = CodeOf(changed.status()),
                      .request = "edit"});
  }
  if (line.repaired) text_->NoteRepaired();
  if (!*changed) return;
  cursors_.OnChangedByEditor(text_->field());
  SendSelection(now);
  connection_->repo.OnEdited(text_->id(), now.steady);
  if (connection_->relay) connection_->relay->OnEdited(now.steady);
}

void HelperSession::Do(const CursorLine& line, Moment now) {
  if (!text_) return;
  const automerge::TextField& text = text_->field();
  OwnCursor cursor;
  cursor.anchor = text.ElementAt(unit_, line.selection ? line.selection->anchor : line.offset);
  if (line.selection) cursor.head = text.ElementAt(unit_, line.selection->head);
  own_cursor_ = cursor;
  SendSelection(now);
}

// Where our cursor is now.
void HelperSession::SendSelection(Moment now) {
  if (!own_cursor_ || !connection_->relay) return;
  const auto place = [this](automerge::OpId element) {
    return text_->field().PositionOf(element).utf16;
  };
  RelaySelection selection{.anchor = place(own_cursor_->anchor)};
  if (own_cursor_->head) selection.head = place(*own_cursor_->head);
  connection_->relay->SetSelection(selection, now.steady);
}

// --- the servers

void HelperSession::OnOpened(HelperPeer peer, Moment now) {
  if (!connection_) return;
  if (peer == HelperPeer::kSync) {
    connection_->sync_lost = absl::OkStatus();
    connection_->refused.clear();
    connection_->repo.OnConnected();
  } else if (connection_->relay) {
    connection_->relay_up = true;
    connection_->relay->OnConnected(now.steady);
    TellStatus("awareness_status", true);
  }
  Work(now);
}

void HelperSession::OnMessage(HelperPeer peer, std::string_view message, Moment now) {
  if (!connection_) return;
  if (peer == HelperPeer::kSync) {
    connection_->repo.OnMessage(message, now.steady);
  } else if (connection_->relay) {
    connection_->relay->OnText(message, now.steady);
  }
  Work(now);
}

void HelperSession::OnClosed(HelperPeer peer, const absl::Status& why, Moment now) {
  if (!connection_) return;
  if (peer == HelperPeer::kSync) {
    connection_->repo.OnClosed();
    connection_->sync_lost = why;
    if (std::exchange(connection_->sync_up, false)) TellStatus("sync_status", false);
    // Nobody takes the edits now.
    if (flushing_) FinishFlush(now);
  } else if (connection_->relay) {
    connection_->relay->OnClosed();
    if (std::exchange(connection_->relay_up, false)) TellStatus("awareness_status", false);
  }
  Work(now);
}

void HelperSession::CollectRepo(Moment now) {
  while (connection_) {
    const std::optional<RepoEvent> event = connection_->repo.TakeEvent();
    if (!event) break;
    std::visit([this, now](const auto& kind) { On(kind, now); }, *event);
  }
  if (flushing_ && connection_ && IsAllSynced()) FinishFlush(now);
}

void HelperSession::On(const RepoConnected& /*event*/, Moment /*now*/) {
  connection_->sync_up = true;
  TellStatus("sync_status", true);
}

void HelperSession::On(const DocumentOpened& event, Moment now) {
  if (opening_ && opening_->id == event.document) return FinishOpen(now);
  On(DocumentChanged{event.document}, now);
}

void HelperSession::On(const DocumentUnavailable& event, Moment now) {
  if (!opening_ || !(opening_->id == event.document)) return;
  // Nobody else has it: what we have is all.
  if (opening_->use_stored_at) return FinishOpen(now);
  if (connection_->sync_up) {
    if (const absl::Status* const refused = RefusedOf(event.document)) {
      return FailOpen(MessageOfRefused(kFailedToOpen, *refused), CodeOfRefused(*refused));
    }
    return FailOpen(absl::StrCat(ToAbsl(kFailedToOpen), "document unavailable"), "unavailable");
  }
  const absl::Status& why = connection_->sync_lost;
  FailOpen(
      absl::StrCat(ToAbsl(kFailedToOpen), "no connection to ",
                   ToAbsl(WithoutPath(connection_->sync_url)), why.ok() ? "" : ": ", why.message()),
      "unavailable");
}

void HelperSession::On(const DocumentChanged& event, Moment now) {
  if (text_ && text_->id() == event.document) TakeText(now);
}

void HelperSession::TakeText(Moment now) {
  const absl::StatusOr<bool> changed = text_->TakeChanges();
  if (std::exchange(is_text_, changed.ok()) && !changed.ok()) {
    TellError({.message = MessageOf("", changed.status()), .code = CodeOf(changed.status())});
  }
  if (!changed.ok() || !*changed) return;
  cursors_.OnChangedByOthers();
  SendSelection(now);
}

// Those of presence.md, which editors do not know.
void HelperSession::On(const EphemeralReceived& /*event*/, Moment /*now*/) {}

// The exchange goes on, but what the message had may be missing. Told once, since others may send
// as many as they like.
void HelperSession::On(const MessageRefused& event, Moment /*now*/) {
  if (event.is_ephemeral) return;
  if (event.document) {
    const bool is_open = text_ && text_->id() == *event.document;
    if (!is_open && !(opening_ && opening_->id == *event.document)) return;
  }
  absl::Status& last = connection_->refused[event.document ? event.document->ToString() : ""];
  if (std::exchange(last, event.status).ok()) {
    TellError({.message = MessageOfRefused(kFromServer, event.status),
               .code = CodeOfRefused(event.status)});
  }
}

const absl::Status* HelperSession::RefusedOf(const DocumentId& id) const {
  for (const std::string& name : {id.ToString(), std::string()}) {
    const auto place = connection_->refused.find(name);
    if (place != connection_->refused.end()) return &place->second;
  }
  return nullptr;
}

void HelperSession::On(const SessionFailed& event, Moment /*now*/) {
  commands_.emplace_back(HelperFail{.close_code = event.close_code, .why = event.status});
  if (std::exchange(connection_->failure_told, true)) return;
  TellError(
      {.message = absl::StrCat(ToAbsl(kFromServer), event.status.message()), .code = "protocol"});
}

void HelperSession::CollectRelay() {
  while (connection_ && connection_->relay && text_ && is_text_) {
    const std::optional<RelayEvent> event = connection_->relay->TakeEvent();
    if (!event) return;
    if (const auto* changed = std::get_if<RelayUserChanged>(&*event)) {
      if (const auto shown = cursors_.Set(changed->user, text_->field())) TellCursor(*shown);
      continue;
    }
    const std::string& user_id = std::get<RelayUserGone>(*event).id;
    std::optional<EditorCursor> gone = cursors_.Remove(user_id);
    // An editor that knows no cursor_removed is told that the place is not known.
    if (options_.status) {
      AddLine(ToLine({{"type", "cursor_removed"}, {"userId", user_id}}));
    } else if (gone && gone->anchor) {
      gone->anchor.reset();
      gone->head.reset();
      TellCursor(*gone);
    }
  }
}

// A place means the text that was told before it.
void HelperSession::TellText(Moment now) {
  if (!text_ || !is_text_) return;
  if (text_->TakeChanged(now.steady)) {
    AddLine(ToLine({{"type", "changed"}, {"content", text_->field().Text()}}));
  }
  if (text_->is_untold()) return;
  CollectRelay();
  for (const EditorCursor& cursor : cursors_.TakeMoved(text_->field(), now.steady)) {
    TellCursor(cursor);
  }
}

// --- time

std::optional<TimePoint> HelperSession::deadline() const {
  std::optional<TimePoint> first;
  const auto add = [&first](std::optional<TimePoint> due) {
    if (due && (!first || *due < *first)) first = due;
  };
  if (connection_) add(connection_->repo.deadline());
  if (connection_ && connection_->relay) add(connection_->relay->deadline());
  if (text_ && is_text_) add(text_->is_untold() ? text_->deadline() : cursors_.deadline());
  if (opening_) add(opening_->use_stored_at);
  if (flushing_) add(flushing_->deadline);
  return first;
}

void HelperSession::OnDeadline(Moment now) {
  if (connection_) connection_->repo.OnDeadline(now.steady);
  if (connection_ && connection_->relay) connection_->relay->OnDeadline(now.steady);
  if (opening_ && opening_->use_stored_at && *opening_->use_stored_at <= now.steady) {
    FinishOpen(now);
  }
  if (flushing_ && flushing_->deadline <= now.steady) FinishFlush(now);
  Work(now);
}

// --- lines to the editor

void HelperSession::AddLine(std::string line) {
  untaken_bytes_ += CostOf(line);
  lines_.push_back(std::move(line));
}

void HelperSession::Tell(std::string_view type) { AddLine(ToLine({{"type", type}})); }

void HelperSession::TellError(const LineError& error) {
  ordered_json line = {{"type", "error"}, {"message", error.message}, {"code", error.code}};
  if (!error.request.empty()) line["request"] = error.request;
  AddLine(ToLine(line));
}

void HelperSession::TellStatus(std::string_view type, bool connected) {
  if (!options_.status) return;
  AddLine(ToLine({{"type", type}, {"connected", connected}}));
}

void HelperSession::TellCursor(const EditorCursor& cursor) {
  AddLine(ToLine({{"type", "cursor"},
                  {"userId", cursor.user_id},
                  {"name", cursor.name},
                  {"color", cursor.color},
                  {"anchor", OrNull(cursor.anchor)},
                  {"head", OrNull(cursor.head)}}));
}

std::optional<std::string> HelperSession::TakeLine() {
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  untaken_bytes_ -= CostOf(line);
  return line;
}

std::optional<HelperCommand> HelperSession::TakeCommand() {
  if (commands_.empty()) return std::nullopt;
  HelperCommand command = std::move(commands_.front());
  commands_.pop_front();
  return command;
}

}  // namespace cursorwire::collab
