#include "cursorwire/collab/text_session.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/strings.h"
#include "collab/presence/cursor.h"
#include "collab/presence/cursor_list.h"
#include "collab/presence/cursor_throttle.h"
#include "collab/presence/shown_text.h"
#include "collab/repo/document_id.h"
#include "collab/repo/repo_session.h"
#include "collab/text/new_document_id.h"
#include "collab/text/random_name.h"
#include "crdt/automerge/saved_document.h"
#include "crdt/automerge/text_field.h"
#include "crdt/text/offset_unit.h"
#include "crdt/text/text_diff.h"

namespace cursorwire::collab {
namespace {

using automerge::OpId;
using crdt::Unit;

constexpr size_t kMaxEarlyCursors = 1000;

int64_t SecondsOf(Moment now) {
  return std::chrono::floor<std::chrono::seconds>(now.wall.time_since_epoch()).count();
}
int64_t MillisecondsOf(Moment now) {
  return std::chrono::floor<std::chrono::milliseconds>(now.wall.time_since_epoch()).count();
}

TextCursor ToTextCursor(const ShownCursor& shown) {
  const Cursor& cursor = shown.cursor;
  return {.peer_id = cursor.peer_id,
          .name = cursor.name,
          .type = cursor.type,
          .position = cursor.position,
          .anchor = cursor.anchor,
          .color = cursor.color,
          .partial_pattern = cursor.partial_pattern,
          .operation_type = cursor.operation_type,
          .hidden = shown.hidden};
}

std::vector<std::string> FieldsOf(const TextOptions& options) {
  if (options.field.empty()) return {"content", "text"};
  return {options.field};
}

}  // namespace

class TextSession::Impl {
 public:
  Impl(TextOptions options, const DocumentId& id, const RandomBytes& random)
      : options_(std::move(options)),
        unit_(crdt::UnitOf(options_.offsets)),
        id_(id),
        peer_id_(RandomName(options_.peer_prefix, random)),
        repo_(RepoOptions{.peer_id = peer_id_,
                          .session_id = RandomName("", random),
                          .open_timeout = options_.open_timeout}),
        cursors_(peer_id_, unit_) {}

  absl::Status Open(std::string_view actor, Moment now);

  const DocumentId& id() const { return id_; }
  const std::string& peer_id() const { return peer_id_; }
  bool is_opened() const { return opened_; }
  bool is_synced() const { return repo_.IsSynced(id_); }
  bool has_waiting_changes() const { return repo_.HasWaitingChanges(id_); }
  const automerge::TextField& field() const { return *field_; }
  Unit unit() const { return unit_; }
  const automerge::Document& document() const { return *document_; }
  const automerge::SavedSize& saved_size() const { return saved_size_; }
  std::string TakeUnsaved() { return unsaved_.Take(*document_); }

  absl::Status Replace(uint32_t at, uint32_t count, std::string_view text, Moment now);
  absl::Status SetText(std::string_view text, Moment now);
  void SetCursor(const TextCursor& cursor, Moment now);
  void StopCursor();

  void OnConnected(Moment now);
  void OnMessage(std::string_view message, Moment now);
  void OnClosed(const absl::Status& why, std::chrono::milliseconds delay);
  std::optional<TimePoint> deadline() const;
  void OnDeadline(Moment now);
  std::optional<std::string> TakeMessage() { return repo_.TakeMessage(); }
  std::optional<TextEvent> TakeEvent();

 private:
  absl::Status BeginEdit();
  void TellTextChanges();
  void Finish(Moment now);

  void Collect(Moment now);
  void On(const RepoConnected& event, Moment now);
  void On(const DocumentOpened& event, Moment now);
  void On(const DocumentUnavailable& event, Moment now);
  void On(const DocumentChanged& event, Moment now);
  void On(const EphemeralReceived& event, Moment now);
  void On(const MessageRefused& event, Moment now);
  void On(const SessionFailed& event, Moment now);
  void NoteOpened();
  void TakeTextChanges(std::vector<automerge::TextField::Change>& changes);
  void CollectCursors(Moment now);
  void PlaceCursor();
  void SendCursor(Moment now);
  void AddCursor(const EphemeralReceived& event, Moment now);

