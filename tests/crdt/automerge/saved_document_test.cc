#include "crdt/automerge/saved_document.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/text/text_size.h"
#include "support/status_matchers.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

constexpr size_t kTypeOfChunkAt = 8;

// A document that was loaded.
struct LoadedFile {
  LoadedFile() : document("reader"), waiting(document) {}
  absl::StatusOr<SavedSize> Load(std::string_view bytes) {
    return LoadSaved(bytes, document, waiting);
  }
  std::string Text() const {
    const auto value = document.Get("content");
    return value ? document.FindSequence(value->id)->Text() : "none";
  }
  Document document;
  WaitingChanges waiting;
};

void TypeInto(Document& document, uint32_t at, std::string_view text) {
  if (!document.Get("content")) {
    ASSERT_THAT(document.MakeText("content"), IsOk());
  }
  ASSERT_THAT(document.Splice(document.Get("content")->id, crdt::Unit::kCodePoints, at, 0, text),
              IsOk());
  document.Commit(1);
}

// A document chunk and two changes after it, with where each begins and the last one ends.
struct ThreeChunks {
  explicit ThreeChunks(bool begins_with_document) {
    TypeInto(document, 0, "some text that is long enough");
    const auto add = [this](const std::string& chunk) {
      bytes += chunk;
      borders.push_back(bytes.size());
      heads.push_back(document.heads());
    };
    add(begins_with_document ? *document.Save() : document.ChunkOf(0));
    TypeInto(document, 0, "one ");
    add(document.ChunkOf(1));
    TypeInto(document, 4, "two ");
    add(document.ChunkOf(2));
  }
  // How many are whole within so many bytes.
  size_t WholeIn(size_t size) const {
    size_t whole = 0;
    while (whole < 3 && borders[whole + 1] <= size) ++whole;
    return whole;
  }
  Document document{"writer"};
  std::string bytes;
  std::vector<size_t> borders{0};
  std::vector<std::vector<automerge::ChangeHash>> heads{{}};
};

TEST(LoadSaved, NothingIsAnEmptyDocument) {
  LoadedFile loaded;
  const absl::StatusOr<SavedSize> size = loaded.Load("");
  ASSERT_THAT(size, IsOk());
  EXPECT_EQ(size->whole, 0u);
  EXPECT_EQ(size->document, 0u);
  EXPECT_TRUE(loaded.document.heads().empty());
}

// Saved by npm automerge 3.5.0: "Hello", then in one change a mark over it and more text after
// that.
constexpr std::string_view kMarkThenText =
    "856f4a8343abe56e00da01011068f50a6f894fb9b9c273651b805b0e3b0135c05f81afb8b1047d7c2cdf850f6b"
    "dfb4397c98caeef66385136a9c2212c2420701020302130323074003430256020d010402041104130c150b2102"
    "230a3402420956095716800102a5010a020002017e06137ee4eea7d806017e00017f0002070001180000011801"
    "00031600000102007f0204017f0210017f07636f6e74656e74001819007d01067b04017f02110101187e040705"
    "017f0711017e000205167f00111648656c6c6f20776f726c642c20616c6c206f66206974190000017f04626f6c"
    "64001701";
// The same with a block in place of the mark.
constexpr std::string_view kBlockThenText =
    "856f4a838055226a00eb010110bd7ca4b1a6a612fed4e1e7219cb80d0101124df9a964d941b9217fccda97aca5"
    "e9eab9181d3f2ca4e416dea1e461c2cfae0701020302130323074003430256020c010402081106130f15212102"
    "230a3404420d560c570c800102020002017e060b7ee5eea7d806007e00017f0002070001100000010c0103077f"
    "0a00020b00000400017e000205017f05040100037f707f07636f6e74656e74000c7d0561747472730770617265"
    "6e747304747970650001110007017f0505017f770301010c03017f0405017f0006017c000204017f0005167f00"
    "061603007f1648656c6c6f20776f726c6470110001";

// The actor and counters of the text go on from those of the mark.
TEST(LoadSaved, TextAfterAMarkIsShownBeforeItsHistoryIsMade) {
  for (const std::string_view hex : {kMarkThenText, kBlockThenText}) {
    LoadedFile loaded;
    ASSERT_THAT(loaded.Load(absl::HexStringToBytes(ToAbsl(hex))), IsOk());
    const std::string shown = loaded.Text();
    EXPECT_THAT(shown, HasSubstr(" world"));
    ASSERT_THAT(loaded.document.NeedHistory(), IsOk());
    EXPECT_EQ(loaded.Text(), shown);
  }
}

