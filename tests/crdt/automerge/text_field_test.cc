#include "crdt/automerge/text_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/text/text_size.h"
#include "support/status_matchers.h"

namespace cursorwire::automerge {
namespace {

using absl::StatusCode;

using crdt::Unit;
using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A field of a document to which another program, "pppp", adds changes one after the other.
class TextFieldTest : public ::testing::Test {
 protected:
  static OpView Put(std::string_view key, ValueType type, std::string_view bytes = {}) {
    return {.map_key = key, .action = Action::kSet, .value = {type, bytes}};
  }
  static OpView Make(std::string_view key, Action action) {
    return {.map_key = key, .action = action};
  }
  static OpView Type(uint32_t object, uint32_t after, std::string_view text) {
    return {.object = {object, 0},
            .element = {after, 0},
            .insert = true,
            .value = {ValueType::kString, text}};
  }
  // Its first operation is number 1, and each further one has the next number.
  void GiveOnly(const std::vector<OpView>& ops) {
    automerge::ChangeHead head{.actor = "pppp", .seq = ++seq_, .start_op = next_op_};
    head.deps.assign(document_.heads().begin(), document_.heads().end());
    next_op_ += static_cast<uint32_t>(ops.size());
    automerge::OpWriter writer;
    for (const OpView& op : ops) writer.Append(op);
    head.columns = writer.Finish();
    automerge::ChangeWriter body;
    std::string scratch;
    Sha256Hasher hasher;
    const std::string_view bytes = body.Write(head);
    ASSERT_THAT(waiting_.Add(
                    automerge::ChangeChunk(bytes, automerge::HashOfChange(bytes, scratch, hasher))),
                IsOk());
    ASSERT_EQ(waiting_.size(), 0u);
  }
  absl::Status Look() {
    changes_.clear();
    return field_.TakeChanges(changes_);
  }
  void Give(const std::vector<OpView>& ops) {
    GiveOnly(ops);
    ASSERT_THAT(Look(), IsOk());
  }
  // "at-deleted:inserted" in code points.
  std::vector<std::string> Changes() const {
    std::vector<std::string> lines;
    for (const TextField::Change& change : changes_) {
      lines.push_back(std::to_string(change.at.code_points) + "-" +
                      std::to_string(change.deleted.code_points) + ":" + change.inserted);
    }
    return lines;
  }
  void ExpectText(std::string_view text) {
    EXPECT_EQ(field_.Text(), text);
    EXPECT_EQ(field_.size(), crdt::Measure(text));
  }

  automerge::Document document_{"ours"};
  automerge::WaitingChanges waiting_{document_};
  TextField field_{document_, {"content", "text"}};
  std::vector<TextField::Change> changes_;
  uint64_t seq_ = 0;
  uint32_t next_op_ = 1;
};

TEST_F(TextFieldTest, IsEmptyWithoutItsKey) {
  ASSERT_THAT(Look(), IsOk());
  ExpectText("");

  EXPECT_EQ(field_.PlaceAt(Unit::kUtf16, 7), crdt::TextSize());
  EXPECT_THAT(changes_, IsEmpty());
  EXPECT_FALSE(field_.Commit(1));
}

TEST_F(TextFieldTest, TheFirstEditMakesTheFirstKey) {
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 9, 9, "new"), IsOk());
  ExpectText("new");
  EXPECT_TRUE(field_.Commit(7));
  EXPECT_FALSE(field_.Commit(7)) << "once";
  ASSERT_TRUE(document_.Get("content"));
  EXPECT_EQ(document_.Get("content")->action, Action::kMakeText);
  EXPECT_EQ(document_.changes().size(), 1u);
  EXPECT_EQ(document_.changes().info(0).time, 7);
  ASSERT_THAT(Look(), IsOk());
  EXPECT_THAT(changes_, IsEmpty()) << "our own";
}

