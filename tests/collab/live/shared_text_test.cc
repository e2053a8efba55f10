#include "cursorwire/collab/shared_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "collab/cbor/cbor.h"
#include "collab/cbor/cbor_value.h"
#include "collab/repo/document_id.h"
#include "collab/repo/repo_message.h"
#include "collab/socket/script_server.h"
#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using test::IsOk;
using test::kPatience;

constexpr milliseconds kNoTime{0};

// Nothing that a text tells of.
std::string UnknownMessage() {
  CborValue::Map map;
  map.emplace_back(CborValue("type"), CborValue("gossip"));
  return WriteCbor(CborValue(map));
}

// Calls of `on_ready`.
class ReadyCount {
 public:
  void Add() {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  testing::AssertionResult Await(size_t count) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kPatience, [&] { return count_ >= count; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << count_ << " of " << count << " calls came";
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t count_ = 0;
};

// A text whose server says these messages after it has answered, and all of them wait to be taken.
class SharedTextTest : public ::testing::Test {
 protected:
  void TearDown() override {
    if (text_ != nullptr) text_->Close(kNoTime);
  }
  void Receive(std::vector<std::string> messages) {
    const size_t count = messages.size();
    server_ = std::make_unique<ScriptServer>(
        std::vector<ScriptServer::Script>{[messages = std::move(messages)](auto& socket) {
          ServerSocket stream(socket);
          stream.accept();
          const absl::StatusOr<RepoMessage> join = ReadRepoMessage(ReadMessage(stream));
          WriteMessage(stream, WriteRepoMessage(
                                   PeerMessage{.sender = "server",
                                               .target = std::get<JoinMessage>(join.value()).sender,
                                               .version = "1"}));
          for (const std::string& message : messages) WriteMessage(stream, message);
          for (;;) ReadMessage(stream);  // until the client closes
        }});
    // Nothing is due while the test runs, so that each call is for something that has come.
    auto text = SharedText::Open(
        {.url = server_->Url(),
         .text = {.document = DocumentId({1, 2, 3}).ToUrl(), .open_timeout = std::chrono::hours(1)},
         .on_ready = [this] { ready_.Add(); }});
    ASSERT_THAT(text, IsOk());
    text_ = *std::move(text);
    const std::optional<TextEvent> connected = text_->Next(kPatience);
    ASSERT_TRUE(connected && std::holds_alternative<TextConnected>(*connected));
    // The connection and the answer have been taken.
    ASSERT_TRUE(ready_.Await(2 + count));
  }
  // Messages that are no event, and then one that is.
  void ReceiveAFlood(size_t count) {
    std::vector<std::string> messages(count, UnknownMessage());
    messages.push_back(WriteRepoMessage(ErrorMessage{.message = "the end"}));
    Receive(std::move(messages));
  }
  bool IsTheEnd(const std::optional<TextEvent>& event) const {
    return event && std::holds_alternative<TextFailed>(*event);
  }

  ReadyCount ready_;
  std::unique_ptr<ScriptServer> server_;
  std::unique_ptr<SharedText> text_;
};

TEST_F(SharedTextTest, NextEndsAlthoughMessagesThatAreNoEventWait) {
  constexpr size_t kCount = 5;
  ReceiveAFlood(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_FALSE(text_->Next(kNoTime)) << "the time is over after each of them";
  }
  EXPECT_TRUE(IsTheEnd(text_->Next(kNoTime)));
}

TEST_F(SharedTextTest, NextGoesOnToTheEventBehindThemWhileThereIsTime) {
  ReceiveAFlood(5);
  EXPECT_TRUE(IsTheEnd(text_->Next(kPatience)));
}

TEST_F(SharedTextTest, WakeEndsANextThatHasMessagesToTake) {
  ReceiveAFlood(5);
  text_->Wake();
  EXPECT_FALSE(text_->Next(kPatience));
  EXPECT_TRUE(IsTheEnd(text_->Next(kPatience))) << "once";
}

TEST_F(SharedTextTest, WakeIsHeardBetweenEvents) {
  Receive({"no CBOR", "nor this", "nor that"});
  text_->Wake();
  EXPECT_TRUE(text_->Next(kPatience));
  EXPECT_FALSE(text_->Next(kPatience));
  EXPECT_TRUE(text_->Next(kPatience));
  EXPECT_TRUE(text_->Next(kPatience));
}

TEST_F(SharedTextTest, WakeEndsATakeEventThatHasMessagesToTake) {
  ReceiveAFlood(5);
  text_->Wake();
  const size_t calls = ready_.count();
  EXPECT_FALSE(text_->TakeEvent());
  EXPECT_TRUE(ready_.Await(calls + 1)) << "there is more to take";
  EXPECT_FALSE(text_->Next(kPatience)) << "it has not waited yet";
  EXPECT_TRUE(IsTheEnd(text_->TakeEvent()));
}

TEST_F(SharedTextTest, TakeEventEndsOnceForAWake) {
  ReceiveAFlood(5);
  text_->Wake();
  EXPECT_FALSE(text_->TakeEvent());
  EXPECT_TRUE(IsTheEnd(text_->TakeEvent()));
}

}  // namespace
}  // namespace cursorwire::collab
