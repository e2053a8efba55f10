#ifndef CURSORWIRE_SRC_COLLAB_HELPER_HELPER_SESSION_H_
#define CURSORWIRE_SRC_COLLAB_HELPER_HELPER_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "collab/awareness/relay_session.h"
#include "collab/helper/editor_cursors.h"
#include "collab/helper/helper_line.h"
#include "collab/helper/open_text.h"
#include "collab/repo/repo_session.h"
#include "collab/repo/stored_document.h"
#include "crdt/automerge/saved_document.h"
#include "cursorwire/collab/text_session.h"

namespace cursorwire::collab {

// The two servers of a helper.
enum class HelperPeer : uint8_t { kSync, kRelay };

// What is to be done with their WebSockets. One that is connected is made again when it is lost,
// until kDisconnect.
struct HelperConnect {
  HelperPeer peer = HelperPeer::kSync;
  std::string url{};
};
struct HelperSend {
  HelperPeer peer = HelperPeer::kSync;
  std::string message{};
};
// This connection is of no use.
struct HelperFail {
  uint16_t close_code = 0;  // for the sync server
  absl::Status why{};
};
// Of both, after what was sent.
struct HelperDisconnect {};
// All is done after the end of the input. Connections that are not closed by then are not waited
// for.
struct HelperExit {
  TimePoint end_by{};
};
using HelperCommand =
    std::variant<HelperConnect, HelperSend, HelperFail, HelperDisconnect, HelperExit>;

struct HelperOptions {
  // What places are counted in, in both directions.
  OffsetUnit offsets = OffsetUnit::kCodePoints;
  // Whether the editor is told of sync_status, awareness_status and cursor_removed.
  bool status = false;
  // Whether ws:// may lead to another machine.
  bool allow_plaintext = false;
  RandomBytes random{};
  // Opens where the document of this id is kept; nullptr: nowhere.
  std::function<absl::StatusOr<std::unique_ptr<StoredDocument>>(std::string_view id)> open_stored{};
};

// The helper of an editor plugin: lines of JSON from and to the editor, messages from and to a
// server of documents and a relay of cursors. Each line is done, and its answer written, before the
// next one begins. Source: docs/collab/nvim-helper.md.
//
// No I/O: after each call, do what TakeCommand() returns and write what TakeLine() returns until
// there is none and GoOn() returns false, and call OnDeadline() at deadline(). Thread-compatible.
class HelperSession {
 public:
  // For edits that others do not have yet, at the end and at a `disconnect`.
  static constexpr std::chrono::milliseconds kFlushTime{2000};
  // For the server, where a document is kept here.
  static constexpr std::chrono::milliseconds kStoredWait{2000};

  // Of lines that were not taken: no line of the editor is done while there are more.
  static constexpr size_t kMaxUntakenBytes = size_t{4} * 1024 * 1024;
  // What a line takes besides its bytes.
  static constexpr size_t kLineCost = 256;
  static size_t CostOf(std::string_view line) { return line.size() + kLineCost; }

  explicit HelperSession(HelperOptions options);

  // A line of the editor, without its end. A blank one is nothing.
  void OnLine(std::string line, Moment now);
  // One that is longer than kMaxEditorLineBytes, and was skipped.
  void OnTooLongLine(Moment now);
  // No more lines come: HelperExit follows.
  void OnInputEnd(Moment now);
  // The same, but what waits is dropped.
  void OnStop(Moment now);
  // CostOf() all lines that wait for one before them.
  size_t waiting_bytes() const { return waiting_bytes_; }

  void OnOpened(HelperPeer peer, Moment now);
  void OnMessage(HelperPeer peer, std::string_view message, Moment now);
  // `why` the connection, or the attempt, has ended.
  void OnClosed(HelperPeer peer, const absl::Status& why, Moment now);

  std::optional<TimePoint> deadline() const;
  void OnDeadline(Moment now);

  std::optional<std::string> TakeLine();
  std::optional<HelperCommand> TakeCommand();
  // Does lines of the editor that had to wait until those for it were taken. False: there are none.
  bool GoOn(Moment now);

