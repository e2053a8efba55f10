#include "collab/repo/document_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using absl::StatusCode;
using test::FromHex;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

// Of a document of npm @automerge/automerge-repo 2.5.6.
constexpr const char* kId = "3kKeQF5Fh8wHaHSZG9wkFw3YPSEZ";
constexpr const char* kBytes = "c52bbeda55344a84afa75468a7ac1cd0";

DocumentId::Bytes BytesOf(const std::string& bytes) {
  DocumentId::Bytes result{};
  std::copy(bytes.begin(), bytes.end(), result.begin());
  return result;
}

TEST(DocumentId, IsThatOfNpm) {
  const DocumentId id(BytesOf(FromHex(kBytes)));
  EXPECT_EQ(id.ToString(), kId);
  EXPECT_EQ(id.ToUrl(), std::string("automerge:") + kId);
  for (const std::string& text : {std::string(kId), id.ToUrl()}) {
    const absl::StatusOr<DocumentId> parsed = DocumentId::Parse(text);
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(*parsed, id);
  }
}

TEST(DocumentId, ReadsWhatItWrites) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    DocumentId::Bytes bytes{};
    // Some with zeros in front.
    for (size_t i = static_cast<size_t>(round) % 17; i < bytes.size(); ++i) {
      bytes[i] = static_cast<uint8_t>(random());
    }
    const DocumentId id(bytes);
    const absl::StatusOr<DocumentId> parsed = DocumentId::Parse(id.ToString());
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(*parsed, id);
  }
}

TEST(DocumentId, RefusesWhatIsNone) {
  const std::string url = std::string("automerge:") + kId;
  struct Case {
    std::string text;
    const char* why;
  } const cases[] = {
      {"", "27 or 28"},
      {"automerge:", "27 or 28"},
      {"3tFP3srLo4iHBPADoLtJ", "27 or 28"},  // of the helper's own documents
      {url + "/content", "all of it"},
      {url + "#abc|def", "former states"},
      {"9c1b5a4e-0f5c-4a37-9b7e-b2a3c1d4e5f6", "UUID"},
      {std::string(kId).substr(1), "checksum"},
      {"4kKeQF5Fh8wHaHSZG9wkFw3YPSEZ", "checksum"},
      {"3kKeQF5Fh8wHaHSZG9wkFw3YPSE0", "27 or 28"},
      {"3kKeQF5Fh8wHaHSZG9wkFw3YPSE\xff", "27 or 28"},
      {url + url, "27 or 28"},
      {std::string(1000000, '1'), "27 or 28"},
      {std::string(28, 'z'), "checksum"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text.substr(0, 60));
    EXPECT_THAT(DocumentId::Parse(c.text),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.why)));
  }
}

TEST(DocumentId, RefusesEachMistypedCharacter) {
  for (size_t i = 0; i < std::string(kId).size(); ++i) {
    std::string text = kId;
    text[i] = text[i] == 'a' ? 'b' : 'a';
    EXPECT_THAT(DocumentId::Parse(text), StatusIs(StatusCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace cursorwire::collab
