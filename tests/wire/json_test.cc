#include "wire/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"
#include "support/status_matchers.h"

namespace cursorwire::wire {
namespace {

using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

std::string Nested(int depth, std::string_view open, std::string_view close,
                   std::string_view inner) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += inner;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

// `count` times `item`, with commas between.
std::string Repeated(size_t count, std::string_view item) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += item;
  }
  return text;
}

TEST(ParseJson, ReadsValidTexts) {
  const struct {
    const char* name;
    std::string_view text;
    std::string_view compact;  // the same as WriteJson() has it
  } kCases[] = {
      {"null", "null", "null"},
      {"true", "true", "true"},
      {"false", "false", "false"},
      {"white space around", " \t\r\n1 \t\r\n", "1"},
      {"zero", "0", "0"},
      {"negative zero", "-0", "-0"},
      {"integer", "1234567890123456789012345", "1234567890123456789012345"},
      {"fraction", "-10.50", "-10.50"},
      {"exponents", "[1e5,1E+5,0e-05,1.5e0]", "[1e5,1E+5,0e-05,1.5e0]"},
      {"empty string", "\"\"", "\"\""},
      {"empty array", "[ ]", "[]"},
      {"empty object", "{ }", "{}"},
      {"array", "[ 1 , \"a\" , null , [ true ] ]", "[1,\"a\",null,[true]]"},
      {"object", "{ \"a\" : 1 , \"b\" : { } }", "{\"a\":1,\"b\":{}}"},
      {"empty name", "{\"\":0}", "{\"\":0}"},
      {"duplicate names in order", "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":1,\"b\":2,\"a\":3}"},
      {"utf-8", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
       "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
      {"delete is no control character", "\"\x7F\"", "\"\x7F\""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<Json> value = ParseJson(c.text);
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(WriteJson(*value), c.compact);
  }
}

TEST(ParseJson, GivesKindsAndValues) {
  const absl::StatusOr<Json> value =
      ParseJson(R"([null, true, false, -1.5e3, "text", [1, 2], {"a": "b"}])");
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(value->kind, Json::Kind::kArray);
  EXPECT_TRUE(value->is_array());
  ASSERT_EQ(value->items.size(), 7u);
  EXPECT_TRUE(value->items[0].is_null());
  EXPECT_EQ(value->items[1].kind, Json::Kind::kBool);
  EXPECT_TRUE(value->items[1].boolean);
  EXPECT_EQ(value->items[2].kind, Json::Kind::kBool);
  EXPECT_FALSE(value->items[2].boolean);
  EXPECT_EQ(value->items[3].kind, Json::Kind::kNumber);
  EXPECT_EQ(value->items[3].text, "-1.5e3");
  EXPECT_TRUE(value->items[4].is_string());
  EXPECT_EQ(value->items[4].text, "text");
  EXPECT_EQ(value->items[5].items.size(), 2u);
  EXPECT_TRUE(value->items[6].is_object());
  EXPECT_EQ(value->items[6].FindString("a"), "b");
}

TEST(ParseJson, DecodesStrings) {
  const struct {
    const char* name;
    std::string_view text;
    std::string_view value;
  } kCases[] = {
      {"short escapes", R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {"escaped zero", R"("a\u0000b")", std::string_view("a\0b", 3)},
      {"one byte", R"("\u0041\u007f")", "A\x7F"},
      {"two bytes", R"("\u0080\u00e9\u07FF")", "\xC2\x80\xC3\xA9\xDF\xBF"},
      {"three bytes", R"("\u0800\u20aC\uFFFF")", "\xE0\xA0\x80\xE2\x82\xAC\xEF\xBF\xBF"},
      {"around the surrogates", R"("\uD7FF\uE000")", "\xED\x9F\xBF\xEE\x80\x80"},
      {"first pair", R"("\uD800\uDC00")", "\xF0\x90\x80\x80"},
      {"pair in lower case", R"("\ud83d\ude00")", "\xF0\x9F\x98\x80"},
      {"last pair", R"("\uDBFF\uDFFF")", "\xF4\x8F\xBF\xBF"},
      {"lone high at the end", R"("a\uD800")", "a\xEF\xBF\xBD"},
      {"lone high before text", R"("\uD800x")", "\xEF\xBF\xBDx"},
      {"lone high before a short escape", R"("\uD800\n")", "\xEF\xBF\xBD\n"},
      {"lone high before another escape", R"("\uD800\u0041")",
       "\xEF\xBF\xBD"
       "A"},
      {"lone high before a pair", R"("\uD800\uD83D\uDE00")", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
      {"lone low", R"("\uDC00a")",
       "\xEF\xBF\xBD"
       "a"},
      {"pair the wrong way round", R"("\uDE00\uD83D")", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"escapes between text", R"(" a\tb ")", " a\tb "},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<Json> value = ParseJson(c.text);
    ASSERT_THAT(value, IsOk());
    EXPECT_TRUE(value->is_string());
    EXPECT_EQ(value->text, c.value);
  }
}

TEST(ParseJson, RefusesInvalidTexts) {
  const struct {
    const char* name;
    std::string_view text;
  } kCases[] = {
      {"empty", ""},
      {"white space alone", " \n"},
      {"byte order mark", "\xEF\xBB\xBF{}"},
      {"form feed as white space", "\f1"},
      {"unknown word", "nul"},
      {"word in capitals", "True"},
      {"word with a tail", "truex"},
      {"two values", "1 2"},
      {"NaN", "NaN"},
      {"plus sign", "+1"},
      {"minus alone", "-"},
      {"leading zero", "01"},
      {"negative leading zero", "-01"},
      {"no digit before the point", ".5"},
      {"no digit after the point", "1."},
      {"no digit in the exponent", "1e"},
      {"signed exponent without digit", "1e+"},
      {"two signs in the exponent", "1e+-1"},
      {"hexadecimal", "0x1"},
      {"array not closed", "[1"},
      {"array with trailing comma", "[1,]"},
      {"array with leading comma", "[,1]"},
      {"array without comma", "[1 2]"},
      {"array closed as object", "[1}"},
      {"closed twice", "[]]"},
      {"object not closed", "{\"a\":1"},
      {"object with trailing comma", "{\"a\":1,}"},
      {"object without colon", "{\"a\" 1}"},
      {"object without value", "{\"a\":}"},
      {"object without name", "{:1}"},
      {"name without quotes", "{a:1}"},
      {"number as name", "{1:1}"},
      {"name alone", "{\"a\"}"},
      {"single quotes", "'a'"},
      {"comment", "1 // one"},
      {"string not closed", "\"a"},
      {"string not closed after escape", "\"a\\\""},
      {"string ends in backslash", "\"\\"},
      {"unknown escape", "\"\\x41\""},
      {"escaped capital", "\"\\N\""},
      {"unicode escape too short", "\"\\u12\""},
      {"unicode escape at the end", "\"\\u"},
      {"unicode escape of no hex digit", "\"\\u12G4\""},
      {"unicode escape with sign", "\"\\u+123\""},
      {"broken second half of a pair", "\"\\uD800\\u12\""},
      {"line feed in a string", "\"a\nb\""},
      {"tab in a string", "\"\t\""},
      {"zero in a string", std::string_view("\"\0\"", 3)},
      {"last control character in a string", "\"\x1F\""},
      {"control character in a name", "{\"\x01\":1}"},
      {"zero after the value", std::string_view("1\0", 2)},
      {"lone continuation byte", "\"\x80\""},
      {"overlong", "\"\xC0\xAF\""},
      {"encoded surrogate", "\"\xED\xA0\x80\""},
      {"sequence cut by the quote", "\"\xE2\x82\""},
      {"above U+10FFFF", "\"\xF4\x90\x80\x80\""},
      {"no utf-8 outside of a string", "\xFF"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<Json> value = ParseJson(c.text);
    EXPECT_THAT(value, StatusIs(absl::StatusCode::kInternal));
    EXPECT_THAT(connect::GetErrorInfo(value.status()),
                Optional(ErrorInfo{.origin = ErrorOrigin::kProtocol}));
  }
}

TEST(ParseJson, RefusesAValidTextCutAnywhere) {
  const std::string text =
      R"({"code":"internal","details":[{"x":-1.5e3,"y":[true,null]},"\u00e9"]})";
  ASSERT_THAT(ParseJson(text), IsOk());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(ParseJson(std::string_view(text).substr(0, size)),
                StatusIs(absl::StatusCode::kInternal))
        << "cut to " << size;
  }
}

TEST(ParseJson, NamesTheByteAndNeverQuotesTheText) {
  const absl::Status error = ParseJson(R"({"secret": oops})").status();
  EXPECT_THAT(error, StatusIs(absl::StatusCode::kInternal, HasSubstr("byte 11 of 16")));
  EXPECT_THAT(error.ToString(), Not(HasSubstr("secret")));
  EXPECT_THAT(error.ToString(), Not(HasSubstr("oops")));
}

TEST(ParseJson, NestsUpToTheLimit) {
  for (const std::string_view inner : {"", "1"}) {
    SCOPED_TRACE(inner);
    EXPECT_THAT(ParseJson(Nested(kMaxJsonDepth, "[", "]", inner)), IsOk());
    EXPECT_THAT(ParseJson(Nested(kMaxJsonDepth + 1, "[", "]", inner)),
                StatusIs(absl::StatusCode::kInternal));
  }
  EXPECT_THAT(ParseJson(Nested(kMaxJsonDepth, "{\"a\":", "}", "1")), IsOk());
  EXPECT_THAT(ParseJson(Nested(kMaxJsonDepth + 1, "{\"a\":", "}", "1")),
              StatusIs(absl::StatusCode::kInternal));
}

TEST(ParseJson, SurvivesVeryDeepTexts) {
  EXPECT_THAT(ParseJson(std::string(1000000, '[')), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(ParseJson(Nested(100000, "{\"a\":[", "]}", "")),
              StatusIs(absl::StatusCode::kInternal));
}

TEST(ParseJson, SaysWhichBoundIsReached) {
  EXPECT_THAT(ParseJson(Nested(kMaxJsonDepth + 1, "[", "]", "")),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("nested deeper than 64 at byte 64")));
  EXPECT_THAT(ParseJson("[1" + std::string(2 * kMaxJsonValues, ',') + "]"),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("syntax error")));
}

TEST(ParseJson, CountsDepthAndNotLength) {
  std::string text = "[0";
  for (int i = 0; i < 1000; ++i) text += ",[{}]";
  const absl::StatusOr<Json> value = ParseJson(text + "]");
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(value->items.size(), 1001u);
}

TEST(ParseJson, ReadsValuesUpToTheLimit) {
  EXPECT_EQ(kMaxJsonValues, 65'536u);
  const struct {
    const char* name;
    std::string open;
    std::string_view item;
    std::string close;
    size_t count;  // of the items, with which the text has 65,536 values
  } kCases[] = {
      {"array", "[", "0", "]", 65'535},
      {"white space", " [ ", " null ", " ] ", 65'535},
      {"strings", "[", "\"0\"", "]", 65'535},
      {"arrays", "[", "[]", "]", 65'535},
      {"members, whose names do not count", "{", "\"a\":0", "}", 65'535},
      {"array in an object", "{\"a\":[", "true", "]}", 65'534},
      {"all levels together", "[", "[[0],{\"a\":1}]", "]", 13'107},
      {"spread over two arrays", "[[" + Repeated(30'000, "0") + "],[", "0", "]]", 35'533},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ParseJson(c.open + Repeated(c.count, c.item) + c.close), IsOk());
    const absl::StatusOr<Json> refused =
        ParseJson(c.open + Repeated(c.count + 1, c.item) + c.close);
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kInternal));
    EXPECT_THAT(connect::GetErrorInfo(refused.status()),
                Optional(ErrorInfo{.origin = ErrorOrigin::kProtocol}));
  }
}

TEST(ParseJson, CountsTheValuesOfEachTextAnew) {
  const std::string text = "[" + Repeated(40'000, "0") + "]";
  EXPECT_THAT(ParseJson(text), IsOk());
  EXPECT_THAT(ParseJson(text), IsOk());
}

TEST(Json, FindsTheLastMemberOfAName) {
  const absl::StatusOr<Json> value = ParseJson(R"({"a": 1, "b": "x", "a": "last", "b": 2})");
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(value->members.size(), 4u);
  ASSERT_NE(value->Find("a"), nullptr);
  EXPECT_EQ(value->Find("a")->text, "last");
  EXPECT_EQ(value->FindString("a"), "last");
  EXPECT_EQ(value->FindString("b"), "");  // the last one is a number
  EXPECT_EQ(value->Find("c"), nullptr);
  EXPECT_EQ(value->FindString("c"), "");
}

TEST(Json, ComparesDecodedNames) {
  const absl::StatusOr<Json> value = ParseJson(R"({"\u0063ode": "x"})");
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(value->FindString("code"), "x");
}

TEST(Json, FindsNothingInOtherKinds) {
  for (const std::string_view text : {"null", "1", "\"a\"", "[\"a\"]"}) {
    const absl::StatusOr<Json> value = ParseJson(text);
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(value->Find("a"), nullptr) << text;
  }
}

TEST(AppendJsonString, EscapesWhatItMust) {
  const struct {
    const char* name;
    std::string_view text;
    std::string_view json;
  } kCases[] = {
      {"empty", "", R"("")"},
      {"plain", "a/b", R"("a/b")"},
      {"quote and backslash", "\"\\", R"("\"\\")"},
      {"line feed", "\n", R"("\n")"},
      {"zero", std::string_view("\0", 1), R"("\u0000")"},
      {"last control character", "\x1F", R"("\u001f")"},
      {"delete", "\x7F", "\"\x7F\""},
      {"utf-8", "\xC3\xA9\xF0\x9F\x98\x80", "\"\xC3\xA9\xF0\x9F\x98\x80\""},
      {"lone continuation", "a\x80z", "\"a\xEF\xBF\xBDz\""},
      {"cut sequence", "a\xC3", "\"a\xEF\xBF\xBD\""},
      {"cut sequence before a quote", "\xE2\"", "\"\xEF\xBF\xBD\\\"\""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    std::string out = "before:";
    AppendJsonString(c.text, out);
    EXPECT_EQ(out, "before:" + std::string(c.json));
  }
}

TEST(AppendJsonString, IsReadBackTheSame) {
  std::string every_ascii;
  for (int i = 0; i < 128; ++i) every_ascii.push_back(static_cast<char>(i));
  for (const std::string& text :
       {every_ascii, std::string("\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF4\x8F\xBF\xBF"),
        std::string("\\u0041 \\\" \\")}) {
    std::string json;
    AppendJsonString(text, json);
    const absl::StatusOr<Json> value = ParseJson(json);
    ASSERT_THAT(value, IsOk());
    EXPECT_TRUE(value->is_string());
    EXPECT_EQ(value->text, text);
  }
}

TEST(AppendJsonString, GivesValidJsonForAnyTwoBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::string json;
      AppendJsonString(std::string{static_cast<char>(first), static_cast<char>(second)}, json);
      ASSERT_THAT(ParseJson(json), IsOk()) << first << ", " << second;
    }
  }
}

TEST(WriteJson, IsReadBackTheSame) {
  const std::string text = R"({"a\"b":[1,-2.5e3,"\u0001\n",{"":null}],"c":{"d":[true,false,[]]}})";
  const absl::StatusOr<Json> value = ParseJson(text);
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(WriteJson(*value), text);
}

}  // namespace
}  // namespace cursorwire::wire
