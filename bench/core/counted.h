#ifndef CURSORWIRE_BENCH_CORE_COUNTED_H_
#define CURSORWIRE_BENCH_CORE_COUNTED_H_

#include <benchmark/benchmark.h>

#include <cstddef>

#include "support/copied_bytes.h"
#include "support/heap_bytes.h"

namespace cursorwire::bench {

// Sums up what pieces of work take of the heap and of memcpy(), beside their time.
class Counted {
 public:
  template <typename Work>
  void Do(Work work) {
    const size_t allocations = test::HeapAllocations();
    const size_t bytes = test::AllocatedHeapBytes();
    const size_t copied = test::CopiedBytes();
    work();
    allocations_ += test::HeapAllocations() - allocations;
    bytes_ += test::AllocatedHeapBytes() - bytes;
    copied_ += test::CopiedBytes() - copied;
  }

  // For each of so many messages.
  void Report(benchmark::State& state, int64_t messages) const {
    state.SetItemsProcessed(messages);
    const auto by = [messages](size_t sum) {
      return static_cast<double>(sum) / static_cast<double>(messages);
    };
    state.counters["allocations"] = by(allocations_);
    state.counters["allocated"] = by(bytes_);
    state.counters["copied"] = by(copied_);
  }

 private:
  size_t allocations_ = 0;
  size_t bytes_ = 0;
  size_t copied_ = 0;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_CORE_COUNTED_H_
