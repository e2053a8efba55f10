#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "crdt/yjs/document.h"
#include "crdt/yjs/update.h"
#include "support/heap_bytes.h"

namespace cursorwire::yjs {
namespace {

// A client writes a letter at the start of "t".
std::string LetterOf(uint64_t client) {
  Struct item{.id = {client, 0},
              .length = 1,
              .content = {.kind = ContentKind::kString, .length = 1, .bytes = "a"}};
  item.parent = RootName{.name = "t"};
  return WriteUpdate({.clients = {{.client = client, .structs = {item}}}});
}

TEST(WaitingMemory, ClientsOfWhatIsDroppedTakeNone) {
  DocumentLimits limits{.scan = {.saved = 1, .of_update = 0, .of_byte = 0}};
  limits.pending.max_structs = 500;
  Document document(
      99, [] { return uint64_t{98}; }, limits);
  ASSERT_TRUE(document.Apply(LetterOf(100)).ok());
  uint64_t client = 1000;
  const auto apply_many = [&](int count) {
    for (int i = 0; i < count; ++i) (void)document.Apply(LetterOf(client++));
  };
  apply_many(3000);
  const size_t before = test::HeapBytes();
  apply_many(20'000);
  EXPECT_LT(test::HeapBytes(), before + 100'000);
  EXPECT_EQ(document.size("t").utf16, 2U) << "all but one wait";
}

}  // namespace
}  // namespace cursorwire::yjs
