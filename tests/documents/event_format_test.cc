#include "cursorwire/documents/event_format.h"

#include <gtest/gtest.h>

namespace cursorwire::documents {
namespace {

TEST(ServerSentEvent, FollowsTheStandard) {
  const struct {
    const char* what;
    std::string name;
    std::string data;
    std::string event;
  } kCases[] = {
      {"a name and data", "done", "{}", "event: done\ndata: {}\n\n"},
      {"no name", "", "[DONE]", "data: [DONE]\n\n"},
      {"no data", "a", "", "event: a\ndata: \n\n"},
      {"lines of every kind", "", "a\nb\r\nc\rd", "data: a\ndata: b\ndata: c\ndata: d\n\n"},
      {"empty lines", "", "\n\r\r\n", "data: \ndata: \ndata: \ndata: \n\n"},
      {"a line that looks like a field", "", "event: x\n: y", "data: event: x\ndata: : y\n\n"},
      {"a name of two lines", "a\r\nb", "x", "event: ab\ndata: x\n\n"},
      {"a null", std::string("a\0b", 3), std::string("x\0y", 3), "event: ab\ndata: xy\n\n"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(ServerSentEvent(c.name, c.data), c.event);
  }
}

TEST(Format, WritesEachForm) {
  const DocumentEvent delta = ContentDelta{"doc_001", "a\r\n\"b\""};
  const std::string json =
      R"({"event":"content_delta","documentId":"doc_001","delta":"a\r\n\"b\""})";
  EXPECT_EQ(Format(delta, EventFormat::kSse), "event: content_delta\ndata: " + json + "\n\n");
  EXPECT_EQ(Format(delta, EventFormat::kSseData), "data: " + json + "\n\n");
  EXPECT_EQ(Format(delta, EventFormat::kNdjson), json + "\n");
}

TEST(Format, EndsDataLinesWithDone) {
  const std::string lines = Format(Done{}, EventFormat::kSseData);
  EXPECT_TRUE(lines.starts_with("data: {"));
  EXPECT_TRUE(lines.ends_with("}\n\ndata: [DONE]\n\n"));
  EXPECT_TRUE(Format(Done{}, EventFormat::kSse).starts_with("event: done\ndata: {"));
}

}  // namespace
}  // namespace cursorwire::documents
