// A library for LD_PRELOAD, in a process that the system lets start few threads: from the thread
// with the number FEW_THREADS on, none is started. A limit of processes does the same, but counts
// those of other programs of the user, too, and not for root.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <atomic>

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attr,
                                                                     void* (*body)(void*),
                                                                     void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static std::atomic<int> count = 0;
  static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  const char* first = ::getenv("FEW_THREADS");
  if (first != nullptr && ++count >= ::atoi(first)) return EAGAIN;
  return create(thread, attr, body, argument);
}
