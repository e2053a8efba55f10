// What a delta takes in a Run over a Connection, in memory, whatever the machine is busy with. The
// server's share is left out.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>

#include "cost/cost.h"
#include "cursorwire/connect/connection.h"
#include "cursorwire/run.h"
#include "shape_service.h"
#include "support/chat_outcome.h"
#include "upstream/server/server_connection.h"

namespace cursorwire::test {
namespace {

constexpr Budget kRunBudget{.what = "`Run` over a `Connection`",
                            .allocations = 5,
                            .allocated_bytes = 560,
                            .copied_bytes = 275};

// One turn of the shape `frame`. Everything that is the client's is done in Counted().
class CountedTurn {
 public:
  explicit CountedTurn(size_t texts) {
    Counted([&] {
      client_ = std::make_unique<connect::Connection>(
          connect::ConnectionOptions{.authority = "localhost:1234",
                                     .security = connect::Security::kPlaintext},
          now_);
      run_ = std::make_unique<Run>(ChatRequest{.prompt = PromptFor(texts)},
                                   RunOptions{.token = "secret-token"}, ids_, now_);
      call_ = client_->StartCall(run_->call_request(), now_);
    });
    server_ = *upstream::ServerConnection::Create(nullptr, service_);
  }

  Cost Play() {
    for (int idle = 0; !run_->finished() && idle < 3; ++idle) {
      if (Step()) idle = 0;
    }
    EXPECT_TRUE(run_->finished());
    EXPECT_TRUE(status_.ok()) << status_;
    return cost_;
  }

  size_t texts() const { return texts_; }

 private:
  template <typename Do>
  void Counted(Do what) {
    const Cost before = Cost::Now();
    what();
    cost_ = cost_.Plus(Cost::Now().Minus(before));
  }

  bool Step() {
    std::string up;
    Counted([&] {
      while (const auto output = run_->PollOutput()) Apply(*output);
    });
    up = client_->PendingOutput();
    Counted([&] { client_->ConsumeOutput(up.size()); });
    EXPECT_TRUE(server_->Receive(up, now_).ok());
    const std::string_view down = server_->PendingOutput();
    Counted([&] {
      if (!down.empty()) client_->Receive(down, now_);
      while (const auto event = client_->PollEvent()) run_->On(*event, now_);
      while (const auto event = run_->PollEvent()) Take(*event);
    });
    server_->ConsumeOutput(down.size());
    return !up.empty() || !down.empty();
  }

  void Apply(const RunOutput& output) {
    if (const auto* send = std::get_if<SendMessage>(&output)) {
      (void)client_->Send(call_, send->message);  // the end of the call says why it fails
    } else if (std::holds_alternative<CloseSend>(output)) {
      client_->CloseSend(call_);
    } else {
      client_->Cancel(call_);
    }
  }

  void Take(const absl::StatusOr<ChatEvent>& event) {
    if (!event.ok()) {
      status_ = event.status();
    } else if (event->As<TextDelta>() != nullptr) {
      ++texts_;
    }
  }

  const connect::TimePoint now_ = StartOfTime();
  CountedIds ids_;
  bench::ShapeService service_;
  std::unique_ptr<upstream::ServerConnection> server_;
  std::unique_ptr<connect::Connection> client_;
  std::unique_ptr<Run> run_;
  connect::CallId call_{};
  Cost cost_;
  size_t texts_ = 0;
  absl::Status status_;
};

Cost CostOfTurn(size_t texts) {
  CountedTurn turn(texts);
  const Cost cost = turn.Play();
  EXPECT_EQ(turn.texts(), texts);
  return cost;
}

TEST(CostOfARun, StaysWithinItsBudgetForADelta) {
  constexpr size_t kTexts = 2000;
  CostOfTurn(1);  // what is made once
  const Cost start = CostOfTurn(kTexts);
  const Cost delta = CostOfTurn(2 * kTexts).Minus(start).By(kTexts);
  ExpectWithin(delta, kRunBudget);
}

TEST(CostOfARun, HasItsBudgetWrittenDown) { ExpectWrittenDown(kRunBudget); }

}  // namespace
}  // namespace cursorwire::test