TEST_F(TextFieldTest, NoEditMakesNoText) {
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 3, 5, ""), IsOk());
  EXPECT_FALSE(field_.Commit(1));
  EXPECT_FALSE(document_.Get("content"));
}

TEST_F(TextFieldTest, SeveralEditsAreOneChange) {
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 0, 0, "abc"), IsOk());
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 1, 1, "\xf0\x9f\x98\x80"), IsOk());
  ASSERT_THAT(field_.Splice(Unit::kUtf16, 3, 1, ""), IsOk());
  ExpectText("a\xf0\x9f\x98\x80");
  EXPECT_TRUE(field_.Commit(1));
  EXPECT_EQ(document_.changes().size(), 1u);
}

TEST_F(TextFieldTest, TakesTheSecondKeyWhereTheFirstIsNotThere) {
  Give({Make("text", Action::kMakeText), Type(1, 0, "x")});
  ExpectText("x");
  EXPECT_THAT(Changes(), ElementsAre("0-0:x"));
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 1, 0, "y"), IsOk());
  field_.Commit(1);
  EXPECT_FALSE(document_.Get("content"));
  ExpectText("xy");
}

TEST_F(TextFieldTest, TheFirstKeyCountsWhenItComes) {
  Give({Make("text", Action::kMakeText), Type(1, 0, "x"), Type(1, 2, "y")});
  Give({Put("content", ValueType::kString, "string")});
  ExpectText("string");
  EXPECT_THAT(Changes(), ElementsAre("0-2:string"));
}

TEST_F(TextFieldTest, AStringHasPlacesInAllUnits) {
  Give({Put("content", ValueType::kString, "a\xf0\x9f\x98\x80\r\nb")});
  ExpectText("a\xf0\x9f\x98\x80\r\nb");
  const crdt::TextSize after = crdt::Measure("a\xf0\x9f\x98\x80");
  EXPECT_EQ(field_.PlaceAt(Unit::kCodePoints, 2), after);
  EXPECT_EQ(field_.PlaceAt(Unit::kUtf16, 3), after);
  EXPECT_EQ(field_.PlaceAt(Unit::kBytes, 5), after);
  for (const uint32_t inside : {2u, 3u, 4u}) {
    EXPECT_EQ(field_.PlaceAt(Unit::kBytes, inside), crdt::Measure("a"));
  }
  EXPECT_EQ(field_.PlaceAt(Unit::kUtf16, 2), crdt::Measure("a"));
  EXPECT_EQ(field_.PlaceAt(Unit::kUtf16, 1000), field_.size());
}

TEST_F(TextFieldTest, ATextHasPlacesInAllUnits) {
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 0, 0, "a\xf0\x9f\x98\x80\r\nb"), IsOk());
  const crdt::TextSize after = crdt::Measure("a\xf0\x9f\x98\x80");
  EXPECT_EQ(field_.PlaceAt(Unit::kCodePoints, 2), after);
  EXPECT_EQ(field_.PlaceAt(Unit::kUtf16, 3), after);
  EXPECT_EQ(field_.PlaceAt(Unit::kBytes, 5), after);
  for (const uint32_t inside : {2u, 3u, 4u}) {
    EXPECT_EQ(field_.PlaceAt(Unit::kBytes, inside), crdt::Measure("a"));
  }
  EXPECT_EQ(field_.PlaceAt(Unit::kUtf16, 2), crdt::Measure("a"));
  EXPECT_EQ(field_.PlaceAt(Unit::kBytes, 1000), field_.size());
}

TEST_F(TextFieldTest, TellsWhatOthersHaveDoneStepByStep) {
  Give({Make("content", Action::kMakeText), Type(1, 0, "a"), Type(1, 2, "b")});
  EXPECT_THAT(Changes(), ElementsAre("0-0:ab"));
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 0, 0, "++"), IsOk());
  field_.Commit(1);
  next_op_ = 10;
  const OpId b{3, 0};
  Give({Type(1, 2, "x"),
        {.object = {1, 0}, .element = b, .action = Action::kDelete, .predecessors = {&b, 1}}});
  EXPECT_THAT(Changes(), ElementsAre("3-0:x", "4-1:"));
  ExpectText("++ax");
}