TEST(LoadSaved, CutAtEveryByteLoadsWhatIsWholeAndSaysWhereThatEnds) {
  for (const bool begins_with_document : {true, false}) {
    const ThreeChunks chunks(begins_with_document);
    for (size_t cut = 0; cut <= chunks.bytes.size(); ++cut) {
      SCOPED_TRACE(absl::StrCat(cut, " of ", chunks.bytes.size()));
      LoadedFile loaded;
      const absl::StatusOr<SavedSize> size = loaded.Load(chunks.bytes.substr(0, cut));
      const size_t whole = chunks.WholeIn(cut);
      if (begins_with_document && cut > kTypeOfChunkAt && whole == 0) {
        // It was never written bit by bit.
        EXPECT_THAT(size, StatusIs(StatusCode::kDataLoss));
        continue;
      }
      ASSERT_THAT(size, IsOk());
      EXPECT_EQ(size->whole, chunks.borders[whole]);
      EXPECT_EQ(size->document, begins_with_document && whole > 0 ? chunks.borders[1] : 0);
      EXPECT_EQ(loaded.document.heads(), chunks.heads[whole]);
    }
  }
}

TEST(LoadSaved, ZerosInPlaceOfTheEndAreNotWhole) {
  for (const bool begins_with_document : {true, false}) {
    const ThreeChunks chunks(begins_with_document);
    for (size_t cut = chunks.borders[1]; cut <= chunks.bytes.size(); ++cut) {
      SCOPED_TRACE(absl::StrCat(cut, " of ", chunks.bytes.size()));
      LoadedFile loaded;
      const absl::StatusOr<SavedSize> size =
          loaded.Load(chunks.bytes.substr(0, cut) + std::string(5000, '\0'));
      ASSERT_THAT(size, IsOk());
      const size_t whole = chunks.WholeIn(cut);
      // The last byte of a chunk may be a zero.
      EXPECT_GE(size->whole, chunks.borders[whole]);
      EXPECT_LE(size->whole, chunks.borders[std::min<size_t>(whole + 1, 3)]);
    }
  }
}

// All but the length, which may as well say that the rest is cut.
TEST(LoadSaved, AWrongByteBeforeTheLastChunkIsAnErrorThatSaysWhere) {
  constexpr size_t kLengthAt = 9;
  for (const bool begins_with_document : {true, false}) {
    const ThreeChunks chunks(begins_with_document);
    for (size_t chunk = 0; chunk < 2; ++chunk) {
      for (size_t at = chunks.borders[chunk]; at < chunks.borders[chunk + 1]; ++at) {
        const size_t in_chunk = at - chunks.borders[chunk];
        if (in_chunk == kLengthAt || in_chunk == kLengthAt + 1) continue;
        SCOPED_TRACE(absl::StrCat(at, " of chunk ", chunk));
        for (const int bit : {0, 3, 7}) {
          std::string bytes = chunks.bytes;
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
          LoadedFile loaded;
          const absl::StatusOr<SavedSize> size = loaded.Load(bytes);
          ASSERT_FALSE(size.ok());
          EXPECT_THAT(std::string(size.status().message()),
                      HasSubstr(absl::StrCat("at byte ", chunks.borders[chunk], ":")));
        }
      }
    }
  }
}

// Else what follows would be taken for a torn rest, and be cut off.
TEST(LoadSaved, AWrongLengthBeforeTheLastChunkIsAnErrorToo) {
  constexpr size_t kLengthAt = 9;
  const ThreeChunks chunks(false);
  for (const char length : {'\x00', '\x01', '\x7f', '\xff'}) {
    SCOPED_TRACE(static_cast<int>(length));
    std::string bytes = chunks.bytes;
    // One byte long, so that only the number is wrong.
    ASSERT_LT(chunks.borders[1], 128u + 10);
    bytes[kLengthAt] = length;
    LoadedFile loaded;
    EXPECT_THAT(loaded.Load(bytes), testing::Not(IsOk()));
  }
}

