// Room: src/collab/live
#ifndef CURSORWIRE_COLLAB_SHARED_TEXT_H_
#define CURSORWIRE_COLLAB_SHARED_TEXT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/collab/text_session.h"
#include "cursorwire/connect/tls_options.h"
#include "cursorwire/export.h"

namespace cursorwire::collab {

struct SharedTextOptions {
  // The server of documents: "wss://HOST/..." or, on this machine, "ws://...".
  std::string url{};
  TextOptions text{};
  // For wss://.
  connect::TlsOptions tls{};
  // Whether ws:// may go to another machine, where others can read and change all.
  bool allow_plaintext = false;
  // A folder, made if it is missing, where the document is kept as a file of Automerge named
  // <id>.automerge, with mode 0600: it is there at once at the next start, and edits are written
  // before they are sent. Empty: nothing is written.
  std::string storage_folder{};
  // Called when TakeEvent() has something to do: on a thread of the text, or in Wake(). For hosts
  // with a loop of their own, which it must wake; it must not call the text itself, nor destroy it:
  // the destructor waits for that thread.
  std::function<void()> on_ready{};
};

// One text of an Automerge document that others edit at the same time, over a server of
// automerge-repo, with the cursors of all: TextSession with a WebSocket, which is made again
// whenever it is lost.
//
// A thread of its own moves the bytes; the text changes within calls alone. So between two of them
// it stays as it is, and places are those of text(). Either call Next() in a loop, or TakeEvent()
// until it returns nothing: after Open(), and then each time after `on_ready` was called. Without
// such calls, nothing is exchanged but what edits send at once.
//
// Thread-compatible. The destructor calls Close().
class CURSORWIRE_EXPORT SharedText {
 public:
  // Returns at once: TextOpened tells when the text is here.
  //   kInvalidArgument   no URL or id; certificates that do not parse; plain ws:// to another
  //   machine kUnavailable       the system starts no more threads kFailedPrecondition,
  //   kResourceExhausted, kDataLoss  the file in the folder cannot be used, or another process has
  //   it open; the message says which
  static absl::StatusOr<std::unique_ptr<SharedText>> Open(SharedTextOptions options);
  ~SharedText();
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  // nullopt: nothing has happened, or Wake() was called meanwhile; call it again after `on_ready`.
  std::optional<TextEvent> TakeEvent();
  // Waits for the next event; nullopt: none came in time. Messages that are no event are taken on
  // the way, at least one of those that have come, and no more once the time is over.
  std::optional<TextEvent> Next(std::chrono::milliseconds timeout);
  // Makes a Next() that waits, or goes through messages that are no event, return nullopt, or a
  // later one. Thread-safe.
  void Wake();

  // As of TextSession.
  std::string document_url() const;
  const std::string& peer_id() const;
  bool is_opened() const;
  // The server has answered, and the connection is up.
  bool is_connected() const;
  const std::string& text() const;
  uint32_t length() const;
  std::vector<std::string> heads() const;
  absl::Status Replace(uint32_t at, uint32_t count, std::string_view text);
  absl::Status Insert(uint32_t at, std::string_view text) { return Replace(at, 0, text); }
  absl::Status SetText(std::string_view text);
  TextAnchor AnchorAt(uint32_t place) const;
  uint32_t PlaceOf(TextAnchor anchor) const;
  void SetCursor(const TextCursor& cursor);
  void SetCursor(uint32_t position) { SetCursor({.position = position}); }
  void StopCursor();
  absl::StatusOr<std::string> Save() const;
  bool is_synced() const;

  // Sends what is not sent yet, where there is a connection, waits for the server to have it for at
  // most `timeout`, and closes the connection. Nothing happens afterwards. A second call does
  // nothing.
  void Close(std::chrono::milliseconds timeout = std::chrono::seconds(2));

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit SharedText(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_COLLAB_SHARED_TEXT_H_
