#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "crdt/bytes/byte_writer.h"
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

// An item of client 100, in a map of an item of client 7.
std::string ItemInMap(uint64_t clock, const std::string& key) {
  Struct item{.id = {100, clock},
              .length = 1,
              .content = {.kind = ContentKind::kAny, .length = 1, .bytes = "\x7f"}};
  item.parent = Id{7, 0};
  item.key = key;
  return WriteUpdate({.clients = {{.client = 100, .clock = clock, .structs = {item}}}});
}

TEST(ItemMemory, KeysOfWhatIsGoneTakeNone) {
  Document document(99, [] { return uint64_t{98}; });
  Struct gone{.kind = StructKind::kGarbage, .id = {7, 0}, .length = 1};
  ASSERT_TRUE(document.Apply(WriteUpdate({.clients = {{.client = 7, .structs = {gone}}}})).ok());
  ASSERT_TRUE(document.Apply(ItemInMap(0, "first")).ok());
  const size_t before = test::HeapBytes();
  for (uint64_t i = 1; i <= 200; ++i) {
    ASSERT_TRUE(document.Apply(ItemInMap(i, std::to_string(i) + std::string(1000, 'k'))).ok());
  }
  EXPECT_LT(test::HeapBytes(), before + 20'000);
}

TEST(ItemMemory, NamesCount) {
  DocumentLimits limits;
  limits.max_name_bytes = 100'000;
  Document document(
      99, [] { return uint64_t{98}; }, limits);
  absl::Status status;
  for (uint64_t i = 0; i < 200 && status.ok(); ++i) {
    Struct item{.id = {100, i},
                .length = 1,
                .content = {.kind = ContentKind::kString, .length = 1, .bytes = "a"}};
    const std::string name = std::to_string(i) + std::string(1000, 'r');
    item.parent = RootName{.name = name};
    status =
        document.Apply(WriteUpdate({.clients = {{.client = 100, .clock = i, .structs = {item}}}}))
            .status();
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

TEST(ItemMemory, OwnNamesTakeNoRoomFromUpdatesWithoutNewOnes) {
  DocumentLimits limits;
  limits.max_name_bytes = 1'000;
  Document document(
      99, [] { return uint64_t{98}; }, limits);
  Struct item{.id = {100, 0},
              .length = 1,
              .parent = RootName{.name = "t"},
              .content = {.kind = ContentKind::kString, .length = 1, .bytes = "a"}};
  const auto apply = [&document](const Struct& one) {
    return document
        .Apply(WriteUpdate({.clients = {{.client = 100, .clock = one.id.clock, .structs = {one}}}}))
        .status();
  };
  ASSERT_TRUE(apply(item).ok());
  document.Watch(std::string(2'000, 'w'));
  item.id.clock = 1;
  EXPECT_TRUE(apply(item).ok());
  item.id.clock = 2;
  item.parent = RootName{.name = "another"};
  EXPECT_EQ(apply(item).code(), absl::StatusCode::kResourceExhausted);
}

TEST(ItemMemory, ListsOfDeletedTypesAreUsedAgain) {
  ItemStore store;
  const uint32_t client = store.ClientOf(1);
  const Content type{.kind = ContentKind::kType, .length = 1, .bytes = "\1"};
  uint32_t list = kNone;
  for (uint64_t clock = 0; clock < 10; ++clock) {
    const ItemIndex index =
        store.Insert({.client = client, .list = store.RootOf("t"), .content = type}, kNone);
    if (list == kNone) list = store.item(index).inner;
    EXPECT_EQ(store.item(index).inner, list);
    store.Delete(index);
    EXPECT_EQ(store.item(index).inner, kNone);
  }
}

TEST(ItemMemory, EmptyEntriesOfAnUpdateCount) {
  const auto status = [](uint64_t clients, uint64_t deletes) {
    std::string update;
    crdt::AppendUint(update, clients);
    for (uint64_t i = 0; i < clients; ++i) update += std::string("\0\1\0", 3);
    crdt::AppendUint(update, deletes);
    for (uint64_t i = 0; i < deletes; ++i) update += std::string("\1\0", 2);
    return ReadUpdate(update).status().code();
  };
  EXPECT_EQ(status(1000, 1000), absl::StatusCode::kOk);
  EXPECT_EQ(status(kMaxStructs + 1, 0), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status(0, kMaxDeletedRanges + 1), absl::StatusCode::kResourceExhausted);
}

// Bytes that were few on their way buy no more steps than are saved.
TEST(WaitingMemory, AnUpdateBringsAtMostAsManyStepsAsAreSaved) {
  const std::string text(5000, 'x');
  Update update;
  Struct filler{.id = {5000, 0},
                .length = text.size(),
                .content = {.kind = ContentKind::kString, .length = text.size(), .bytes = text}};
  filler.parent = RootName{.name = "other"};
  update.clients.push_back({.client = 5000, .structs = {filler}});
  for (uint64_t client = 1300; client > 1000; --client) {
    Struct letter{.id = {client, 0},
                  .length = 1,
                  .content = {.kind = ContentKind::kString, .length = 1, .bytes = "a"}};
    letter.parent = RootName{.name = "t"};
    update.clients.push_back({.client = client, .structs = {letter}});
  }
  const auto status = [&update](uint64_t saved) {
    Document document(99, [] { return uint64_t{98}; },
                      {.scan = {.saved = saved, .of_update = 0, .of_byte = 1}});
    return document.Apply(WriteUpdate(update)).status();
  };
  EXPECT_EQ(status(50).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(status(5000).ok());
}

}  // namespace
}  // namespace cursorwire::yjs
