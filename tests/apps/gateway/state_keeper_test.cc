#include "state/state_keeper.h"

#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/loop_thread.h"
#include "apps/gateway/replica.h"
#include "state/state_store.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using cursorwire::test::IsOk;
using cursorwire::test::ScratchFolder;
using cursorwire::test::StatusIs;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A database that hangs, as a disk does that is full of errors, until it is told to fail.
class HangingDatabase final : public SqlDatabase {
 public:
  explicit HangingDatabase(std::shared_future<void> until) : until_(std::move(until)) {}
  absl::StatusOr<bool> Connect() override {
    until_.wait();
    return absl::UnavailableError("it hung");
  }
  absl::StatusOr<std::vector<SqlRow>> Run(const std::string&,
                                          const std::vector<SqlValue>&) override {
    return absl::InternalError("nothing is connected");
  }
  const SqlDialect& dialect() const override { return dialect_; }

 private:
  const std::shared_future<void> until_;
  const SqlDialect dialect_;
};

// One that needs more memory than there is.
class ThrowingDatabase final : public SqlDatabase {
 public:
  absl::StatusOr<bool> Connect() override { throw std::bad_alloc(); }
  absl::StatusOr<std::vector<SqlRow>> Run(const std::string&,
                                          const std::vector<SqlValue>&) override {
    return absl::InternalError("nothing is connected");
  }
  const SqlDialect& dialect() const override { return dialect_; }

 private:
  const SqlDialect dialect_{};
};

using Entries = absl::StatusOr<StateStore::Entries>;
const StateKey kName{StateKind::kConversation, "name"};

class StateKeeperTest : public ::testing::Test {
 protected:
  ~StateKeeperTest() override {
    thread_.Do([this] { keeper_.reset(); });
  }
  void Keep(std::unique_ptr<StateStore> store) {
    thread_.Do([&] {
      keeper_ =
          std::make_unique<StateKeeper>(thread_.loop(), metrics_, std::move(store),
                                        [this](const std::string& line) { log_.push_back(line); });
    });
  }
  std::future<Entries> Get() {
    auto answer = std::make_shared<std::promise<Entries>>();
    thread_.Do([&] {
      keeper_->GetAll({kName}, "", kMaxStateBytes,
                      [answer](Entries entries) { answer->set_value(std::move(entries)); });
    });
    return answer->get_future();
  }

  LoopThread thread_;
  Metrics metrics_;               // on the loop's thread
  std::vector<std::string> log_;  // the same
  std::unique_ptr<StateKeeper> keeper_;
};

