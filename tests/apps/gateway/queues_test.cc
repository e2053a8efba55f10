// What waits in a queue of the gateway goes on, whatever becomes of another that waits there.
#include <cursorwire/chat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/gateway/loop_thread.h"
#include "chat/response_store.h"
#include "chat/turn_feed.h"
#include "documents/workspace_context.h"
#include "metrics.h"
#include "model_catalog.h"
#include "state/state_keeper.h"
#include "state/state_store.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::ModelList;
using cursorwire::test::IsOk;
using cursorwire::test::StatusIs;
using ::testing::ElementsAre;

class QueueTest : public ::testing::Test {
 protected:
  QueueTest() {
    thread_.Do([this] {
      thread_.loop().OnFailure([this](const char* what) { failures_.emplace_back(what); });
    });
  }
  // The first that waits throws, and the other says that it was called.
  static std::function<void()> Failing() {
    return [] { throw std::runtime_error("failed"); };
  }
  std::function<void()> Telling() {
    return [this] { told_.set_value(); };
  }
  void ExpectThatTheOtherIsTold() {
    told_.get_future().wait();
    thread_.Do([this] { EXPECT_THAT(failures_, ElementsAre("failed")); });
  }

  std::promise<void> told_;
  std::vector<std::string> failures_;  // on the loop's thread
  LoopThread thread_;
};

TEST_F(QueueTest, SearchesForFormerResponses) {
  Metrics metrics;
  std::unique_ptr<StateKeeper> keeper;
  std::unique_ptr<ResponseStore> store;
  thread_.Do([&] {
    keeper = std::make_unique<StateKeeper>(thread_.loop(), metrics, MakeMemoryState(), nullptr);
    store = std::make_unique<ResponseStore>(thread_.loop(), *keeper);
    const auto gone = std::make_shared<bool>(false);
    for (const auto& then : {Failing(), Telling()}) {
      store->Find({.response_id = "resp_1"}, "", gone, [then](const auto&) { then(); });
    }
  });
  ExpectThatTheOtherIsTold();
  thread_.Do([&] {
    store.reset();
    keeper.reset();
  });
}

TEST_F(QueueTest, ReadsTheWorkspaceForSeveralTurns) {
  std::unique_ptr<WorkspaceContext> workspace;
  thread_.Do([&] {
    workspace = std::make_unique<WorkspaceContext>(
        thread_.loop(), "/folder", [](const std::string&) { return WorkspaceContext::Facts(); },
        nullptr);
    for (const auto& then : {Failing(), Telling()}) {
      workspace->Read([then](const auto&) { then(); });
    }
  });
  ExpectThatTheOtherIsTold();
  thread_.Do([&] { workspace.reset(); });
}

class ModelCatalogTest : public QueueTest {
 protected:
  ~ModelCatalogTest() override {
    thread_.Do([this] { catalog_.reset(); });
  }
  void Make(ModelCatalog::Lister lister) {
    thread_.Do([&] {
      catalog_ = std::make_unique<ModelCatalog>(thread_.loop(), std::move(lister), ModelMap());
    });
  }
  std::future<absl::StatusOr<Catalog>> Get() {
    const auto answer = std::make_shared<std::promise<absl::StatusOr<Catalog>>>();
    thread_.Do([&] {
      catalog_->Get([answer](const absl::StatusOr<Catalog>& list) { answer->set_value(list); });
    });
    return answer->get_future();
  }

  std::unique_ptr<ModelCatalog> catalog_;
};

TEST_F(ModelCatalogTest, TellsAllWhoWait) {
  Make([](const std::stop_token&) { return ModelList(); });
  thread_.Do([this] {
    for (const auto& then : {Failing(), Telling()}) {
      catalog_->Get([then](const auto&) { then(); });
    }
  });
  ExpectThatTheOtherIsTold();
}

// A service that says nothing holds neither those who wait nor the end.
TEST_F(ModelCatalogTest, EndsWhileTheServiceIsSilent) {
  Make([](const std::stop_token& stop) -> absl::StatusOr<ModelList> {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    return absl::CancelledError("stopped");
  });
  std::future<absl::StatusOr<Catalog>> waits = Get();
  thread_.Do([this] { catalog_->End(absl::UnavailableError("the end")); });
  EXPECT_THAT(waits.get(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(ModelCatalogTest, SaysThatNoThreadCanBeHad) {
  pthread_attr_t usual;
  pthread_attr_t huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
  Make([](const std::stop_token&) { return ModelList(); });
  // More than there are addresses.
  if (pthread_attr_setstacksize(&huge, size_t{1} << 60) != 0 ||
      pthread_setattr_default_np(&huge) != 0) {
    GTEST_SKIP() << "this C library bounds the stack of threads";
  }
  const absl::StatusOr<Catalog> refused = Get().get();
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnavailable));
  // The next one who asks does not wait for a thread that never was.
  EXPECT_THAT(Get().get(), IsOk());
}

// Fails at the first item.
class FailingListener final : public TurnListener {
 public:
  void OnItem(TurnItem item) override {
    told += std::holds_alternative<TurnEnd>(item) ? "end " : "event ";
    if (std::exchange(fails, false)) throw std::runtime_error("failed");
  }
  void End(const absl::Status&) override { told += "failed "; }

  std::string told;
  bool fails = true;
};

TEST_F(QueueTest, EndsATurnWhoseItemFails) {
  const auto told_of = [this](bool has_event) {
    const auto listener = std::make_shared<FailingListener>();
    thread_.Do([&] {
      const auto feed = std::make_shared<TurnFeed>(thread_.loop(), listener);
      if (has_event) feed->OnEvent(cursorwire::TextDelta{}, {});
      feed->OnEnd(absl::OkStatus());
    });
    // What the loop's own thread posts may come after what this one posts next.
    for (int i = 0; i < 2; ++i) thread_.Do([] {});
    return listener->told;
  };
  EXPECT_EQ(told_of(true), "event failed end ");
  EXPECT_EQ(told_of(false), "end failed end ");
}

}  // namespace
}  // namespace cursor_gateway
