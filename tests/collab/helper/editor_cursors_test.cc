#include "collab/helper/editor_cursors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "crdt/automerge/document.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using crdt::Unit;
using std::chrono::milliseconds;
using test::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EditorCursorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Own(0, 0,
        "a\xf0\x9f\x98\x80"
        "bcd");
  }
  void Own(uint32_t at, uint32_t count, const char* text) {
    ASSERT_THAT(field_.Splice(Unit::kCodePoints, at, count, text), IsOk());
    field_.Commit(1);
  }
  std::vector<EditorCursor> Moved() { return cursors_.TakeMoved(field_, now_); }
  static EditorCursor Shown(std::optional<uint32_t> anchor, std::optional<uint32_t> head = {}) {
    return {.user_id = "u", .name = "n", .color = "#123", .anchor = anchor, .head = head};
  }
  static RelayUser User(std::optional<uint32_t> anchor, std::optional<uint32_t> head = {}) {
    return {.id = "u", .name = "n", .color = "#123", .anchor = anchor, .head = head};
  }

  automerge::Document document_{"actor"};
  automerge::TextField field_{document_, {"content"}};
  EditorCursors cursors_{Unit::kCodePoints};
  EditorCursors::TimePoint now_{std::chrono::hours(1)};
};

TEST_F(EditorCursorsTest, ConvertsFromUtf16) {
  EXPECT_EQ(cursors_.Set(User(3, 4), field_), Shown(2, 3));
  EXPECT_EQ(cursors_.Set(User(2), field_), Shown(1)) << "within a pair";
  EXPECT_EQ(cursors_.Set(User(1000), field_), Shown(5));
  EditorCursors utf16(Unit::kUtf16);
  EXPECT_EQ(utf16.Set(User(3, 4), field_), Shown(3, 4));
  EXPECT_EQ(utf16.Set(User(2), field_), Shown(1));
}

TEST_F(EditorCursorsTest, TellsOnlyWhatIsShownInAnotherWay) {
  EXPECT_EQ(cursors_.Set(User({}), field_), Shown({}));
  EXPECT_EQ(cursors_.Set(User({}), field_), std::nullopt);
  EXPECT_EQ(cursors_.Set(User(99), field_), Shown(5));
  EXPECT_EQ(cursors_.Set(User(98), field_), std::nullopt);
  EXPECT_EQ(cursors_.Set(User({}), field_), Shown({}));
}

TEST_F(EditorCursorsTest, MovesWithEditsOfOthersAtMostEveryHundredMilliseconds) {
  cursors_.Set(User(3), field_);
  EXPECT_EQ(cursors_.deadline(), std::nullopt);
  Own(0, 0, "x");
  cursors_.OnChangedByOthers();
  EXPECT_THAT(Moved(), ElementsAre(Shown(3)));
  EXPECT_EQ(cursors_.deadline(), std::nullopt);
  Own(0, 0, "x");
  cursors_.OnChangedByOthers();
  EXPECT_THAT(Moved(), IsEmpty());
  EXPECT_EQ(cursors_.deadline(), now_ + milliseconds(100));
  now_ += milliseconds(99);
  EXPECT_THAT(Moved(), IsEmpty());
  now_ += milliseconds(1);
  EXPECT_THAT(Moved(), ElementsAre(Shown(4)));
}

TEST_F(EditorCursorsTest, IsSilentOnEditsOfTheEditor) {
  cursors_.Set(User(3, 4), field_);
  Own(0, 0, "x");
  cursors_.OnChangedByEditor(field_);
  EXPECT_THAT(Moved(), IsEmpty());
  cursors_.OnChangedByOthers();
  EXPECT_THAT(Moved(), IsEmpty());
  EXPECT_EQ(cursors_.Remove("u"), Shown(3, 4));
}

TEST_F(EditorCursorsTest, StaysWhereItsCharacterWas) {
  cursors_.Set(User(4), field_);
  Own(3, 1, "");
  cursors_.OnChangedByOthers();
  EXPECT_THAT(Moved(), IsEmpty()) << "the next character is at its place";
  Own(0, 4, "");
  cursors_.OnChangedByOthers();
  now_ += milliseconds(100);
  EXPECT_THAT(Moved(), ElementsAre(Shown(0)));
}

TEST_F(EditorCursorsTest, ForgetsAll) {
  cursors_.Set(User(4), field_);
  cursors_.OnChangedByOthers();
  cursors_.Clear();
  EXPECT_EQ(cursors_.deadline(), std::nullopt);
  EXPECT_EQ(cursors_.Remove("u"), std::nullopt);
  EXPECT_THAT(Moved(), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::collab
