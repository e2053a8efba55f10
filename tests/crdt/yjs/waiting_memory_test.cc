#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "crdt/yjs/document.h"
#include "crdt/yjs/item_store.h"
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

// An item of one client at the start of "t", and deletes of each `step`th of its units.
std::string ItemOf(const Content& content) {
  Struct item{.id = {100, 0}, .length = content.length, .content = content};
  item.parent = RootName{.name = "t"};
  return WriteUpdate({.clients = {{.client = 100, .structs = {item}}}});
}
std::string DeletesOfEach(uint64_t step, uint64_t units) {
  ClientDeletes deletes{.client = 100};
  for (uint64_t clock = 0; clock < units; clock += step) {
    deletes.ranges.push_back({.clock = clock, .length = 1});
  }
  return WriteUpdate({.deletes = {deletes}});
}

// docs/limits.md: about 200 bytes for an item.
TEST(ItemMemory, PiecesKeepNothingOfTheWhole) {
  constexpr uint64_t kUnits = 200'000;
  const std::string bytes(kUnits, 0x7f);  // in `any`: undefined
  const std::string text(kUnits, 'a');
  for (const ContentKind kind : {ContentKind::kAny, ContentKind::kString}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Document document(99, [] { return uint64_t{98}; });
    const bool is_text = kind == ContentKind::kString;
    const Content content{.kind = kind, .length = kUnits, .bytes = is_text ? text : bytes};
    ASSERT_TRUE(document.Apply(ItemOf(content)).ok());
    const size_t before = test::HeapBytes();
    ASSERT_TRUE(document.Apply(DeletesOfEach(20, kUnits)).ok());
    constexpr size_t kPieces = 2 * kUnits / 20;
    EXPECT_LT(test::HeapBytes(), before + kPieces * 400);
  }
}

TEST(ItemMemory, ElementsAreSeveralItems) {
  const std::string bytes(2000, 0x7f);
  const Content content{.kind = ContentKind::kAny, .length = bytes.size(), .bytes = bytes};
  for (const uint32_t key : {kNone, uint32_t{0}}) {
    SCOPED_TRACE(key);
    ItemStore store;
    const uint32_t list = store.RootOf("t");
    ItemStore::NewItem made{.client = store.ClientOf(1), .list = list, .content = content};
    if (key != kNone) made.key = store.KeyOf("k");
    store.Insert(made, kNone);
    const ItemStore::Client& client = store.clients()[0];
    EXPECT_EQ(client.next_clock, bytes.size());
    EXPECT_EQ(client.items.size(), 4U);
    for (const auto& [clock, index] : client.items) {
      EXPECT_LE(store.item(index).length, ItemStore::kMaxElements);
      EXPECT_EQ(store.item(index).bytes.size(), store.item(index).length);
    }
  }
}

TEST(ItemMemory, WhatIsWrittenIsOneAgain) {
  const std::string bytes(2000, 0x7f);
  const Content content{.kind = ContentKind::kAny, .length = bytes.size(), .bytes = bytes};
  Document document(99, [] { return uint64_t{98}; });
  ASSERT_TRUE(document.Apply(ItemOf(content)).ok());
  EXPECT_EQ(document.EncodeState(), ItemOf(content));
}

}  // namespace
}  // namespace cursorwire::yjs