TEST(LoadSaved, ADocumentIsNoMoreThanItsHeadsSay) {
  ThreeChunks chunks(true);
  EXPECT_THAT(LoadedFile().Load("something else"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(LoadedFile().Load(chunks.bytes + "something else"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr(absl::StrCat("at byte ", chunks.bytes.size(), ":"))));
}

// A file of another program: in any order, doubled, with a document in between.
TEST(LoadSaved, TakesChunksInAnyOrderAndDoubles) {
  const ThreeChunks chunks(false);
  const auto chunk = [&chunks](uint32_t i) { return chunks.document.ChunkOf(i); };
  const std::string document = *chunks.document.Save();
  for (const std::string& bytes :
       {chunk(2) + chunk(1) + chunk(0), chunk(0) + chunk(0) + chunk(2) + chunk(1) + chunk(1),
        chunk(1) + document, document + chunk(0) + chunk(2), document + document,
        chunk(0) + document + chunk(2)}) {
    LoadedFile loaded;
    const absl::StatusOr<SavedSize> size = loaded.Load(bytes);
    ASSERT_THAT(size, IsOk());
    EXPECT_EQ(size->whole, bytes.size());
    ASSERT_THAT(loaded.document.NeedHistory(), IsOk());
    EXPECT_EQ(loaded.document.heads(), chunks.document.heads());
    EXPECT_EQ(loaded.Text(), "one two some text that is long enough");
    EXPECT_EQ(loaded.waiting.size(), 0u);
  }
}

TEST(LoadSaved, AnEmptyDocumentOfAnotherProgramIsOne) {
  constexpr std::string_view kEmpty("\x85\x6f\x4a\x83\xb8\x1a\x95\x44\x00\x04\x00\x00\x00\x00", 14);
  LoadedFile loaded;
  const absl::StatusOr<SavedSize> size = loaded.Load(kEmpty);
  ASSERT_THAT(size, IsOk());
  EXPECT_EQ(size->whole, kEmpty.size());
  EXPECT_EQ(size->document, kEmpty.size());
}

TEST(UnsavedChanges, AreThoseSinceTheFirstCall) {
  Document document("writer");
  TypeInto(document, 0, "in the file");
  UnsavedChanges unsaved;
  EXPECT_EQ(unsaved.Take(document), "") << "before the first call";
  ASSERT_THAT(unsaved.Begin(document), IsOk());
  EXPECT_EQ(unsaved.Take(document), "");
  TypeInto(document, 0, "1");
  ASSERT_THAT(unsaved.Begin(document), IsOk()) << "again: as if it were not called";
  TypeInto(document, 0, "2");
  EXPECT_EQ(unsaved.Take(document), document.ChunkOf(1) + document.ChunkOf(2));
  EXPECT_EQ(unsaved.Take(document), "");
}

// Changes that wait for others are not there yet: they are taken when they are.
TEST(UnsavedChanges, HaveWhatHasWaited) {
  const ThreeChunks chunks(false);
  LoadedFile other;
  UnsavedChanges unsaved;
  ASSERT_THAT(unsaved.Begin(other.document), IsOk());
  ASSERT_THAT(other.waiting.Add(chunks.document.ChunkOf(2)), IsOk());
  ASSERT_THAT(other.waiting.Add(chunks.document.ChunkOf(0)), IsOk());
  EXPECT_EQ(unsaved.Take(other.document), chunks.document.ChunkOf(0));
  ASSERT_THAT(other.waiting.Add(chunks.document.ChunkOf(1)), IsOk());
  EXPECT_EQ(unsaved.Take(other.document), chunks.document.ChunkOf(1) + chunks.document.ChunkOf(2));
}

TEST(SavedDocument, WithWhatIsAppendedAtEachStepLeadsToTheSameHeads) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Document peer("peer");
    WaitingChanges of_peer(peer);
    LoadedFile own;
    UnsavedChanges unsaved;
    std::string file;
    size_t taken_by_peer = 0;
    size_t taken_by_us = 0;
    ASSERT_THAT(unsaved.Begin(own.document), IsOk());
    TypeInto(own.document, 0, "start");
    for (int step = 0; step < 40; ++step) {
      switch (random() % 5) {
        case 0:
          file = *own.document.Save();
          break;
        case 1:
          for (; taken_by_peer < own.document.changes().size(); ++taken_by_peer) {
            ASSERT_THAT(of_peer.Add(own.document.ChunkOf(static_cast<uint32_t>(taken_by_peer))),
                        IsOk());
          }
          break;
        case 2:
          if (peer.Get("content")) TypeInto(peer, 0, "\xf0\x9f\x98\x80peer");
          break;
        case 3:
          for (; taken_by_us < peer.changes().size(); ++taken_by_us) {
            ASSERT_THAT(own.waiting.Add(peer.ChunkOf(static_cast<uint32_t>(taken_by_us))), IsOk());
          }
          break;
        default:
          TypeInto(own.document, static_cast<uint32_t>(random() % 5), "own\r\n");
      }
      file += unsaved.Take(own.document);
      LoadedFile loaded;
      const absl::StatusOr<SavedSize> size = loaded.Load(file);
      ASSERT_THAT(size, IsOk());
      EXPECT_EQ(size->whole, file.size());
      EXPECT_EQ(loaded.waiting.size(), 0u);
      ASSERT_EQ(loaded.document.heads(), own.document.heads());
      ASSERT_EQ(loaded.Text(), own.Text());
    }
  }
}

}  // namespace
}  // namespace cursorwire::automerge
