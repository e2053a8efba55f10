#ifndef CURSORWIRE_BENCH_SHAPE_H_
#define CURSORWIRE_BENCH_SHAPE_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace cursorwire::bench {

enum class ShapeKind {
  kPingPong,  // the client sends a message and waits until it is back
  kPaced,     // the server sends a message each millisecond, in a TLS record of its own
  kFrame,     // a DATA frame for each message, packed into TLS records of 16 KiB
  kRecord,    // a DATA frame and a TLS record for each message
  kBulk,      // as the server's HTTP/2 cuts it
};

// How the messages of one call come. A value.
struct Shape {
  ShapeKind kind;
  const char* name;  // its path is "/" and this
  size_t message_bytes;
  size_t default_messages;
};

inline constexpr std::array<Shape, 5> kShapes{{
    {ShapeKind::kPingPong, "pingpong", 64, 1000},
    {ShapeKind::kPaced, "paced", 64, 200},
    {ShapeKind::kFrame, "frame", 64, 50'000},
    {ShapeKind::kRecord, "record", 64, 10'000},
    {ShapeKind::kBulk, "64k", 65'536, 300},
}};

// nullptr: there is none of that name.
inline const Shape* FindShape(std::string_view name) {
  for (const Shape& shape : kShapes) {
    if (name == shape.name) return &shape;
  }
  return nullptr;
}

// All clients give their streams this window. The messages of a call with small ones must fit, or
// the server's HTTP/2 would pack those that wait for credit in another way than the shape says.
inline constexpr size_t kStreamWindowBytes = size_t{16} * 1024 * 1024;
inline constexpr size_t kMaxMessages = 200'000;

// The request's header that tells the server how many messages are wanted.
inline constexpr char kCountHeader[] = "x-messages";

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SHAPE_H_
