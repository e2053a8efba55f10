// conversation-bench: what a turn costs in a long conversation. Each turn of a conversation with
// the local upstream is timed, and what the client sends is counted, with and without the state
// that the service wants back verbatim and that grows by the id of each turn; shown as medians of
// each hundred turns, and as ratios to the first.
#include <cursorwire/client.h>
#include <cursorwire/connect/interceptor.h>
#include <cursorwire/conversation.h>
#include <cursorwire/local_upstream.h>
#include <cursorwire/script.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// Counts what the calls send.
class SentBytes final : public cursorwire::connect::Interceptor {
 public:
  void OnEnd(const cursorwire::connect::CallRecord& call,
             const cursorwire::connect::CallEnd&) override {
    last_ = call.sent.bytes;
  }
  uint64_t last() const { return last_; }

 private:
  uint64_t last_ = 0;  // written before the end of the turn is handed out
};

struct Turn {
  double microseconds = 0;
  double sent_bytes = 0;
  double other_bytes = 0;  // than the state
};

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A service that stores a few blobs in each turn and adds one turn to the state.
cursorwire::Script OneTurn() {
  return cursorwire::Script()
      .SetBlob("what the user has said")
      .SetBlob("what the agent has said")
      .Text("An answer of some words.")
      .TurnEnded()
      .CheckpointOfRequest(1);
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 500;
  constexpr int kGroup = 100;
  auto upstream = cursorwire::LocalUpstream::Start(OneTurn());
  if (!upstream.ok() || turns < kGroup) return std::fprintf(stderr, "cannot start\n"), 1;
  const auto sent = std::make_shared<SentBytes>();
  auto client = cursorwire::Client::Create(
      {.endpoint = upstream->url(),
       .token = "any",
       .channel = {.tls = {.ca_pem = upstream->ca_pem()}, .interceptors = {sent}}});
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.status().ToString().c_str()), 1;
  cursorwire::Conversation talk = client->NewConversation();
  std::printf("%-10s %12s %8s %12s %18s %8s\n", "turns", "median us", "ratio", "sent bytes",
              "without the state", "ratio");
  size_t state_bytes = 0;
  std::vector<Turn> medians;
  for (int first = 1; first + kGroup - 1 <= turns; first += kGroup) {
    std::vector<double> times;
    std::vector<double> bytes;
    std::vector<double> others;
    for (int i = 0; i < kGroup; ++i) {
      const auto start = steady_clock::now();
      const auto answer = talk.Chat({.prompt = "A question of some words."}).Collect();
      if (!answer.ok()) return std::fprintf(stderr, "%s\n", answer.status().ToString().c_str()), 1;
      times.push_back(duration<double, std::micro>(steady_clock::now() - start).count());
      bytes.push_back(static_cast<double>(sent->last()));
      others.push_back(static_cast<double>(sent->last() - state_bytes));
      state_bytes = answer->checkpoint->state.size();
    }
    medians.push_back(
        {MedianOf(std::move(times)), MedianOf(std::move(bytes)), MedianOf(std::move(others))});
    const Turn& now = medians.back();
    std::printf("%3d-%-6d %12.0f %8.2f %12.0f %18.0f %8.2f\n", first, first + kGroup - 1,
                now.microseconds, now.microseconds / medians[0].microseconds, now.sent_bytes,
                now.other_bytes, now.other_bytes / medians[0].other_bytes);
  }
  return 0;
}
