#include "cursorwire/crdt/text_document.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>

#include <optional>
#include <utility>

#include "base/strings.h"
#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/saved_document.h"
#include "crdt/automerge/text_field.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/text/offset_unit.h"

namespace cursorwire {
namespace {

using automerge::ChangeHash;

// The hash that these digits name; nothing for anything else.
std::optional<ChangeHash> HashOf(const std::string& digits) {
  if (digits.size() != 2 * ChangeHash::kSize) return std::nullopt;
  for (const char digit : digits) {
    if (absl::ascii_isxdigit(static_cast<unsigned char>(digit)) == 0) return std::nullopt;
  }
  return ChangeHash::From(absl::HexStringToBytes(digits));
}

absl::Status NoActor() {
  return absl::InvalidArgumentError("the actor of a document has 1 to 255 bytes");
}

}  // namespace

class TextDocument::Impl {
 public:
  explicit Impl(const TextDocumentOptions& options)
      : is_actor(automerge::IsActor(options.actor)),
        document(options.actor),
        field(document, {options.field}),
        unit(crdt::UnitOf(options.offsets)) {}

  // What has become of the text, for TakeEdits().
  absl::Status NoteEdits() {
    std::vector<automerge::TextField::Change> made;
    absl::Status status = field.TakeChanges(made);
    for (TextEdit& edit : automerge::ToTextEdits(std::move(made), unit)) {
      edits.push_back(std::move(edit));
    }
    return status;
  }

  const bool is_actor;
  automerge::Document document;
  automerge::WaitingChanges waiting{document};
  automerge::TextField field;
  automerge::UnsavedChanges unsaved;
  const crdt::Unit unit;
  std::vector<TextEdit> edits;
};

std::unique_ptr<TextDocument> TextDocument::Create(const TextDocumentOptions& options) {
  return std::unique_ptr<TextDocument>(new TextDocument(std::make_unique<Impl>(options)));
}

absl::StatusOr<std::unique_ptr<TextDocument>> TextDocument::Load(
    std::string_view file, const TextDocumentOptions& options) {
  if (!automerge::IsActor(options.actor)) return NoActor();
  auto impl = std::make_unique<Impl>(options);
  const auto loaded = automerge::LoadSaved(file, impl->document, impl->waiting);
  if (!loaded.ok()) return loaded.status();
  if (loaded->whole == 0 && !file.empty()) {
    return absl::DataLossError("the saved document is cut short within its first chunk");
  }
  std::vector<automerge::TextField::Change> changes;
  if (absl::Status status = impl->field.TakeChanges(changes); !status.ok()) return status;
  return std::unique_ptr<TextDocument>(new TextDocument(std::move(impl)));
}

TextDocument::TextDocument(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TextDocument::~TextDocument() = default;

const std::string& TextDocument::text() const { return impl_->field.Text(); }
uint32_t TextDocument::length() const { return impl_->field.size().In(impl_->unit); }

absl::Status TextDocument::Replace(uint32_t at, uint32_t count, std::string_view text) {
  if (!impl_->is_actor) return NoActor();
  if (absl::Status status = impl_->unsaved.Begin(impl_->document); !status.ok()) return status;
  if (absl::Status status = impl_->NoteEdits(); !status.ok()) return status;
  return impl_->field.Splice(impl_->unit, at, count, text);
}

bool TextDocument::Commit(std::chrono::system_clock::time_point time) {
  return impl_->field.Commit(
      std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
}

absl::Status TextDocument::Apply(std::string_view changes) {
  if (impl_->document.has_open_edit()) {
    return absl::FailedPreconditionError("edits are not committed");
  }
  if (absl::Status status = impl_->unsaved.Begin(impl_->document); !status.ok()) return status;
  const absl::Status applied = impl_->waiting.Add(changes);
  const absl::Status taken = impl_->NoteEdits();
  return applied.ok() ? taken : applied;
}

std::vector<TextEdit> TextDocument::TakeEdits() { return std::exchange(impl_->edits, {}); }

std::string TextDocument::TakeChanges() { return impl_->unsaved.Take(impl_->document); }

std::string TextDocument::ChangesSince(const std::vector<std::string>& heads) const {
  std::vector<ChangeHash> hashes;
  for (const std::string& head : heads) {
    if (const auto hash = HashOf(head)) hashes.push_back(*hash);
  }
  std::string chunks;
  if (!impl_->document.NeedHistory().ok()) return chunks;
  for (const uint32_t change : impl_->document.changes().Since(hashes)) {
    chunks += impl_->document.ChunkOf(change);
  }
  return chunks;
}

std::vector<std::string> TextDocument::heads() const {
  std::vector<std::string> heads;
  for (const ChangeHash& head : impl_->document.heads()) heads.push_back(head.ToHex());
  return heads;
}

absl::StatusOr<std::string> TextDocument::Save() const { return impl_->document.Save(); }

TextAnchor TextDocument::AnchorAt(uint32_t place) const {
  return impl_->field.AnchorAt(impl_->unit, place);
}
uint32_t TextDocument::PlaceOf(TextAnchor anchor) const {
  return impl_->field.PlaceOf(anchor, impl_->unit);
}

}  // namespace cursorwire
