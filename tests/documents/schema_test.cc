#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/json_schema.h"
#include "support/source_folder.h"

namespace cursorwire::documents {
namespace {

using nlohmann::json;

json Read(const char* file) {
  std::ifstream text(test::SourceFolder() + file);
  return json::parse(text);
}

std::string Check(const json& response) {
  static const auto& schema = *new test::JsonSchema(Read("/docs/chat-response.schema.json"));
  return schema.Check(response);
}

// Every type of document with the members alone that a program of another hand has to write.
json Shortest() { return Read("/tests/documents/shortest_response.json"); }

json& Metadata(json& response, const std::string& id) {
  for (json& document : response["documents"]) {
    if (document["id"] == id) return document["metadata"];
  }
  ADD_FAILURE() << "no document " << id;
  return response;
}

TEST(ChatResponseSchema, TakesTheShortestDocumentsOfEachType) {
  const json shortest = Shortest();
  EXPECT_EQ(Check(shortest), "");
  for (const json& document : shortest["documents"]) {
    SCOPED_TRACE(document["id"]);
    json one = shortest;
    one["documents"] = json::array({document});
    EXPECT_EQ(Check(one), "");
  }
}

TEST(ChatResponseSchema, TakesTimesWithFractionsAndWithout) {
  for (const char* time :
       {"2026-03-01T08:00:00Z", "2026-03-01T08:00:00.5Z", "2026-03-01T08:00:00.125Z"}) {
    json response = Shortest();
    response["created"] = time;
    EXPECT_EQ(Check(response), "") << time;
  }
  for (const char* time : {"2026-03-01T08:00:00", "2026-03-01", "2026-03-01T08:00:00.Z",
                           "2026-03-01T08:00:00+01:00"}) {
    json response = Shortest();
    response["created"] = time;
    EXPECT_NE(Check(response), "") << time;
  }
}

TEST(ChatResponseSchema, RefusesWhatNoDocumentSays) {
  const struct {
    const char* name;
    void (*change)(json& response);
  } kCases[] = {
      {"a new file without its text",
       [](json& response) { response["documents"][3]["content"] = nullptr; }},
      {"a new file with a diff",
       [](json& response) {
         Metadata(response, "doc_004")["diff"] = Metadata(response, "doc_005")["diff"];
       }},
      {"a deletion with a text", [](json& response) { response["documents"][5]["content"] = "x"; }},
      {"a change of no file",
       [](json& response) { Metadata(response, "doc_005")["filePath"] = ""; }},
      {"an error without details",
       [](json& response) { Metadata(response, "doc_011").erase("details"); }},
      {"details that are no text",
       [](json& response) { Metadata(response, "doc_011")["details"] = nullptr; }},
      {"an error of nobody", [](json& response) { Metadata(response, "doc_011")["source"] = ""; }},
  };
  for (const auto& c : kCases) {
    json response = Shortest();
    c.change(response);
    EXPECT_NE(Check(response), "") << c.name;
  }
}

}  // namespace
}  // namespace cursorwire::documents
