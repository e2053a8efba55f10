// Room: src/collab/text
#ifndef CURSORWIRE_COLLAB_TEXT_SESSION_H_
#define CURSORWIRE_COLLAB_TEXT_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cursorwire/crdt/text_edit.h"
#include "cursorwire/export.h"

namespace cursorwire::collab {

using cursorwire::OffsetUnit;
using cursorwire::TextAnchor;
using cursorwire::TextEdit;

// The time of a call, of the clock for deadlines and of the one on the wall. Nothing here reads
// clocks by itself.
struct Moment {
  std::chrono::steady_clock::time_point steady{};
  std::chrono::system_clock::time_point wall{};

  static Moment Now() {
    return {std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
  }
};

// So many random bytes, which nobody can guess and nobody else gets.
using RandomBytes = std::function<std::string(size_t count)>;

// Which text, and who we are to others who have it open.
struct TextOptions {
  // The id of a document of automerge-repo, or its URL, "automerge:...". Empty: a new document.
  std::string document{};
  // The key of the document's root with the text. Empty: "content", or "text" where that is there
  // and "content" is not.
  std::string field{};
  OffsetUnit offsets = OffsetUnit::kCodePoints;
  // The start of the ids that others know us by; the rest is random.
  std::string peer_prefix = "peer-";
  // Of our cursor. Empty: "Anonymous".
  std::string name{};
  // "#RRGGBB". Empty: the one that all programs give to this peer and type of cursor.
  std::string color{};
  // For how long a document is waited for that nobody has told of.
  std::chrono::milliseconds open_timeout{10000};
  // The file of this document: what Save() has returned, and after it each TakeUnsaved(). It may be
  // cut short at the end.
  std::string saved{};
};

// Where somebody is in the text. Places are in the units of the options.
struct TextCursor {
  std::string peer_id{};
  std::string name{};
  std::string type = "user";  // user, ai, streaming_edit, or what other programs call it
  uint32_t position = 0;
  std::optional<uint32_t> anchor{};  // the other end of a selection
  std::string color{};
  std::string partial_pattern{};  // of streaming_edit: what is not in the text yet
  std::string operation_type{};   // of ai: insert, replace, delete, regex_edit, or another
  // It stands at a line end, where its line is not clear: draw its selection, but no mark.
  bool hidden = false;

  friend bool operator==(const TextCursor&, const TextCursor&) = default;
};

// --- What happens.

// The server has answered; again after each time that the connection was lost.
struct TextConnected {};
// The text is here, once.
struct TextOpened {};
// Nobody has told of the document in time, or the server does not have it. It may come later.
struct TextUnavailable {};
// Others have changed the text, in these steps: each one's places are those after the one before.
struct TextChanged {
  std::vector<TextEdit> edits{};
};
// Somebody else's cursor is new or is shown in another way, because it or the text has moved.
struct TextCursorChanged {
  TextCursor cursor{};
};
// Nothing came of it for 10 s.
struct TextCursorRemoved {
  std::string peer_id{};
};
// The connection is lost, or could not be made. The text can be edited all the same; others get the
// edits later. `why` is kUnauthenticated or kPermissionDenied where the server refused the login.
struct TextDisconnected {
  absl::Status why{};
  std::chrono::milliseconds delay{};
};
// Changes of others were refused, which the ErrorInfo tells by kProtocol: they may be missing. Or a
// cursor was, or there is no text under the key now. The session goes on.
struct TextProblem {
  absl::Status status{};
};
// The server speaks another protocol, or breaks it: this connection is of no use.
struct TextFailed {
  absl::Status status{};
  uint16_t close_code = 0;  // to close the WebSocket with
  bool is_final = true;     // it speaks another protocol: so it will on the next connection
};
using TextEvent =
    std::variant<TextConnected, TextOpened, TextUnavailable, TextChanged, TextCursorChanged,
                 TextCursorRemoved, TextDisconnected, TextProblem, TextFailed>;

// One text of an Automerge document that others edit at the same time, over a server of
// automerge-repo, with the cursors of all. For hosts that bring a WebSocket and a loop of their
// own: SharedText does it all.
//
// No I/O: OnConnected() when the WebSocket is open, OnMessage() for each binary message, OnClosed()
// when it is gone, and from the start again. After each call of any kind: send what TakeMessage()
// returns, take events until there is none, and call OnDeadline() at deadline(). Thread-compatible.
// Source: docs/collab/automerge-repo.md, docs/collab/presence.md.
class CURSORWIRE_EXPORT TextSession {
 public:
  //   kInvalidArgument    no id of a document
  //   kDataLoss           `saved` is no file of a document
  //   kResourceExhausted  it is over a limit
  static absl::StatusOr<std::unique_ptr<TextSession>> Create(TextOptions options,
                                                             const RandomBytes& random, Moment now);
  ~TextSession();
  TextSession(const TextSession&) = delete;
  TextSession& operator=(const TextSession&) = delete;

  // "automerge:..."
  std::string document_url() const;
  const std::string& peer_id() const;
  // The text is here: a new one at once, a saved one at once.
  bool is_opened() const;
  const std::string& text() const;
  uint32_t length() const;
  // Names of the last changes, which tell whether two have the same document.
  std::vector<std::string> heads() const;

  // The server has told that it has all of our changes.
  bool is_synced() const;

  // Takes `count` units from `at`, which are cut to the text, and puts `text` in their place, as
  // one change of the document. Bytes that are not UTF-8 become U+FFFD.
  //   kFailedPrecondition  it is not open yet, or is no text
  //   kResourceExhausted   over a limit of documents
  absl::Status Replace(uint32_t at, uint32_t count, std::string_view text, Moment now);
  absl::Status Insert(uint32_t at, std::string_view text, Moment now) {
    return Replace(at, 0, text, now);
  }
  // Makes the text this one by few edits, so that what others do at the same time stays. Errors as
  // above.
  absl::Status SetText(std::string_view text, Moment now);

  // The place right in front of a character.
  TextAnchor AnchorAt(uint32_t place) const;
  uint32_t PlaceOf(TextAnchor anchor) const;

  // Shows our cursor to others, and goes on to until the next one. Of `cursor`, type, places,
  // pattern and operation count; and name and color where they are not empty.
  void SetCursor(const TextCursor& cursor, Moment now);
  void SetCursor(uint32_t position, Moment now) { SetCursor({.position = position}, now); }
  // Says no more of it: others forget it after 10 s.
  void StopCursor();

  // The document as a file of Automerge.
  //   kDataLoss  what it was made from is not what it says
  absl::StatusOr<std::string> Save() const;
  // Changes of others wait for those before them: a file that they are in must not give way to
  // Save(), which does not have them.
  bool has_waiting_changes() const;
  // To be appended to such a file: the changes since the last call, of others and our own. Take and
  // write them before the messages, and nothing that others have seen is lost.
  std::string TakeUnsaved();
  // How much of `saved` was whole, to cut the file to; and of that, the Save() that it begins with.
  size_t saved_bytes() const;
  size_t saved_document_bytes() const;

  void OnConnected(Moment now);
  void OnMessage(std::string_view message, Moment now);
  // `delay`, until the next attempt: for TextDisconnected.
  void OnClosed(const absl::Status& why, std::chrono::milliseconds delay);
  std::optional<std::chrono::steady_clock::time_point> deadline() const;
  void OnDeadline(Moment now);
  std::optional<std::string> TakeMessage();
  std::optional<TextEvent> TakeEvent();

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit TextSession(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_COLLAB_TEXT_SESSION_H_
