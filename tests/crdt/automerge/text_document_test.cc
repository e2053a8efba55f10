#include "cursorwire/crdt/text_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using absl::StatusCode;
using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::chrono::system_clock::time_point kEditTime{std::chrono::hours(1)};

std::unique_ptr<TextDocument> NewTextDocument(const std::string& actor,
                                              OffsetUnit unit = OffsetUnit::kCodePoints) {
  return TextDocument::Create({.actor = actor, .offsets = unit});
}

void EditText(TextDocument& document, uint32_t at, uint32_t count, std::string_view text) {
  ASSERT_THAT(document.Replace(at, count, text), IsOk());
  EXPECT_TRUE(document.Commit(kEditTime));
}

TEST(TextDocument, BringsChangesToOthersAndTellsWhatTheyDid) {
  const auto one = NewTextDocument("one");
  EditText(*one, 0, 0, "one \xf0\x9f\x98\x80 text");
  const auto two = NewTextDocument("two", OffsetUnit::kUtf16);
  ASSERT_THAT(two->Apply(one->TakeChanges()), IsOk());
  EXPECT_EQ(two->text(), one->text());
  EXPECT_EQ(two->heads(), one->heads());
  EXPECT_EQ(two->length(), 11u);
  EXPECT_THAT(two->TakeEdits(), ElementsAre(TextEdit{.inserted = one->text()}));
  EditText(*one, 6, 4, "file");
  ASSERT_THAT(two->Apply(one->TakeChanges()), IsOk());
  EXPECT_EQ(two->text(), "one \xf0\x9f\x98\x80 file");
  EXPECT_EQ(one->TakeChanges(), "");
  std::string mirror = "one \xf0\x9f\x98\x80 text";
  for (const TextEdit& edit : two->TakeEdits()) {
    EXPECT_GE(edit.at, 7u) << "in UTF-16";
    mirror.replace(edit.at + 2, edit.deleted, edit.inserted);  // two bytes more than units
  }
  EXPECT_EQ(mirror, two->text());
}

TEST(TextDocument, MergesWhatWasWrittenAtOnce) {
  const auto one = NewTextDocument("one");
  EditText(*one, 0, 0, "middle");
  const auto two = TextDocument::Load(*one->Save(), {.actor = "two"});
  ASSERT_THAT(two, IsOk());
  EditText(*one, 0, 0, "from one, ");
  EditText(**two, 6, 0, ", from two");
  ASSERT_THAT(one->Apply((*two)->ChangesSince(one->heads())), IsOk());
  ASSERT_THAT((*two)->Apply(one->ChangesSince({})), IsOk());
  EXPECT_EQ(one->text(), "from one, middle, from two");
  EXPECT_EQ((*two)->text(), one->text());
  EXPECT_EQ((*two)->heads(), one->heads());
  EXPECT_EQ(one->ChangesSince(one->heads()), "");
  EXPECT_EQ(one->ChangesSince({"no hash", std::string(64, 'a')}), one->ChangesSince({}));
}

TEST(TextDocument, IsAFileWithItsChangesAppended) {
  const auto document = NewTextDocument("one");
  EditText(*document, 0, 0, "first");
  std::string file = *document->Save();
  document->TakeChanges();
  EditText(*document, 5, 0, " second");
  file += document->TakeChanges();
  const auto loaded = TextDocument::Load(file, {.actor = "two"});
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ((*loaded)->text(), "first second");
  EXPECT_EQ((*loaded)->TakeChanges(), "");
  EditText(**loaded, 0, 0, "zeroth ");
  EXPECT_NE((*loaded)->TakeChanges(), "");
}

TEST(TextDocument, RefusesWhatIsNone) {
  EXPECT_THAT(TextDocument::Load("no document", {.actor = "one"}),
              StatusIs(StatusCode::kInvalidArgument));
  const auto document = NewTextDocument("one");
  EXPECT_THAT(document->Apply("no change"), StatusIs(StatusCode::kInvalidArgument));
  ASSERT_THAT(document->Insert(0, "open"), IsOk());
  EXPECT_THAT(document->Apply(""), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(document->Save(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_TRUE(document->Commit(kEditTime));
  EXPECT_FALSE(document->Commit(kEditTime));
  EXPECT_THAT(document->Apply(""), IsOk());
  EXPECT_THAT(document->TakeEdits(), IsEmpty());
}

TEST(TextDocument, KeepsPlacesAtTheirCharacters) {
  const auto document = NewTextDocument("one");
  EditText(*document, 0, 0, "abc");
  const TextAnchor at = document->AnchorAt(1);
  const TextAnchor end = document->AnchorAt(3);
  EditText(*document, 0, 0, "123");
  EXPECT_EQ(document->PlaceOf(at), 4u);
  EXPECT_EQ(document->PlaceOf(end), 6u);
  EditText(*document, 3, 3, "");
  EXPECT_EQ(document->PlaceOf(at), 3u);
}

}  // namespace
}  // namespace cursorwire
