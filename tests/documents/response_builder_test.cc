#include "cursorwire/documents/builder.h"

#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace cursorwire::documents {
namespace {

using test::StatusIs;

TEST(ChatResponseBuilder, RefusesEventsThatAreOutOfOrder) {
  const auto is_refused = [](ChatResponseBuilder& builder, const DocumentEvent& event) {
    const ChatResponse before = builder.response();
    EXPECT_THAT(builder.Apply(event), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(builder.response(), before);
  };
  ChatResponseBuilder builder;
  is_refused(builder, DocumentStart{"doc_002", 2, TextMetadata{}});
  is_refused(builder, DocumentStart{"doc_000", 0, TextMetadata{}});
  is_refused(builder, ContentDelta{"doc_001", "x"});
  is_refused(builder, DocumentEnd{"doc_001", "x", std::nullopt});
  is_refused(builder, ToolResult{"doc_001", {}});
  ASSERT_TRUE(builder.Apply(DocumentStart{"doc_001", 1, TextMetadata{}}).ok());
  is_refused(builder, DocumentStart{"doc_001", 2, TextMetadata{}});
  ASSERT_TRUE(builder.Apply(DocumentEnd{"doc_001", "x", std::nullopt}).ok());
  is_refused(builder, ContentDelta{"doc_001", "x"});
  ASSERT_TRUE(builder.Apply(Done{{.status = ResponseStatus::kCompleted}}).ok());
  is_refused(builder, DocumentStart{"doc_002", 2, TextMetadata{}});
  is_refused(builder, Done{{.status = ResponseStatus::kCompleted}});
}

TEST(ChatResponseBuilder, HasTheContentSoFar) {
  ChatResponseBuilder builder;
  ASSERT_TRUE(builder.Apply(DocumentStart{"doc_001", 1, TextMetadata{}}).ok());
  ASSERT_TRUE(builder.Apply(ContentDelta{"doc_001", "Hel"}).ok());
  ASSERT_TRUE(builder.Apply(ContentDelta{"doc_001", "lo"}).ok());
  EXPECT_EQ(builder.response().documents.at(0).content, "Hello");
  EXPECT_EQ(builder.response().head.status, ResponseStatus::kStreaming);
}

}  // namespace
}  // namespace cursorwire::documents
