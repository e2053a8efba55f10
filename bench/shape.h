#ifndef CURSORWIRE_BENCH_SHAPE_H_
#define CURSORWIRE_BENCH_SHAPE_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace cursorwire::bench {

enum class ShapeKind {
  kPingPong,  // the client sends a message and waits for its echo
  kPaced,     // the server sends a message every millisecond, each in its own TLS record
  kFrame,     // one DATA frame per message, packed into TLS records of 16 KiB
  kRecord,    // one DATA frame and one TLS record per message
  kBulk,      // as the server's HTTP/2 implementation cuts it
  kIdle,      // one message, and then nothing: the call stays open
};

// How the messages of one call are sent. A value.
struct Shape {
  ShapeKind kind;
  const char* name;
  size_t message_bytes;
  size_t default_messages;
};

inline constexpr std::array<Shape, 6> kShapes{{
    {ShapeKind::kPingPong, "pingpong", 64, 1000},
    {ShapeKind::kPaced, "paced", 64, 200},
    {ShapeKind::kFrame, "frame", 64, 50'000},
    {ShapeKind::kRecord, "record", 64, 10'000},
    {ShapeKind::kBulk, "64k", 65'536, 300},
    {ShapeKind::kIdle, "idle", 64, 1},
}};

// nullptr: no shape has that name.
inline const Shape* FindShape(std::string_view name) {
  for (const Shape& shape : kShapes) {
    if (name == shape.name) return &shape;
  }
  return nullptr;
}

// The stream window of all clients. All messages of a call with small ones must fit, since the
// server's HTTP/2 would pack messages that wait for credit differently from what the shape says.
inline constexpr size_t kStreamWindowBytes = size_t{16} * 1024 * 1024;
inline constexpr size_t kMaxMessages = 200'000;

inline constexpr size_t kMinMessageBytes = 16;
inline constexpr size_t kMaxMessageBytes = size_t{16} * 1024 * 1024;

// Request headers that tell the server what to send, whatever the path: the name of a shape, how
// many messages, and of how many bytes each.
inline constexpr char kShapeHeader[] = "x-shape";
inline constexpr char kCountHeader[] = "x-messages";
inline constexpr char kBytesHeader[] = "x-bytes";
// A turn of the agent has no such headers: its prompt is this word, then the three values, with
// blanks between and a line end after them.
inline constexpr char kPromptWord[] = "stream-bench";
// Where a turn is asked for; calls without a method of their own use it too.
inline constexpr char kRunPath[] = "/agent.v1.AgentService/Run";

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SHAPE_H_
