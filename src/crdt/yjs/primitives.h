#ifndef CURSORWIRE_SRC_CRDT_YJS_PRIMITIVES_H_
#define CURSORWIRE_SRC_CRDT_YJS_PRIMITIVES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "crdt/bytes/byte_reader.h"
#include "crdt/yjs/id.h"

namespace cursorwire::yjs {

// The values that all formats of Yjs are made of, which are those of lib0: docs/collab/yjs.md,
// "Numbers". Strings and buffers are written with crdt::AppendString(), numbers without a sign
// with crdt::AppendUint().

// The highest number that JavaScript holds exactly. Readers of JavaScript refuse higher ones.
constexpr uint64_t kHighestNumber = (uint64_t{1} << 53) - 1;

// Each fails for a number above kHighestNumber, with any sign, and for one that is not in its
// shortest form.
uint64_t TakeNumber(crdt::ByteReader& reader);
int64_t TakeSignedNumber(crdt::ByteReader& reader);
void AppendSignedNumber(std::string& out, int64_t value);

// A length in bytes, and that many bytes of UTF-8. Fails for anything else.
std::string_view TakeText(crdt::ByteReader& reader);

Id TakeId(crdt::ByteReader& reader);
void AppendId(std::string& out, const Id& id);

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_PRIMITIVES_H_
