#include "workspace/fs/text_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace cursorwire::workspace {
namespace {

using namespace std::string_literals;
using ::testing::Optional;

// A, umlaut, euro sign, a pair, newline.
const char kText[] = "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n";
const std::string kLittle =
    "\xFF\xFE"
    "A\0\xE4\0\xAC\x20\x3D\xD8\x00\xDE\n\0"s;
const std::string kBig = "\xFE\xFF\0A\0\xE4\x20\xAC\xD8\x3D\xDE\x00\0\n"s;

TEST(TextEncoding, IsToldByTheBytes) {
  const struct {
    const char* name;
    std::string content;
    TextEncoding encoding;
  } kCases[] = {
      {"empty", "", TextEncoding::kUtf8},
      {"ASCII", "a\r\n", TextEncoding::kUtf8},
      {"UTF-8", kText, TextEncoding::kUtf8},
      {"a mark",
       "\xEF\xBB\xBF"
       "a",
       TextEncoding::kUtf8Mark},
      {"UTF-16, little", kLittle, TextEncoding::kUtf16Le},
      {"UTF-16, big", kBig, TextEncoding::kUtf16Be},
      {"a mark alone", "\xFF\xFE", TextEncoding::kUtf16Le},
      {"Latin-1", "caf\xE9\n", TextEncoding::kOtherText},
      {"Latin-1 after a mark", "\xFF\xFE\x80", TextEncoding::kOtherText},
      {"no mark", "A\0\n\0"s, TextEncoding::kNoText},
      {"half a unit", kLittle.substr(0, 5), TextEncoding::kNoText},
      {"half a pair", "\xFF\xFE\x3D\xD8"s, TextEncoding::kOtherText},
      {"half a pair and more",
       "\xFF\xFE\x3D\xD8"
       "A\0"s,
       TextEncoding::kNoText},
      {"second half first", "\xFF\xFE\x00\xDE"s, TextEncoding::kNoText},
      {"a zero character", "\xFF\xFE\0\0"s, TextEncoding::kNoText},
      {"UTF-32", "\xFF\xFE\0\0A\0\0\0"s, TextEncoding::kNoText},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(EncodingOf(c.content), c.encoding);
  }
}

TEST(TextEncoding, GoesThereAndBack) {
  EXPECT_THAT(Utf16ToUtf8(kLittle), Optional(std::string(kText)));
  EXPECT_THAT(Utf16ToUtf8(kBig), Optional(std::string(kText)));
  EXPECT_EQ(EncodeText(kText, TextEncoding::kUtf16Le), kLittle);
  EXPECT_EQ(EncodeText(kText, TextEncoding::kUtf16Be), kBig);
  std::string all;
  for (char32_t c :
       {0x1U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    // As a decoder that is not ours has it: a unit or a pair.
    std::string content = "\xFF\xFE";
    for (const char16_t unit : c < 0x10000
                                   ? std::u16string(1, static_cast<char16_t>(c))
                                   : std::u16string{static_cast<char16_t>(0xD7C0 + (c >> 10)),
                                                    static_cast<char16_t>(0xDC00 + (c & 0x3FF))}) {
      content += static_cast<char>(unit & 0xFF);
      content += static_cast<char>(unit >> 8);
    }
    const std::optional<std::string> text = Utf16ToUtf8(content);
    ASSERT_TRUE(text) << static_cast<uint32_t>(c);
    EXPECT_EQ(EncodeText(*text, TextEncoding::kUtf16Le), content) << static_cast<uint32_t>(c);
  }
}

TEST(TextEncoding, HasItsMarkOnce) {
  EXPECT_EQ(EncodeText("a", TextEncoding::kUtf8Mark),
            "\xEF\xBB\xBF"
            "a");
  EXPECT_EQ(EncodeText("\xEF\xBB\xBF"
                       "a",
                       TextEncoding::kUtf8Mark),
            "\xEF\xBB\xBF"
            "a");
  EXPECT_EQ(EncodeText("\xEF\xBB\xBF"
                       "a",
                       TextEncoding::kUtf16Le),
            "\xFF\xFE"
            "a\0"s);
  EXPECT_EQ(EncodeText("a", TextEncoding::kUtf8), "a");
}

}  // namespace
}  // namespace cursorwire::workspace
