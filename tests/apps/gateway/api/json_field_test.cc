#include "api/json_field.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "api/api_error.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using nlohmann::json;

const json kObject = json::parse(
    R"({"text":"x","flag":true,"list":[1],"object":{"a":1},"nothing":null,"number":7})");

TEST(JsonField, CountsNullAsAbsent) {
  EXPECT_EQ(*FieldOf(kObject, "number"), 7);
  for (const char* name : {"nothing", "missing"}) {
    SCOPED_TRACE(name);
    std::string text = "kept";
    bool flag = true;
    const json* value = &kObject;
    EXPECT_EQ(FieldOf(kObject, name), nullptr);
    EXPECT_THAT(ReadString(kObject, name, text), IsOk());
    EXPECT_THAT(ReadFlag(kObject, name, flag), IsOk());
    EXPECT_THAT(ReadList(kObject, name, value), IsOk());
    EXPECT_THAT(ReadObject(kObject, name, value), IsOk());
    EXPECT_EQ(text, "kept");
    EXPECT_TRUE(flag);
    EXPECT_EQ(value, &kObject);
    EXPECT_EQ(ApiErrorOf(RequireString(kObject, name, text, "a.")).param, std::string("a.") + name);
  }
  for (const json& other : {json(), json(7), json("text"), json::array({1})}) {
    EXPECT_EQ(FieldOf(other, "text"), nullptr) << other;
    EXPECT_EQ(TextOf(other, "text"), "") << other;
  }
}

TEST(JsonField, ReadsWhatIsThere) {
  std::string text;
  bool flag = false;
  const json* list = nullptr;
  const json* object = nullptr;
  EXPECT_THAT(RequireString(kObject, "text", text), IsOk());
  EXPECT_THAT(ReadFlag(kObject, "flag", flag), IsOk());
  EXPECT_THAT(ReadList(kObject, "list", list), IsOk());
  EXPECT_THAT(ReadObject(kObject, "object", object), IsOk());
  EXPECT_EQ(text, "x");
  EXPECT_EQ(TextOf(kObject, "text"), "x");
  EXPECT_EQ(TextOf(kObject, "number"), "");
  EXPECT_TRUE(flag);
  EXPECT_EQ(list, &kObject["list"]);
  EXPECT_EQ(object, &kObject["object"]);
}

TEST(JsonField, NamesAFieldOfAnotherType) {
  std::string text;
  bool flag = false;
  const json* value = nullptr;
  const absl::Status statuses[] = {
      ReadString(kObject, "number", text, "a."), RequireString(kObject, "number", text, "a."),
      ReadFlag(kObject, "number", flag, "a."), ReadList(kObject, "number", value, "a."),
      ReadObject(kObject, "number", value, "a.")};
  for (const absl::Status& status : statuses) {
    const ApiError error = ApiErrorOf(status);
    EXPECT_EQ(error.status, 400);
    EXPECT_EQ(error.param, "a.number");
    EXPECT_EQ(error.message.find("'a.number' must be a"), 0U) << error.message;
  }
}

}  // namespace
}  // namespace cursor_gateway
