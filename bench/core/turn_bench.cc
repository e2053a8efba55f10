// A whole turn in memory: what a message costs in HTTP/2 and TLS, Connect and the agent, without a
// socket, a thread or the server's share.
#include <benchmark/benchmark.h>
#include <time.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "core/counted.h"
#include "memory_turn.h"
#include "tls/certificate_authority.h"

namespace cursorwire::bench {
namespace {

// CPU of this thread: a busy machine takes other threads' time from the clock.
double CpuSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// A server's certificate, and the authority that vouches for it; nullptr: it cannot be made.
struct Identity {
  std::string ca_pem{};
  tls::ServerContext context;

  static std::unique_ptr<Identity> Make() {
    auto authority =
        tls::CertificateAuthority::Create(std::chrono::system_clock::now(), std::chrono::hours(24));
    if (!authority.ok()) return nullptr;
    const auto leaf = authority->Issue("DNS:localhost");
    if (!leaf.ok()) return nullptr;
    auto context = tls::ServerContext::Create(*leaf);
    if (!context.ok()) return nullptr;
    return std::make_unique<Identity>(
        Identity{.ca_pem = authority->certificate_pem(), .context = *std::move(context)});
  }
};

// Args: messages of a turn, bytes of a message. The start of the turn is in it: compare numbers of
// messages.
void Turn(benchmark::State& state, const MemoryServer& server) {
  Counted counted;
  const auto texts = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    double seconds = 0;
    const ClientWork client_work = [&](const std::function<void()>& work) {
      const double start = CpuSeconds();
      counted.Do(work);
      seconds += CpuSeconds() - start;
    };
    MemoryTurn turn(server, texts, static_cast<size_t>(state.range(1)), client_work);
    const absl::Status status = turn.Play();
    if (!status.ok()) return state.SkipWithError(status.ToString().c_str());
    state.SetIterationTime(seconds);
  }
  counted.Report(state, state.iterations() * state.range(0));
}

void PlainTurn(benchmark::State& state) { Turn(state, {}); }
BENCHMARK(PlainTurn)->Args({1, 64})->Args({2000, 64})->Args({20, 65536})->UseManualTime();

void TlsTurn(benchmark::State& state) {
  const std::unique_ptr<Identity> identity = Identity::Make();
  if (identity == nullptr) return state.SkipWithError("no certificate can be made");
  Turn(state, {.context = &identity->context, .ca_pem = identity->ca_pem});
}
BENCHMARK(TlsTurn)->Args({1, 64})->Args({2000, 64})->Args({20, 65536})->UseManualTime();

}  // namespace
}  // namespace cursorwire::bench