TEST_F(StateKeeperTest, DoesNotWaitForAStoreThatHangs) {
  std::promise<void> end;
  Keep(std::make_unique<StateStore>(std::make_unique<HangingDatabase>(end.get_future().share())));
  std::future<Entries> first = Get();
  thread_.Advance(kStateTimeout);
  EXPECT_THAT(first.get(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  // It is not asked again while it hangs.
  EXPECT_THAT(Get().get(), StatusIs(absl::StatusCode::kResourceExhausted));
  // The first was the sweep at the start. The log has one line until it works again.
  thread_.Do([this] {
    EXPECT_EQ(metrics_.state_errors, 3U);
    EXPECT_THAT(log_, ElementsAre(HasSubstr("no answer within three seconds")));
  });
  end.set_value();
  // Its own error, once it has answered those that nobody waits for any more.
  absl::Status status;
  for (int i = 0; i < 1000 && status.code() != absl::StatusCode::kUnavailable; ++i) {
    status = Get().get().status();
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(StateKeeperTest, OutlivesAStoreThatThrows) {
  Keep(std::make_unique<StateStore>(std::make_unique<ThrowingDatabase>()));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Get().get(), StatusIs(absl::StatusCode::kInternal, HasSubstr("bad_alloc")));
  }
}

TEST_F(StateKeeperTest, GivesBackWhatIsNotHeldAnyMore) {
  const ScratchFolder folder;
  auto opened = OpenState(folder.path());
  ASSERT_THAT(opened, IsOk());
  Keep(std::move(opened->store));
  const auto claim = [this] {
    std::promise<std::shared_ptr<StateHold>> answer;
    thread_.Do([&] {
      keeper_->Claim(kName, "note", kClaimLease, -1, [&](absl::StatusOr<StateClaimed> claimed) {
        ASSERT_THAT(claimed, IsOk());
        EXPECT_EQ(claimed->note, claimed->hold == nullptr ? "note" : "");
        answer.set_value(std::move(claimed->hold));
      });
    });
    return answer.get_future().get();
  };
  std::shared_ptr<StateHold> hold = claim();
  EXPECT_NE(hold, nullptr);
  EXPECT_EQ(claim(), nullptr);
  thread_.Do([&] { hold.reset(); });
  hold = claim();
  EXPECT_NE(hold, nullptr);
  // Who drops it can claim the key at once.
  thread_.Do([&] { hold.reset(); });
  std::promise<bool> claimed_again;
  thread_.Do([&] {
    keeper_->Claim(kName, "", kClaimLease, -1, [&](absl::StatusOr<StateClaimed> first) {
      first->hold.reset();
      keeper_->Claim(kName, "", kClaimLease, -1, [&](const absl::StatusOr<StateClaimed>& second) {
        claimed_again.set_value(second.ok() && second->hold != nullptr);
      });
    });
  });
  EXPECT_TRUE(claimed_again.get_future().get());
  hold = claim();
  // Its end after that of the keeper has no effect.
  thread_.Do([this] { keeper_.reset(); });
  hold.reset();
}

TEST_F(StateKeeperTest, WritesWhatWaitsAtItsEnd) {
  const ScratchFolder folder;
  auto opened = OpenState(folder.path());
  ASSERT_THAT(opened, IsOk());
  Keep(std::move(opened->store));
  thread_.Do([this] {
    keeper_->Put(kName, {.value = "v", .blobs = {std::string(1'000'000, 'b')}}, kStateLife,
                 nullptr);
    keeper_.reset();
  });
  opened = OpenState(folder.path());
  Keep(std::move(opened->store));
  const Entries entries = Get().get();
  ASSERT_THAT(entries, IsOk());
  EXPECT_TRUE(entries->front().has_value());
}

TEST_F(StateKeeperTest, HoldsNothingAfterItsEnd) {
  std::promise<void> end;
  Keep(std::make_unique<StateStore>(std::make_unique<HangingDatabase>(end.get_future().share())));
  // As a call does whose answer goes on with a turn, which uses more of the gateway.
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> turn = held;
  thread_.Do([&] {
    keeper_->Take(kName, [held = std::move(held)](const auto&) {});
    end.set_value();
    keeper_.reset();
    EXPECT_TRUE(turn.expired());
  });
}

TEST(HangingState, DoesNotFailARequest) {
  auto upstream = cursorwire::LocalUpstream::Start(
      {.scripts = {Script().WhenPrompt(R"("one")").Text("a").TurnEnded(),
                   Script().WhenPrompt(R"("two")").Text("b").TurnEnded()}});
  ASSERT_THAT(upstream, IsOk());
  std::promise<void> end;
  Replica replica;
  replica.StartBefore(*upstream,
                      {.state = std::make_unique<StateStore>(
                           std::make_unique<HangingDatabase>(end.get_future().share()))});
  const json first = ChatBody(json::array({UserSays("one")}));
  EXPECT_EQ(AskChat(replica.port_, first).text(), "a");
  RawClient client(replica.port_);
  client.Send(Post("/v1/chat/completions",
                   ChatBody({UserSays("one"), AssistantSaid("other"), UserSays("two")}).dump(),
                   "Idempotency-Key: k1\r\n"));
  // Other clients are served meanwhile.
  RawClient other(replica.port_);
  other.Send(Get("/healthz"));
  EXPECT_THAT(other.ReadResponse(), HasSubstr(R"({"status":"ok"})"));
  replica.thread_.Advance(kStateTimeout);
  EXPECT_EQ(ReadChat(client).text(), "b");
  end.set_value();
}

}  // namespace
}  // namespace cursor_gateway