TEST_F(TextFieldTest, AnObjectThatComesBackIsTheSame) {
  Give({Make("content", Action::kMakeText), Type(1, 0, "a")});
  // Another one, which is gone again before anybody looks: then the first one is not there either.
  const OpId first{1, 0};
  OpView other = Make("content", Action::kMakeText);
  other.predecessors = {&first, 1};
  GiveOnly({other});
  const OpId second{3, 0};
  OpView gone{.map_key = "content", .action = Action::kDelete, .predecessors = {&second, 1}};
  GiveOnly({gone, Type(1, 2, "z")});
  ASSERT_THAT(Look(), IsOk());
  ExpectText("");
  EXPECT_THAT(Changes(), ElementsAre("0-1:"));
}

TEST_F(TextFieldTest, WhatIsSaidOfAFormerObjectIsNotTold) {
  Give({Make("content", Action::kMakeText), Type(1, 0, "a")});
  const OpId first{1, 0};
  OpView other = Make("content", Action::kMakeText);
  other.predecessors = {&first, 1};
  Give({other, Type(3, 0, "n")});
  EXPECT_THAT(Changes(), ElementsAre("0-1:n"));
  Give({Type(1, 2, "z")});
  EXPECT_THAT(Changes(), IsEmpty());
  ExpectText("n");
}

TEST_F(TextFieldTest, TheSameTextInAnotherObjectIsNoChangeOrTheWholeOne) {
  Give({Make("content", Action::kMakeText), Type(1, 0, "a")});
  const OpId first{1, 0};
  OpView other = Make("content", Action::kMakeText);
  other.predecessors = {&first, 1};
  Give({other, Type(3, 0, "a")});
  EXPECT_THAT(Changes(), testing::AnyOf(IsEmpty(), ElementsAre("0-1:a")));
  ExpectText("a");
}

TEST_F(TextFieldTest, NothingAndNullAreAnEmptyText) {
  Give({Put("content", ValueType::kNull)});
  ExpectText("");
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 0, 0, "x"), IsOk());
  EXPECT_TRUE(field_.Commit(1));
  ExpectText("x");
  EXPECT_EQ(document_.Get("content")->action, Action::kMakeText);
}

TEST_F(TextFieldTest, OtherValuesAreNoText) {
  struct FieldCase {
    const char* name;
    OpView op;
  };
  for (const FieldCase& c : {FieldCase{"map", Make("content", Action::kMakeMap)},
                             FieldCase{"list", Make("content", Action::kMakeList)},
                             FieldCase{"table", Make("content", Action::kMakeTable)},
                             FieldCase{"true", Put("content", ValueType::kTrue)},
                             FieldCase{"number", Put("content", ValueType::kUint, "\x05")},
                             FieldCase{"bytes", Put("content", ValueType::kBytes, "abc")},
                             FieldCase{"counter", Put("content", ValueType::kCounter, "\x05")}}) {
    SCOPED_TRACE(c.name);
    // The value with the greatest id counts.
    GiveOnly({c.op});
    EXPECT_THAT(Look(), StatusIs(StatusCode::kFailedPrecondition,
                                 testing::AllOf(HasSubstr("not a text document"),
                                                HasSubstr("\"content\""))));
    ExpectText("");
    EXPECT_THAT(field_.Splice(Unit::kCodePoints, 0, 0, "x"),
                StatusIs(StatusCode::kFailedPrecondition));
    EXPECT_FALSE(field_.Commit(1));
  }
}

TEST_F(TextFieldTest, WhatIsNotUtf8IsMadeIt) {
  ASSERT_THAT(field_.Splice(Unit::kCodePoints, 0, 0, "a\xff"), IsOk());
  ExpectText("a\xef\xbf\xbd");
}

}  // namespace
}  // namespace cursorwire::automerge
