#include "support/heap_bytes.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> held{0};
std::atomic<size_t> peak{0};
std::atomic<size_t> allocations{0};
std::atomic<size_t> allocated{0};

void Count(size_t bytes) {
  const size_t now = held += bytes;
  size_t highest = peak;
  while (now > highest && !peak.compare_exchange_weak(highest, now)) {
  }
}

}  // namespace

// The forms for arrays end here too, or at a sanitizer, which has both halves of them.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  Count(::malloc_usable_size(memory));
  ++allocations;
  allocated += size;
  return memory;
}

void* operator new(size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  held -= ::malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

namespace cursorwire::test {

size_t HeapBytes() { return held; }
size_t PeakHeapBytes() { return peak; }
size_t ResetPeakHeapBytes() { return peak = held.load(); }
size_t HeapAllocations() { return allocations; }
size_t AllocatedHeapBytes() { return allocated; }

}  // namespace cursorwire::test
