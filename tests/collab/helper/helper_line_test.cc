#include "collab/helper/helper_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

namespace cursorwire::collab {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename Kind>
Kind HelperLineAs(std::string_view text) {
  const auto line = ReadEditorLine(text);
  const auto* const kind = std::get_if<EditorLine>(&line);
  if (kind == nullptr || !std::holds_alternative<Kind>(*kind)) {
    ADD_FAILURE() << "another kind: " << text.substr(0, 200);
    return {};
  }
  return std::get<Kind>(*kind);
}
LineError HelperLineError(std::string_view text) {
  const auto line = ReadEditorLine(text);
  const auto* const error = std::get_if<LineError>(&line);
  if (error == nullptr) {
    ADD_FAILURE() << "no error: " << text.substr(0, 200);
    return {};
  }
  return *error;
}

constexpr const char* kHelperLines[] = {
    R"({"type":"connect","syncUrl":"ws://a","awarenessUrl":"ws://b","name":"n","color":"#123"})",
    R"({"type":"disconnect"})",
    R"({"type":"create"})",
    R"({"type":"open","docId":"x"})",
    R"({"type":"edit","content":"a\r\n\u0000\ud83d\ude00"})",
    R"({"type":"close"})",
    R"({"type":"cursor","offset":1.5,"selection":{"anchor":1,"head":2}})",
    R"({"type":"set_name","name":"n"})",
    R"({"type":"set_color","color":"c"})",
    R"({"type":"info"})"};

TEST(HelperLine, ReadsEachKind) {
  const auto connect = HelperLineAs<ConnectLine>(kHelperLines[0]);
  EXPECT_EQ(connect.sync_url, "ws://a");
  EXPECT_EQ(connect.awareness_url, "ws://b");
  EXPECT_EQ(connect.name, "n");
  EXPECT_EQ(connect.color, "#123");
  HelperLineAs<DisconnectLine>(kHelperLines[1]);
  HelperLineAs<CreateLine>(kHelperLines[2]);
  EXPECT_EQ(HelperLineAs<OpenLine>(kHelperLines[3]).doc_id, "x");
  EXPECT_EQ(HelperLineAs<EditLine>(kHelperLines[4]).content,
            std::string("a\r\n\0\xf0\x9f\x98\x80", 8));
  HelperLineAs<CloseLine>(kHelperLines[5]);
  const auto cursor = HelperLineAs<CursorLine>(kHelperLines[6]);
  EXPECT_EQ(cursor.offset, 1u);
  EXPECT_EQ(cursor.selection->anchor, 1u);
  EXPECT_EQ(cursor.selection->head, 2u);
  EXPECT_EQ(HelperLineAs<SetNameLine>(kHelperLines[7]).name, "n");
  EXPECT_EQ(HelperLineAs<SetColorLine>(kHelperLines[8]).color, "c");
  HelperLineAs<InfoLine>(kHelperLines[9]);
}

TEST(HelperLine, EachPrefixIsAParseError) {
  for (const std::string_view line : kHelperLines) {
    for (size_t size = 1; size < line.size(); ++size) {
      const LineError error = HelperLineError(line.substr(0, size));
      EXPECT_THAT(error.message, StartsWith("Parse error: "));
      EXPECT_EQ(error.code, "parse");
      EXPECT_EQ(error.request, "");
    }
  }
}

TEST(HelperLine, WhatFollowsIsAParseErrorUnlessItIsSpace) {
  for (const char* const text : kHelperLines) {
    const std::string line = text;
    EXPECT_TRUE(std::holds_alternative<EditorLine>(ReadEditorLine(" \t" + line + " \r")));
    for (const char* more : {"}", "x", "{}", "\x01"}) {
      EXPECT_EQ(HelperLineError(line + more).code, "parse");
    }
  }
}

TEST(HelperLine, ANulBehindTheJsonIsAParseError) {
  using std::string_literals::operator""s;
  EXPECT_EQ(HelperLineError(R"({"type":"info"})"s + "\0"s).code, "parse");
  EXPECT_EQ(HelperLineError(R"({"type":"info"})"s + "\0more"s).code, "parse");
}

TEST(HelperLine, MembersOfAWrongTypeAreNamed) {
  const struct {
    const char* type;
    const char* member;
    const char* others;
    bool must;
  } kMembers[] = {{"connect", "syncUrl", "", true},
                  {"connect", "awarenessUrl", R"(,"syncUrl":"ws://a")", false},
                  {"connect", "name", R"(,"syncUrl":"ws://a")", false},
                  {"connect", "color", R"(,"syncUrl":"ws://a")", false},
                  {"open", "docId", "", true},
                  {"edit", "content", "", true},
                  {"set_name", "name", "", true},
                  {"set_color", "color", "", true}};
  for (const auto& c : kMembers) {
    const std::string start = std::string(R"({"type":")") + c.type + "\"" + c.others;
    for (const char* value : {"7", "-1", "1.5", "true", "false", "[]", R"(["x"])", "{}", "null"}) {
      const std::string line = start + ",\"" + c.member + "\":" + value + "}";
      SCOPED_TRACE(line);
      if (!c.must && std::string_view(value) == "null") {
        EXPECT_TRUE(std::holds_alternative<EditorLine>(ReadEditorLine(line)));
        continue;
      }
      const LineError error = HelperLineError(line);
      EXPECT_THAT(error.message, StartsWith(std::string(c.type) + " needs \"" + c.member + "\": "));
      EXPECT_EQ(error.code, "bad_message");
      EXPECT_EQ(error.request, c.type);
    }
    if (!c.must) continue;
    EXPECT_EQ(HelperLineError(start + "}").code, "bad_message");
  }
}

TEST(HelperLine, ReadsNumbersOfAllSizes) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  const struct {
    const char* number;
    uint32_t offset;
  } kNumbers[] = {{"0", 0},
                  {"-0", 0},
                  {"-1", 0},
                  {"0.999", 0},
                  {"1e0", 1},
                  {"1.5e1", 15},
                  {"4294967295", kMost},
                  {"4294967296", kMost},
                  {"-9223372036854775809", 0},
                  {"18446744073709551615", kMost},
                  {"18446744073709551616", kMost},
                  {"1e308", kMost},
                  {"-1e308", 0},
                  {"1e-400", 0}};
  for (const auto& c : kNumbers) {
    SCOPED_TRACE(c.number);
    const std::string line = std::string(R"({"type":"cursor","offset":)") + c.number + "}";
    EXPECT_EQ(HelperLineAs<CursorLine>(line).offset, c.offset);
  }
}

TEST(HelperLine, NumbersThatNoDoubleHoldsAreAnErrorOrCut) {
  const auto line = ReadEditorLine(R"({"type":"cursor","offset":1e999})");
  if (const auto* error = std::get_if<LineError>(&line)) {
    EXPECT_THAT(error->code, AnyOf("parse", "bad_message"));
  }
}

TEST(HelperLine, SelectionsMayBeMissing) {
  EXPECT_FALSE(HelperLineAs<CursorLine>(R"({"type":"cursor","offset":1})").selection);
  EXPECT_FALSE(
      HelperLineAs<CursorLine>(R"({"type":"cursor","offset":1,"selection":null})").selection);
  const auto anchor =
      HelperLineAs<CursorLine>(R"({"type":"cursor","offset":1,"selection":{"anchor":4}})");
  EXPECT_EQ(anchor.selection->head, 4u);
  const auto head = HelperLineAs<CursorLine>(
      R"({"type":"cursor","offset":1,"selection":{"anchor":4,"head":null}})");
  EXPECT_EQ(head.selection->head, 4u);
}

TEST(HelperLine, LoneSurrogatesBecomeReplacementCharacters) {
  EXPECT_EQ(HelperLineAs<EditLine>(R"({"type":"edit","content":"\ud800x\udc00"})").content,
            "\xef\xbf\xbdx\xef\xbf\xbd");
  EXPECT_EQ(HelperLineError(R"({"type":"\ud800"})").message, "Unknown message type: \xef\xbf\xbd");
}

TEST(HelperLine, DeepAndWideLinesAreErrors) {
  const std::string deep = R"({"type":"info","x":)" + std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(HelperLineError(deep + "}").code, "too_large");
  EXPECT_THAT(HelperLineError(deep + "}").message, StartsWith("Too large: "));
  HelperLineError(std::string(1000000, '['));
  HelperLineError(R"({"type":"info","x":[)" + std::string(1000000, ','));
  std::string wide = R"({"type":"info","x":[0)";
  for (int i = 0; i < 20000; ++i) wide += ",0";
  EXPECT_EQ(HelperLineError(wide + "]}").code, "too_large");
}

TEST(HelperLine, MalformedUtf8AndControlCharactersAreParseErrors) {
  for (const std::string& bytes : {std::string("\xff"), std::string("\xc0\x80"),
                                   std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"),
                                   std::string(1, '\0'), std::string("\x01"), std::string("\n")}) {
    EXPECT_EQ(HelperLineError(R"({"type":"edit","content":")" + bytes + "\"}").code, "parse");
  }
}

TEST(HelperLine, UnknownTypesAreQuotedInPartOnly) {
  EXPECT_EQ(HelperLineError(R"({"type":"Edit"})").message, "Unknown message type: Edit");
  EXPECT_EQ(HelperLineError(R"({"type":""})").message, "Unknown message type: ");
  const LineError error = HelperLineError(R"({"type":")" + std::string(1000000, 'x') + "\"}");
  EXPECT_LT(error.message.size(), 300u);
  EXPECT_LT(error.request.size(), 300u);
  EXPECT_EQ(HelperLineError(R"({"type":null})").message, "Unknown message type: (none)");
}

TEST(HelperLine, UnknownMembersAreIgnored) {
  HelperLineAs<InfoLine>(R"({"x":[1,{"y":null}],"type":"info","content":7})");
}

}  // namespace
}  // namespace cursorwire::collab
