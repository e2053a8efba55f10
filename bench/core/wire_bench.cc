// Envelopes and fields, of which every message is made.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "core/counted.h"
#include "text_message.h"
#include "wire/envelope.h"
#include "wire/proto_reader.h"

namespace cursorwire::bench {
namespace {

constexpr size_t kMessageBytes = 64;
constexpr size_t kReadBytes = 16384;  // what a TLS record brings

void AppendEnvelopes(benchmark::State& state) {
  const std::string message = TextMessage(static_cast<size_t>(state.range(0)));
  std::string out;
  Counted counted;
  for (auto _ : state) {
    out.clear();
    counted.Do([&] { benchmark::DoNotOptimize(wire::AppendEnvelope(0, message, out)); });
  }
  counted.Report(state, state.iterations());
}
BENCHMARK(AppendEnvelopes)->Arg(kMessageBytes)->Arg(65536);

// A body in pieces of `bytes`.
int64_t DecodeAll(std::string_view body, size_t bytes, wire::EnvelopeDecoder& decoder) {
  int64_t messages = 0;
  for (size_t at = 0; at < body.size(); at += bytes) {
    decoder.Feed(body.substr(at, bytes));
    for (;;) {
      const auto envelope = decoder.Next();
      if (!envelope.ok() || !envelope->has_value()) break;
      benchmark::DoNotOptimize((*envelope)->payload.data());
      ++messages;
    }
  }
  return messages;
}

// Args: bytes of a message, bytes of a piece.
void DecodeEnvelopes(benchmark::State& state) {
  const std::string message = TextMessage(static_cast<size_t>(state.range(0)));
  std::string body;
  while (body.size() < 16 * kReadBytes)
    benchmark::DoNotOptimize(wire::AppendEnvelope(0, message, body));
  int64_t messages = 0;
  Counted counted;
  for (auto _ : state) {
    wire::EnvelopeDecoder decoder;
    counted.Do([&] { messages += DecodeAll(body, static_cast<size_t>(state.range(1)), decoder); });
  }
  counted.Report(state, messages);
}
BENCHMARK(DecodeEnvelopes)
    ->Args({kMessageBytes, kMessageBytes + wire::kEnvelopePrefixBytes})
    ->Args({kMessageBytes, kReadBytes})
    ->Args({65536, kReadBytes});

// The text of a delta, found by the three fields around it.
void FindText(benchmark::State& state) {
  const std::string message = TextMessage(kMessageBytes);
  Counted counted;
  for (auto _ : state) {
    counted.Do([&] {
      std::string_view rest = message;
      for (int level = 0; level < 3; ++level) {
        wire::ProtoReader reader(rest);
        const auto field = reader.Next();
        if (!field.ok() || !field->has_value()) return state.SkipWithError("no field");
        rest = (*field)->bytes;
      }
      benchmark::DoNotOptimize(rest.data());
    });
  }
  counted.Report(state, state.iterations());
}
BENCHMARK(FindText);

}  // namespace
}  // namespace cursorwire::bench
