#ifndef CURSORWIRE_BENCH_TEXT_MESSAGE_H_
#define CURSORWIRE_BENCH_TEXT_MESSAGE_H_

#include <cstddef>
#include <string>

namespace cursorwire::bench {

// An `agent.v1.AgentServerMessage` with a piece of text: as long as `bytes`, or a few bytes shorter
// where the lengths within do not allow it. `bytes` must be at least kMinMessageBytes.
std::string TextMessage(size_t bytes);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_TEXT_MESSAGE_H_
