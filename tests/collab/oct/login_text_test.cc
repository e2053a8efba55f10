#include "collab/oct/login_text.h"

#include <gtest/gtest.h>

#include <string>

#include "crdt/text/text_size.h"

namespace cursorwire::oct {
namespace {

constexpr char kSecretOfText[] = "eYpA-secret-of-a-test-0123456789";

std::string CleanText(const std::string& text) {
  return LoginText(text, connect::Redactor({kSecretOfText}));
}
std::string ErrorText(const std::string& body) {
  return LoginErrorText(body, connect::Redactor({kSecretOfText}));
}

TEST(LoginText, FailureTextWithEscapeCodes) {
  EXPECT_EQ(CleanText("\x1b[2J\x1b]0;title\a gone \x7F"), "[2J]0;title gone");
  EXPECT_EQ(CleanText("one\r\ntwo\tthree\u2028four"), "one  two threefour");
  EXPECT_EQ(CleanText("a\u009B31mb\u200B\u202Ec"), "a31mbc");
  EXPECT_EQ(CleanText("bad \xFF\xC3 bytes"), "bad \uFFFD\uFFFD bytes");
  EXPECT_EQ(CleanText(std::string("nu\0l", 4)), "nul");
  EXPECT_EQ(CleanText("J\u00FCrgen"), "J\u00FCrgen");
}

TEST(LoginText, IsCut) {
  EXPECT_EQ(CleanText(std::string(2000, 'x')), std::string(kMaxLoginTextCharacters, 'x'));
  std::string umlauts;
  for (int i = 0; i < 600; ++i) umlauts += "\u00FC";
  EXPECT_EQ(crdt::Measure(CleanText(umlauts)).code_points, kMaxLoginTextCharacters);
  EXPECT_EQ(CleanText(std::string(size_t{1} << 20, '\x1b') + "x"), "");
}

TEST(LoginText, HasNoSecrets) {
  const std::string secret = kSecretOfText;
  EXPECT_EQ(CleanText("no " + secret + "!"), "no (redacted)!");
  // Taken apart by what nobody sees.
  EXPECT_EQ(CleanText("no " + secret.substr(0, 9) + "\u200B\x1b" + secret.substr(9)),
            "no (redacted)");
  EXPECT_EQ(CleanText("a token eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IngifQ.abc"), "a token (redacted)");
}

TEST(LoginText, OfErrors) {
  const struct {
    const char* name;
    std::string body;
    const char* text;
  } kCases[] = {
      {"message and code", R"({"code":"RoomNotFound","params":[],"message":"Room not found"})",
       "Room not found (RoomNotFound)"},
      {"message alone", R"({"message":"Gone"})", "Gone"},
      {"code alone", R"({"code":"Gone","message":7})", "Gone"},
      {"neither", R"({"params":[]})", ""},
      {"escape codes in JSON", R"({"code":"A","message":"\u001b[31mred\nline"})",
       "[31mred line (A)"},
      {"plain text", "Forbidden resource", "Forbidden resource"},
      {"a list", "[1]", "[1]"},
      {"a page", " <!DOCTYPE html><html><body>Not found</body></html>", ""},
      {"nothing", "", ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ErrorText(c.body), c.text);
  }
}

}  // namespace
}  // namespace cursorwire::oct
