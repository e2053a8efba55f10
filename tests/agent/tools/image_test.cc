#include "cursorwire/chat.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire {
namespace {

TEST(ImageMimeType, KnowsNoOtherFiles) {
  for (const std::string& bytes :
       {std::string(), std::string("\xFF\xD8"), std::string("\x89PNG"), std::string("GIF88a"),
        std::string("RIFF\x10\x00\x00\x00WAVE", 12), std::string("RIFF\x10\x00\x00\x00WEB", 11),
        std::string("BM"), std::string("<svg/>")}) {
    SCOPED_TRACE(bytes);
    EXPECT_FALSE(ImageMimeType(bytes).has_value());
  }
}

}  // namespace
}  // namespace cursorwire
