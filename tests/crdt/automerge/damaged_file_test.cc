// A file that lost something is not taken for one with less in it.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

#include "crdt/automerge/document.h"
#include "crdt/automerge/saved_document.h"
#include "crdt/automerge/waiting_changes.h"
#include "cursorwire/crdt/text_document.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using absl::StatusCode;
using test::IsOk;
using test::StatusIs;

struct PreciousFile {
  PreciousFile() {
    EXPECT_THAT(document->Insert(0, "precious text"), IsOk());
    EXPECT_TRUE(document->Commit({}));
    changes = document->TakeChanges();
    saved = *document->Save();
  }
  std::unique_ptr<TextDocument> document = TextDocument::Create({.actor = "writer"});
  std::string changes;
  std::string saved;
};

TEST(DamagedFile, WithAWrongByteIsAnError) {
  const PreciousFile file;
  for (const std::string& whole : {file.saved, file.changes}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      SCOPED_TRACE(absl::StrCat(at, " of ", whole.size()));
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      EXPECT_THAT(TextDocument::Load(bytes, {.actor = "reader"}), testing::Not(IsOk()));
    }
  }
}

TEST(DamagedFile, WithoutAWholeChunkIsAnError) {
  const PreciousFile file;
  for (const std::string& whole : {file.saved, file.changes}) {
    for (size_t cut = 1; cut < whole.size(); ++cut) {
      SCOPED_TRACE(absl::StrCat(cut, " of ", whole.size()));
      EXPECT_THAT(TextDocument::Load(whole.substr(0, cut), {.actor = "reader"}),
                  StatusIs(StatusCode::kDataLoss));
    }
    EXPECT_THAT(TextDocument::Load(std::string(whole.size(), '\0'), {.actor = "reader"}),
                StatusIs(StatusCode::kDataLoss));
  }
}

TEST(DamagedFile, LosesNoMoreThanALastChunkThatIsCutShort) {
  PreciousFile file;
  ASSERT_THAT(file.document->Insert(0, "my "), IsOk());
  EXPECT_TRUE(file.document->Commit({}));
  const std::string more = file.document->TakeChanges();
  for (size_t cut = 0; cut < more.size(); ++cut) {
    const auto loaded = TextDocument::Load(file.saved + more.substr(0, cut), {.actor = "reader"});
    ASSERT_THAT(loaded, IsOk());
    EXPECT_EQ((*loaded)->text(), "precious text");
  }
  // All of it is there, and is not what it says.
  for (size_t at = 0; at < more.size(); ++at) {
    constexpr size_t kLengthAt = 9;
    if (at == kLengthAt) continue;  // which may as well say that the rest is cut
    std::string damaged = more;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THAT(TextDocument::Load(file.saved + damaged, {.actor = "reader"}),
                testing::Not(IsOk()));
  }
}

// A document takes the place of a file only once it is on the disk.
TEST(DamagedFile, BeginsWithNoHalfDocument) {
  const PreciousFile file;
  automerge::Document document("reader");
  automerge::WaitingChanges waiting(document);
  EXPECT_THAT(automerge::LoadSaved(file.saved.substr(0, file.saved.size() / 2), document, waiting),
              StatusIs(StatusCode::kDataLoss));
  // While the first change is appended, the program may end.
  const auto torn =
      automerge::LoadSaved(file.changes.substr(0, file.changes.size() / 2), document, waiting);
  ASSERT_THAT(torn, IsOk());
  EXPECT_EQ(torn->whole, 0u);
}

// After a loss of power, the last sectors of a file may be zeros.
TEST(DamagedFile, MayLackItsLastSectors) {
  PreciousFile file;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += absl::StrCat("line ", i * 7919 % 1000, "\n");
  ASSERT_THAT(file.document->Insert(0, text), IsOk());
  EXPECT_TRUE(file.document->Commit({}));
  const std::string whole = file.saved + file.document->TakeChanges();
  for (size_t from = 512; from < whole.size(); from += 512) {
    std::string bytes = whole;
    bytes.replace(from, std::string::npos, whole.size() - from, '\0');
    const auto loaded = TextDocument::Load(bytes, {.actor = "reader"});
    ASSERT_THAT(loaded, IsOk()) << from;
    EXPECT_EQ((*loaded)->text(), "precious text");
  }
}

}  // namespace
}  // namespace cursorwire
