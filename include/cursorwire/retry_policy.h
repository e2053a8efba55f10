// Room: values
#ifndef CURSORWIRE_RETRY_POLICY_H_
#define CURSORWIRE_RETRY_POLICY_H_

#include <chrono>

namespace cursorwire {

// How a turn goes on after a lost connection, or an error that the service calls temporary. A
// value. What is tried, and when: docs/conversations.md.
//
// Before each retry the turn waits for a random time of up to `first_delay`, doubled with each
// retry, up to `max_delay` ("full jitter"). If the service says how long to wait (`retry-after`),
// it waits at least so long, and gives up if that is longer than `max_delay`.
struct RetryPolicy {
  // In one turn. 0: the first failure ends the turn.
  int max_retries = 4;
  std::chrono::milliseconds first_delay{250};
  std::chrono::milliseconds max_delay{30'000};
  // Also where the first connection of a turn cannot be made: mostly the address is wrong or there
  // is no network, and it helps more to say so at once.
  bool retry_first_connection = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_RETRY_POLICY_H_
