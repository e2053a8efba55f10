#include "terminal_session/key_reader.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "terminal_session/wide_text.h"

namespace cursor_chat {
namespace {

TEST(WideText, GoesBothWaysInAnyLocale) {
  const std::string text = "a\u00E4\u20AC\U0001F600\n";
  EXPECT_EQ(ToWide(text), L"a\u00E4\u20AC\U0001F600\n");
  EXPECT_EQ(ToUtf8(ToWide(text)), text);
  EXPECT_EQ(ToUtf8(ToWide("\xFF\xC3(\xED\xA0\x80\xE2\x82")),
            "\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(ToUtf8(std::wstring(1, static_cast<wchar_t>(0xD800))), "\uFFFD");
}

TEST(CleanPaste, HasPlainNewlinesAndNoControls) {
  EXPECT_EQ(CleanPaste("a\rb\r\nc\nd\t\x1B[31m\x03\x7F\u00E4"), "a\nb\nc\nd\t[31m\u00E4");
}

class KeyReaderTest : public ::testing::Test {
 protected:
  KeyReaderTest() { EXPECT_EQ(::pipe(ends_), 0); }
  ~KeyReaderTest() override {
    ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }
  void Type(std::string_view bytes) const {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void Hang() {
    ::close(ends_[1]);
    ends_[1] = -1;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(KeyReaderTest, GivesCharactersAndTheEnd) {
  KeyReader reader(ends_[0]);
  Type("a\u20AC");
  Hang();
  wchar_t character = 0;
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kCharacter);
  EXPECT_EQ(character, L'a');
  reader.Push(L'x');
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kCharacter);
  EXPECT_EQ(character, L'x');
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kCharacter);
  EXPECT_EQ(character, L'\u20AC');
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kEnd);
}

TEST_F(KeyReaderTest, ReadsAPasteUpToItsEnd) {
  KeyReader reader(ends_[0]);
  Type("one\rtwo\033[201~z");
  EXPECT_EQ(reader.ReadPaste(), "one\ntwo");
  wchar_t character = 0;
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kCharacter);
  EXPECT_EQ(character, L'z');
}

TEST_F(KeyReaderTest, ReadsAPasteThatTheTerminalCutsOff) {
  KeyReader reader(ends_[0]);
  Type("one\033[20");
  Hang();
  EXPECT_EQ(reader.ReadPaste(), "one[20");
}

TEST_F(KeyReaderTest, EndsAPasteByAKeyWhereItsEndIsLost) {
  using std::chrono::milliseconds;
  KeyReader reader(ends_[0], milliseconds(0));
  ::raise(SIGWINCH);
  Type("one\x03two\033[20");
  // Whatever was read by then, a key that comes alone and after it ends the paste.
  std::atomic<bool> ended = false;
  std::thread keys([&] {
    int waiting = 0;
    while (!ended && ::ioctl(ends_[0], FIONREAD, &waiting) == 0) {
      if (waiting == 0) Type("\x03");
    }
  });
  EXPECT_EQ(reader.ReadPaste(), "onetwo[20");
  ended = true;
  keys.join();
  wchar_t character = 0;
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kCharacter);
  EXPECT_EQ(character, L'\x03');
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kResized);  // it has waited
}

TEST_F(KeyReaderTest, TellsOfASizeThatChanged) {
  KeyReader reader(ends_[0]);
  ::raise(SIGWINCH);
  wchar_t character = 0;
  EXPECT_EQ(reader.Next(character), KeyReader::Event::kResized);
}

}  // namespace
}  // namespace cursor_chat