  TextOptions options_;
  const Unit unit_;
  const DocumentId id_;
  const std::string peer_id_;
  RepoSession repo_;
  automerge::Document* document_ = nullptr;
  automerge::SavedSize saved_size_{};
  automerge::UnsavedChanges unsaved_;
  std::optional<automerge::TextField> field_;
  bool connected_ = false;
  bool opened_ = false;
  bool is_text_ = true;
  std::deque<TextEvent> events_;

  CursorList cursors_;
  // Those that came before the text.
  std::vector<EphemeralReceived> early_cursors_;
  // Ours, and what it stays at, once the text is there.
  struct OwnCursor {
    Cursor cursor;
    TextCursor wanted;
    OpId element;
    OpId anchor_element;
  };
  std::optional<OwnCursor> own_cursor_;
  CursorThrottle throttle_;
};

absl::Status TextSession::Impl::Open(std::string_view actor, Moment now) {
  const bool is_new = options_.document.empty();
  const auto fill = [this, is_new, now](automerge::Document& document,
                                        automerge::WaitingChanges& waiting) -> absl::Status {
    document_ = &document;
    field_.emplace(document, FieldsOf(options_));
    if (is_new) {
      if (absl::Status status = unsaved_.Begin(document); !status.ok()) return status;
      const auto made = document.MakeText(FieldsOf(options_).front());
      if (!made.ok()) return made.status();
      document.Commit(SecondsOf(now));
    } else if (!options_.saved.empty()) {
      const std::string saved = std::exchange(options_.saved, {});
      const absl::StatusOr<automerge::SavedSize> loaded =
          automerge::LoadSaved(saved, document, waiting);
      if (!loaded.ok()) return loaded.status();
      saved_size_ = *loaded;
    }
    return absl::OkStatus();
  };
  if (absl::Status status = repo_.Open(id_, actor, now.steady, fill); !status.ok()) return status;
  if (!document_->heads().empty()) NoteOpened();
  return absl::OkStatus();
}

// --- edits

absl::Status TextSession::Impl::BeginEdit() {
  if (!opened_) return absl::FailedPreconditionError("the document is not open yet");
  if (!is_text_) return absl::FailedPreconditionError("the document has no text now");
  absl::Status status = unsaved_.Begin(*document_);
  // The history that is made now may not agree with what was shown of a saved document.
  TellTextChanges();
  return status;
}

absl::Status TextSession::Impl::Replace(uint32_t at, uint32_t count, std::string_view text,
                                        Moment now) {
  if (absl::Status status = BeginEdit(); !status.ok()) return status;
  absl::Status status = field_->Splice(unit_, at, count, text);
  Finish(now);
  return status;
}

absl::Status TextSession::Impl::SetText(std::string_view text, Moment now) {
  if (absl::Status status = BeginEdit(); !status.ok()) return status;
  const std::string before = field_->Text();
  const std::string after = ToUtf8(text);
  const crdt::TextDiff diff = crdt::DiffText(before, after);
  absl::Status status;
  for (auto hunk = diff.hunks.rbegin(); hunk != diff.hunks.rend() && status.ok(); ++hunk) {
    status = field_->Splice(Unit::kCodePoints, hunk->at, hunk->deleted, hunk->inserted);
  }
  Finish(now);
  return status;
}

void TextSession::Impl::Finish(Moment now) {
  if (!field_->Commit(SecondsOf(now))) return;
  cursors_.OnTextChanged();
  repo_.OnEdited(id_, now.steady);
  Collect(now);
}

// --- our cursor

void TextSession::Impl::SetCursor(const TextCursor& cursor, Moment now) {
  OwnCursor own{.cursor = {.peer_id = peer_id_,
                           .name = cursor.name.empty() ? options_.name : cursor.name,
                           .type = cursor.type,
                           .color = cursor.color.empty() ? options_.color : cursor.color,
                           .partial_pattern = cursor.partial_pattern,
                           .operation_type = cursor.operation_type},
                .wanted = cursor,
                .element = {},
                .anchor_element = {}};
  if (own.cursor.name.empty()) own.cursor.name = kNoName;
  if (own.cursor.color.empty()) own.cursor.color = ColorOf(own.cursor.type, peer_id_);
  own_cursor_ = std::move(own);
  if (opened_) PlaceCursor();
  SendCursor(now);
}

void TextSession::Impl::PlaceCursor() {
  if (!own_cursor_) return;
  own_cursor_->element = field_->ElementAt(unit_, own_cursor_->wanted.position);
  if (own_cursor_->wanted.anchor) {
    own_cursor_->anchor_element = field_->ElementAt(unit_, *own_cursor_->wanted.anchor);
  }
}

void TextSession::Impl::StopCursor() {
  own_cursor_.reset();
  throttle_.Clear();
}

void TextSession::Impl::SendCursor(Moment now) {
  if (!own_cursor_ || !opened_ || !connected_) return;
  Cursor cursor = own_cursor_->cursor;
  cursor.position = field_->PositionOf(own_cursor_->element).utf16;
  if (own_cursor_->wanted.anchor) {
    cursor.anchor = field_->PositionOf(own_cursor_->anchor_element).utf16;
  }
  throttle_.Set(std::move(cursor));
  if (const auto due = throttle_.Take(now.steady, MillisecondsOf(now))) {
    repo_.SendEphemeral(id_, WriteCursor(*due));
  }
}

// --- the connection

void TextSession::Impl::OnConnected(Moment now) {
  if (absl::Status status = unsaved_.Begin(*document_); !status.ok()) {
    events_.emplace_back(TextProblem{std::move(status)});
  }
  repo_.OnConnected();
  Collect(now);
}

void TextSession::Impl::OnMessage(std::string_view message, Moment now) {
  repo_.OnMessage(message, now.steady);
  Collect(now);
}

void TextSession::Impl::OnClosed(const absl::Status& why, std::chrono::milliseconds delay) {
  repo_.OnClosed();
  connected_ = false;
  events_.emplace_back(TextDisconnected{.why = why, .delay = delay});
}

std::optional<TimePoint> TextSession::Impl::deadline() const {
  std::optional<TimePoint> first = repo_.deadline();
  const std::optional<TimePoint> own =
      opened_ && connected_ && own_cursor_ ? throttle_.deadline() : std::nullopt;
  for (const std::optional<TimePoint>& due : {cursors_.deadline(), own}) {
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

void TextSession::Impl::OnDeadline(Moment now) {
  repo_.OnDeadline(now.steady);
  SendCursor(now);
  Collect(now);
}

std::optional<TextEvent> TextSession::Impl::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  TextEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

// --- what the server says

void TextSession::Impl::Collect(Moment now) {
  while (const std::optional<RepoEvent> event = repo_.TakeEvent()) {
    std::visit([this, now](const auto& kind) { On(kind, now); }, *event);
  }
  CollectCursors(now);
}

void TextSession::Impl::On(const RepoConnected& /*event*/, Moment now) {
  connected_ = true;
  events_.emplace_back(TextConnected{});
  SendCursor(now);
}

void TextSession::Impl::On(const DocumentOpened& event, Moment now) {
  if (opened_) return On(DocumentChanged{event.document}, now);
  NoteOpened();
  for (const EphemeralReceived& early : std::exchange(early_cursors_, {})) AddCursor(early, now);
  SendCursor(now);
}

void TextSession::Impl::NoteOpened() {
  std::vector<automerge::TextField::Change> changes;
  TakeTextChanges(changes);
  opened_ = true;
  cursors_.OnTextChanged();
  PlaceCursor();
  events_.emplace_back(TextOpened{});
}

void TextSession::Impl::TakeTextChanges(std::vector<automerge::TextField::Change>& changes) {
  const absl::Status status = field_->TakeChanges(changes);
  if (std::exchange(is_text_, status.ok()) && !status.ok()) {
    events_.emplace_back(TextProblem{status});
  }
}

void TextSession::Impl::On(const DocumentUnavailable& /*event*/, Moment /*now*/) {
  if (!opened_) events_.emplace_back(TextUnavailable{});
}

void TextSession::Impl::On(const DocumentChanged& /*event*/, Moment /*now*/) {
  if (!opened_) return;
  TellTextChanges();
  // Also one that reads the same may have taken the place of the text.
  cursors_.OnTextChanged();
}

void TextSession::Impl::TellTextChanges() {
  std::vector<automerge::TextField::Change> changes;
  TakeTextChanges(changes);
  if (changes.empty()) return;
  events_.emplace_back(TextChanged{.edits = automerge::ToTextEdits(std::move(changes), unit_)});
}

void TextSession::Impl::On(const EphemeralReceived& event, Moment now) {
  if (opened_) return AddCursor(event, now);
  if (early_cursors_.size() < kMaxEarlyCursors) early_cursors_.push_back(event);
}

void TextSession::Impl::AddCursor(const EphemeralReceived& event, Moment now) {
  std::optional<Cursor> cursor = ReadCursor(event.data, MillisecondsOf(now));
  if (cursor) cursors_.Add(*std::move(cursor), event.sender, *field_, now.steady);
}

void TextSession::Impl::On(const MessageRefused& event, Moment /*now*/) {
  events_.emplace_back(TextProblem{event.status});
}

void TextSession::Impl::On(const SessionFailed& event, Moment /*now*/) {
  connected_ = false;
  events_.emplace_back(TextFailed{
      .status = event.status, .close_code = event.close_code, .is_final = event.is_final});
}

// --- cursors of others

void TextSession::Impl::CollectCursors(Moment now) {
  for (std::string& peer_id : cursors_.TakeStale(now.steady)) {
    events_.emplace_back(TextCursorRemoved{.peer_id = std::move(peer_id)});
  }
  if (!opened_) return;
  for (const ShownCursor& shown : cursors_.TakeChanged(*field_)) {
    events_.emplace_back(TextCursorChanged{ToTextCursor(shown)});
  }
}

// --- the public face

absl::StatusOr<std::unique_ptr<TextSession>> TextSession::Create(TextOptions options,
                                                                 const RandomBytes& random,
                                                                 Moment now) {
  absl::StatusOr<DocumentId> id =
      options.document.empty() ? NewDocumentId(random) : DocumentId::Parse(options.document);
  if (!id.ok()) return id.status();
  auto impl = std::make_unique<Impl>(std::move(options), *id, random);
  if (absl::Status status = impl->Open(random(kActorBytes), now); !status.ok()) return status;
  return std::unique_ptr<TextSession>(new TextSession(std::move(impl)));
}

TextSession::TextSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TextSession::~TextSession() = default;

std::string TextSession::document_url() const { return impl_->id().ToUrl(); }
const std::string& TextSession::peer_id() const { return impl_->peer_id(); }
bool TextSession::is_opened() const { return impl_->is_opened(); }
const std::string& TextSession::text() const { return impl_->field().Text(); }
uint32_t TextSession::length() const { return impl_->field().size().In(impl_->unit()); }

bool TextSession::is_synced() const { return impl_->is_synced(); }

std::vector<std::string> TextSession::heads() const {
  std::vector<std::string> heads;
  for (const automerge::ChangeHash& head : impl_->document().heads()) {
    heads.push_back(head.ToHex());
  }
  return heads;
}

absl::Status TextSession::Replace(uint32_t at, uint32_t count, std::string_view text, Moment now) {
  return impl_->Replace(at, count, text, now);
}
absl::Status TextSession::SetText(std::string_view text, Moment now) {
  return impl_->SetText(text, now);
}

TextAnchor TextSession::AnchorAt(uint32_t place) const {
  return impl_->field().AnchorAt(impl_->unit(), place);
}
uint32_t TextSession::PlaceOf(TextAnchor anchor) const {
  return impl_->field().PlaceOf(anchor, impl_->unit());
}

void TextSession::SetCursor(const TextCursor& cursor, Moment now) { impl_->SetCursor(cursor, now); }
void TextSession::StopCursor() { impl_->StopCursor(); }

absl::StatusOr<std::string> TextSession::Save() const { return impl_->document().Save(); }
bool TextSession::has_waiting_changes() const { return impl_->has_waiting_changes(); }
std::string TextSession::TakeUnsaved() { return impl_->TakeUnsaved(); }
size_t TextSession::saved_bytes() const { return impl_->saved_size().whole; }
size_t TextSession::saved_document_bytes() const { return impl_->saved_size().document; }

void TextSession::OnConnected(Moment now) { impl_->OnConnected(now); }
void TextSession::OnMessage(std::string_view message, Moment now) {
  impl_->OnMessage(message, now);
}
void TextSession::OnClosed(const absl::Status& why, std::chrono::milliseconds delay) {
  impl_->OnClosed(why, delay);
}
std::optional<std::chrono::steady_clock::time_point> TextSession::deadline() const {
  return impl_->deadline();
}
void TextSession::OnDeadline(Moment now) { impl_->OnDeadline(now); }
std::optional<std::string> TextSession::TakeMessage() { return impl_->TakeMessage(); }
std::optional<TextEvent> TextSession::TakeEvent() { return impl_->TakeEvent(); }

}  // namespace cursorwire::collab
