// Room: src/crdt/automerge
#ifndef CURSORWIRE_CRDT_TEXT_DOCUMENT_H_
#define CURSORWIRE_CRDT_TEXT_DOCUMENT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/crdt/text_edit.h"
#include "cursorwire/export.h"

namespace cursorwire {

struct TextDocumentOptions {
  // 16 random bytes as a rule, 1 to 255, never used before, also not by this program: two with one
  // actor break a document for everyone.
  std::string actor{};
  // The key of the document's root that has the text.
  std::string field = "content";
  OffsetUnit offsets = OffsetUnit::kCodePoints;
};

// A text that several people write at once, without a network: an Automerge document with the text
// under one key of its root. Changes travel as bytes, in any order and any number of times, and all
// who have the same ones have the same text; other Automerge programs read and write them too.
// collab::SharedText brings them to others over a server.
//
// No I/O, clock or random number. Thread-compatible. Source: docs/collab/automerge.md.
class CURSORWIRE_EXPORT TextDocument {
 public:
  // Without text, and without a change: the first edit makes it. With an actor of another length it
  // takes the changes of others, and no edit.
  static std::unique_ptr<TextDocument> Create(const TextDocumentOptions& options);
  // What Save() returned, or any Automerge file, with what TakeChanges() returned appended. A last
  // chunk that is cut short, where a program ended while it wrote, is left out; nothing at all is
  // an empty document.
  //   kDataLoss, kInvalidArgument  it is none, or is damaged, or has no whole chunk
  //   kInvalidArgument             the actor is none
  //   kFailedPrecondition          it has something else than a text under that key
  //   kResourceExhausted           it is over a limit: docs/limits.md, "Shared documents"
  static absl::StatusOr<std::unique_ptr<TextDocument>> Load(std::string_view file,
                                                            const TextDocumentOptions& options);
  ~TextDocument();
  TextDocument(const TextDocument&) = delete;
  TextDocument& operator=(const TextDocument&) = delete;

  const std::string& text() const;
  uint32_t length() const;

  // Takes `count` units from `at`, which are cut to the text, and puts `text` in their place. Bytes
  // that are not UTF-8 become U+FFFD. Becomes a change with Commit().
  //   kInvalidArgument     the actor is none
  //   kFailedPrecondition  there is something else than a text now
  //   kResourceExhausted   over a limit
  absl::Status Replace(uint32_t at, uint32_t count, std::string_view text);
  absl::Status Insert(uint32_t at, std::string_view text) { return Replace(at, 0, text); }
  // Makes one change of the edits since the last one, with this time in it; several of what is over
  // the limits of a change. False: there were none.
  bool Commit(std::chrono::system_clock::time_point time);

  // Takes changes of others, or whole documents, one or several after each other. Those that depend
  // on others that are not here yet wait for them. Edits are committed first.
  //   kDataLoss, kInvalidArgument  bytes that are no changes; those before them are taken
  //   kResourceExhausted           over a limit
  //   kFailedPrecondition          edits are not committed
  absl::Status Apply(std::string_view changes);
  // What became of the text by Apply(), step by step, since the last call.
  std::vector<TextEdit> TakeEdits();

  // The changes since the last call, our own and those of others, to be appended to a file or sent.
  std::string TakeChanges();
  // Changes that who has these does not have: the names of theirs, as of heads(). Those that are
  // not known here do not count.
  std::string ChangesSince(const std::vector<std::string>& heads) const;
  // Names of the last changes, 64 hexadecimal digits each: two documents with the same ones are the
  // same.
  std::vector<std::string> heads() const;
  // The document as a file.
  //   kFailedPrecondition  edits are not committed
  absl::StatusOr<std::string> Save() const;

  // The place right in front of a character.
  TextAnchor AnchorAt(uint32_t place) const;
  uint32_t PlaceOf(TextAnchor anchor) const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit TextDocument(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CRDT_TEXT_DOCUMENT_H_
