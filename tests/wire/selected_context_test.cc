#include "wire/selected_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::FromHex;
using test::Golden;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::HasSubstr;

SelectedContextBlob SampleBlob() {
  SelectedContextBlob blob{.client_name = "pi"};
  std::string up;
  std::string down;
  for (int i = 0; i < 32; ++i) {
    up.push_back(static_cast<char>(i));
    down.push_back(static_cast<char>(255 - i));
  }
  blob.root_prompt_blob_ids = {up, down};
  return blob;
}

TEST(SelectedContextBlob, MatchesTheGoldenBothWays) {
  EXPECT_THAT(EncodeSelectedContextBlob(SampleBlob()),
              IsOkAndHolds(Golden("selected_context.hex")));
  EXPECT_THAT(DecodeSelectedContextBlob(Golden("selected_context.hex")),
              IsOkAndHolds(SampleBlob()));
}

TEST(SelectedContextBlob, EmptyIsNoBytes) {
  EXPECT_THAT(EncodeSelectedContextBlob({}), IsOkAndHolds(std::string()));
  EXPECT_THAT(DecodeSelectedContextBlob(""), IsOkAndHolds(SelectedContextBlob()));
}

TEST(SelectedContextBlob, EncodesNoIdOfAnotherSizeAndNoNameThatIsNotUtf8) {
  for (const size_t size : {size_t{0}, size_t{31}, size_t{33}}) {
    SCOPED_TRACE(size);
    EXPECT_THAT(EncodeSelectedContextBlob({.root_prompt_blob_ids = {std::string(size, 'x')}}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("32")));
  }
  EXPECT_THAT(EncodeSelectedContextBlob({.client_name = "\xFF"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("UTF-8")));
}

TEST(SelectedContextBlob, RefusesBrokenBytes) {
  const struct {
    const char* name;
    const char* hex;
    const char* what;
  } kCases[] = {
      {"id of 31 bytes",
       "0A 1F 00000000 00000000 00000000 00000000 00000000 00000000 00000000 000000", "31 bytes"},
      {"empty id", "0A 00", "0 bytes"},
      {"id as a varint", "08 01", "root_prompt_messages_json has wire type 0"},
      {"id as fixed64", "09 00000000 00000000", "root_prompt_messages_json has wire type 1"},
      {"name as a varint", "B0 01 01", "agent_type has wire type 0"},
      {"name as fixed32", "B5 01 00000000", "agent_type has wire type 5"},
      {"name that is not UTF-8", "B2 01 01 FF", "agent_type is not UTF-8"},
      {"group", "0B", "wire type"},
      {"varint of eleven bytes", "50 FFFFFFFFFF FFFFFFFFFF 01", "truncated"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(DecodeSelectedContextBlob(FromHex(c.hex)),
                StatusIs(absl::StatusCode::kInternal, HasSubstr(c.what)));
  }
}

TEST(SelectedContextBlob, SkipsOtherFieldsAndTakesTheLastName) {
  EXPECT_THAT(DecodeSelectedContextBlob(FromHex("50 01  B2 01 01 61  12 01 FF  B2 01 01 62")),
              IsOkAndHolds(SelectedContextBlob{.client_name = "b"}));
}

// A message has no length of its own: cut between two fields it is a shorter one.
TEST(SelectedContextBlob, RefusesEveryCutWithinAField) {
  const std::string bytes = Golden("selected_context.hex");
  for (size_t size = 0; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    const bool between = size == 0 || size == 34 || size == 68;
    EXPECT_EQ(DecodeSelectedContextBlob(std::string_view(bytes).substr(0, size)).ok(), between);
  }
  EXPECT_THAT(DecodeSelectedContextBlob(bytes), IsOk());
}

}  // namespace
}  // namespace cursorwire
