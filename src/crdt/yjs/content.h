#ifndef CURSORWIRE_SRC_CRDT_YJS_CONTENT_H_
#define CURSORWIRE_SRC_CRDT_YJS_CONTENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "crdt/bytes/byte_reader.h"

namespace cursorwire::yjs {

// What an item holds. The numbers are those of the format.
enum class ContentKind : uint8_t {
  kDeleted = 1,
  kJson = 2,
  kBinary = 3,
  kString = 4,
  kEmbed = 5,
  kFormat = 6,
  kType = 7,
  kAny = 8,
  kDocument = 9,
};

// One that counts in the places of a text, where it is not deleted.
constexpr bool IsCountable(ContentKind kind) {
  return kind != ContentKind::kDeleted && kind != ContentKind::kFormat;
}

// A view of content as it stands in an update.
struct Content {
  ContentKind kind = ContentKind::kDeleted;
  uint64_t length = 0;  // in units
  // kString: the text, UTF-8. kJson, kAny: the elements, without their count. kDeleted: nothing.
  // Else as in the format.
  std::string_view bytes{};
};

// Reads what stands behind the info byte and the parent of an item. Fails for a kind that is not
// known, a length of 0, text that is not UTF-8, and `any` that is nested too deeply.
Content TakeContent(crdt::ByteReader& reader, uint8_t kind);
void AppendContent(std::string& out, const Content& content);

// The two sides of a cut after `units`, which is more than 0 and less than the length, of content
// of a kind with a length of its own (kDeleted, kJson, kString, kAny). A surrogate pair that is cut
// becomes U+FFFD on either side, as in all peers: that is why they are strings.
struct ContentHalf {
  uint64_t length = 0;
  std::string bytes{};
};
std::pair<ContentHalf, ContentHalf> CutContent(const Content& content, uint64_t units);

// The first elements of kJson or kAny: at most so many, and so many bytes, but one at least.
Content FirstElements(const Content& content, uint64_t max_units, size_t max_bytes);

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_CONTENT_H_
