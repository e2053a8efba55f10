// Room: values
#ifndef CURSORWIRE_COLLAB_ROOM_EVENT_H_
#define CURSORWIRE_COLLAB_ROOM_EVENT_H_

#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <variant>

namespace cursorwire::collab {

// What happens to an agent in a room of Open Collaboration Tools. Values. Lines are 1-based, of the
// whole file at that moment. Texts are UTF-8; those of peers, of the server and of the model may
// hold any characters but those of which is said that they are printable.

// Somebody has to open this page and log in.
struct RoomLoginAsked {
  std::string url{};
};
// Why it takes longer, in a word of the server such as WaitingForHost, or ConnectionLost.
// Printable.
struct RoomStatus {
  std::string code{};
  std::string message{};
};
struct RoomJoined {
  std::string room{};
  std::string peer_id{};    // ours
  std::string name{};       // as the server calls us: the agent listens to "@" and this
  std::string host_name{};  // who shares the files
};
// The host looks at this file now.
struct RoomFileActive {
  std::string path{};
};
// Somebody has written a prompt; the first event of each. It comes a second time, with the same id,
// if the prompt has become another one while it waited.
struct RoomPrompt {
  uint64_t id = 0;
  std::string path{};
  uint32_t line = 0;
  std::string text{};
};
struct RoomToolCalled {
  uint64_t id = 0;     // of the prompt
  std::string name{};  // printable
  bool ok = true;
};
// `lines` lines stand now where start_line to end_line stood. After an insert end_line is
// start_line - 1.
struct RoomEdited {
  uint64_t id = 0;
  uint32_t start_line = 0;
  uint32_t end_line = 0;
  uint32_t lines = 0;
};
// A prompt that was not run, for which it is the end; or a part of an answer.
struct RoomSkipped {
  uint64_t id = 0;
  std::string reason{};
};
// Words of the model.
struct RoomMessage {
  uint64_t id = 0;
  std::string text{};
};
// Each run ends with one of these two.
struct RoomDone {
  uint64_t id = 0;
  uint32_t edits = 0;  // the removal of a prompt is none
  uint32_t calls = 0;  // of tools
};
struct RoomFailed {
  uint64_t id = 0;
  absl::Status status{};
};
// Something was not taken, or not sent; the agent goes on.
struct RoomWarning {
  absl::Status status{};
};
// The last event, always.
//   OK                  we have left, or the host has closed the room
//   kUnauthenticated,
//   kPermissionDenied   the server refuses who we are
//   kUnavailable        no server, no such room, the host refuses us, or the connection was lost
//   for
//                       longer than the room keeps a place
//   kDeadlineExceeded   nobody has logged in in time
//   kInternal, kFailedPrecondition
//                       the server or the host breaks the protocol, or speaks another version
struct RoomEnded {
  absl::Status status{};
  std::string reason{};  // of the end, if it is OK
};

using RoomEvent = std::variant<RoomLoginAsked, RoomStatus, RoomJoined, RoomFileActive, RoomPrompt,
                               RoomToolCalled, RoomEdited, RoomSkipped, RoomMessage, RoomDone,
                               RoomFailed, RoomWarning, RoomEnded>;

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_COLLAB_ROOM_EVENT_H_
