#include "collab/oct/awareness_state.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "collab/oct/room_cipher.h"
#include "collab/oct/room_path.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;

constexpr const char* kHostState =
    R"({"peer":"cH4IxB","selection":{"path":"demo/src/add.js","textSelections":[],)"
    R"("visibleRanges":[{"start":{"line":0,"character":0},"end":{"line":10,"character":0}}]}})";

TEST(AwarenessState, IsReadAsAHostHasWrittenIt) {
  EXPECT_EQ(ReadAwarenessState(kHostState),
            (AwarenessState{.peer = "cH4IxB", .path = "demo/src/add.js"}));
}

TEST(AwarenessState, SaysNothingWhereItHasOtherTypes) {
  const std::string deep =
      std::string(kMaxAwarenessStateDepth + 1, '[') + std::string(kMaxAwarenessStateDepth + 1, ']');
  std::string many = "0";
  for (size_t i = 0; i < kMaxAwarenessStateValues; ++i) many += ",0";
  const struct {
    const char* name;
    std::string text;
  } cases[] = {
      {"nothing", ""},
      {"no JSON", "{"},
      {"bad UTF-8", "{\"peer\":\"\xff\"}"},
      {"null", "null"},
      {"a list", R"(["peer"])"},
      {"a text", R"("peer")"},
      {"no peer", R"({"selection":{"path":"x"}})"},
      {"a number", R"({"peer":5})"},
      {"an empty one", R"({"peer":""})"},
      {"a line feed", R"({"peer":"a\nb"})"},
      {"a long one", json{{"peer", std::string(RoomCipher::kMaxPeerIdBytes + 1, 'x')}}.dump()},
      {"deep", R"({"peer":"x","more":)" + deep + "}"},
      {"many values", R"({"peer":"x","more":[)" + many + "]}"},
      {"a large number", R"({"peer":"x","more":1e999})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ReadAwarenessState(c.text), std::nullopt);
  }
}

TEST(AwarenessState, NamesNoFileWhereItCannotBeNamed) {
  const struct {
    const char* name;
    json selection;
  } cases[] = {
      {"null", nullptr},
      {"a list", json::array({"path"})},
      {"a text", "demo/x"},
      {"without a path", json::object()},
      {"a number", {{"path", 5}}},
      {"an object", {{"path", json::object()}}},
      {"empty", {{"path", ""}}},
      {"escape", {{"path", "demo/\x1b[31m"}}},
      {"line feed", {{"path", "demo/a\nb"}}},
      {"NUL", {{"path", std::string("demo/\0", 6)}}},
      {"eight-bit control", {{"path", "demo/\xc2\x9b"}}},
      {"long", {{"path", std::string(kMaxRoomPathBytes + 1, 'x')}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ReadAwarenessState(json{{"peer", "x"}, {"selection", c.selection}}.dump()),
              (AwarenessState{.peer = "x"}));
  }
  const std::string longest(kMaxRoomPathBytes, 'x');
  EXPECT_EQ(ReadAwarenessState(json{{"peer", "x"}, {"selection", {{"path", longest}}}}.dump()),
            (AwarenessState{.peer = "x", .path = longest}));
}

TEST(AwarenessState, IsWrittenAsOtherClientsHaveIt) {
  EXPECT_EQ(WriteAwarenessState("us", std::nullopt), R"({"peer":"us"})");
  const RoomCaret caret{.path = "demo/x", .position = {.item = yjs::Id{1001, 3}}};
  const json position = {{"type", nullptr},
                         {"tname", "demo/x"},
                         {"item", {{"client", 1001}, {"clock", 3}}},
                         {"assoc", 0}};
  const json selection = {{"direction", 1}, {"start", position}, {"end", position}};
  const json expected = {
      {"peer", "us"},
      {"selection", {{"path", "demo/x"}, {"textSelections", json::array({selection})}}}};
  EXPECT_EQ(json::parse(WriteAwarenessState("us", caret)), expected);
}

TEST(AwarenessState, IsWrittenForTheEndOfATextAndOfAnItem) {
  const auto start = [](const RoomCaret& caret) {
    const json state = json::parse(WriteAwarenessState("us", caret));
    return state["selection"]["textSelections"][0]["start"];
  };
  EXPECT_EQ(start({.path = "x", .position = {.root_name = "x"}}),
            (json{{"type", nullptr}, {"tname", "x"}, {"item", nullptr}, {"assoc", 0}}));
  EXPECT_EQ(start({.path = "x", .position = {.type = yjs::Id{1, 2}, .assoc = -1}}),
            (json{{"type", {{"client", 1}, {"clock", 2}}},
                  {"tname", nullptr},
                  {"item", nullptr},
                  {"assoc", -1}}));
}

TEST(AwarenessState, CanBeWrittenForBytesThatAreNotUtf8) {
  EXPECT_EQ(WriteAwarenessState("\xff", std::nullopt), "{\"peer\":\"\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace cursorwire::oct