 private:
  // What is connected between `connect` and `disconnect`.
  struct Connection {
    std::string sync_url;
    std::string user_id;
    RepoSession repo;
    std::optional<RelaySession> relay{};
    bool sync_up = false;      // the server has answered
    absl::Status sync_lost{};  // why the last connection, or attempt to connect, has ended
    bool relay_up = false;
    bool failure_told = false;
    // Why messages of this connection were refused, the last one of each document; "" for those
    // that cannot be read.
    std::map<std::string, absl::Status> refused{};
  };
  // A document of the repo. One that was closed stays until the server has all of it.
  struct KnownDocument {
    DocumentId id;
    std::unique_ptr<StoredDocument> stored{};
    automerge::UnsavedChanges unsaved{};
    bool is_open = true;
  };
  // An `open` that waits for the document.
  struct Opening {
    DocumentId id;
    std::string given_id;  // as the editor wrote it
    std::optional<TimePoint> use_stored_at{};
  };
  // A `disconnect`, or the end, that waits for the server to have all edits.
  struct Flushing {
    TimePoint deadline{};
    bool is_end = false;
  };

  void Work(Moment now);
  bool CanDoLine() const;
  void DoLines(Moment now);
  void Do(const ConnectLine& line, Moment now);
  void Do(const DisconnectLine& line, Moment now);
  void Do(const CreateLine& line, Moment now);
  void Do(const OpenLine& line, Moment now);
  void Do(const EditLine& line, Moment now);
  void Do(const CloseLine& line, Moment now);
  void Do(const CursorLine& line, Moment now);
  void Do(const SetNameLine& line, Moment now);
  void Do(const SetColorLine& line, Moment now);
  void Do(const InfoLine& line, Moment now);

  bool CheckUrls(const ConnectLine& line);
  void Flush(bool is_end, Moment now);
  void FinishFlush(Moment now);
  // --- documents
  absl::Status Follow(const DocumentId& id, const RepoSession::Fill& fill, Moment now);
  absl::Status Fill(KnownDocument& known, automerge::Document& document,
                    automerge::WaitingChanges& waiting) const;
  void FinishOpen(Moment now);
  void FailOpen(std::string message, std::string_view code);
  absl::Status ShowText(const DocumentId& id, Moment now);
  void CloseText(Moment now);
  void Forget(const DocumentId& id);
  void StoreAll();
  bool IsAllSynced();
  void ForgetSynced();
  // --- what the servers say
  void CollectRepo(Moment now);
  void On(const RepoConnected& event, Moment now);
  void On(const DocumentOpened& event, Moment now);
  void On(const DocumentUnavailable& event, Moment now);
  void On(const DocumentChanged& event, Moment now);
  void On(const EphemeralReceived& event, Moment now);
  void On(const MessageRefused& event, Moment now);
  void On(const SessionFailed& event, Moment now);
  void CollectRelay();
  void TakeText(Moment now);
  void SendSelection(Moment now);
  void TellText(Moment now);

  // --- lines to the editor
  void AddLine(std::string line);
  void Tell(std::string_view type);
  void TellError(const LineError& error);
  const absl::Status* RefusedOf(const DocumentId& id) const;
  void TellStatus(std::string_view type, bool connected);
  void TellCursor(const EditorCursor& cursor);

  const HelperOptions options_;
  const crdt::Unit unit_;
  std::string name_;
  std::string color_;
  std::optional<Connection> connection_;
  std::map<std::string, KnownDocument> documents_;  // by id
  std::optional<OpenText> text_;
  std::string given_id_;  // of `text_`
  bool is_text_ = true;
  EditorCursors cursors_;
  // Ours: the characters right of its places.
  struct OwnCursor {
    automerge::OpId anchor{};
    std::optional<automerge::OpId> head{};
  };
  std::optional<OwnCursor> own_cursor_;

  // Only one of them, while lines wait.
  std::optional<Opening> opening_;
  std::optional<Flushing> flushing_;
  std::deque<std::variant<std::string, LineError>> waiting_;
  size_t waiting_bytes_ = 0;
  bool input_ended_ = false;
  bool exited_ = false;
  std::deque<std::string> lines_;
  size_t untaken_bytes_ = 0;
  std::deque<HelperCommand> commands_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_HELPER_HELPER_SESSION_H_
