#ifndef CURSORWIRE_SRC_BASE_SIGNAL_BLOCK_H_
#define CURSORWIRE_SRC_BASE_SIGNAL_BLOCK_H_

#include <csignal>

namespace cursorwire {

// While it lives, blocks all signals of the calling thread except those of faults. A thread started
// meanwhile keeps them blocked: the signals of a program are for its own threads, not for ours.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
      sigdelset(&all, fault);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_SIGNAL_BLOCK_H_
