// Compiled with -fno-builtin: the compiler would make calls of memmove() out of what is below.
#include "support/copied_bytes.h"

#include <atomic>
#include <cstdint>

namespace {

std::atomic<size_t> copied{0};

}  // namespace

extern "C" {

// A copy of glibc that is not replaced below. The last parameter is the room at `to`.
void* __memmove_chk(void* to, const void* from, size_t size, size_t room);

void* memcpy(void* to, const void* from, size_t size) {
  copied.fetch_add(size, std::memory_order_relaxed);
  return __memmove_chk(to, from, size, SIZE_MAX);
}

void* memmove(void* to, const void* from, size_t size) {
  copied.fetch_add(size, std::memory_order_relaxed);
  return __memmove_chk(to, from, size, SIZE_MAX);
}

}  // extern "C"

namespace cursorwire::test {

size_t CopiedBytes() { return copied; }

}  // namespace cursorwire::test
