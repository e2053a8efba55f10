#ifndef CURSORWIRE_SRC_AGENT_EXEC_STREAM_STATE_H_
#define CURSORWIRE_SRC_AGENT_EXEC_STREAM_STATE_H_

namespace cursorwire::agent {

// Whether the event that starts a shell stream was sent. It is sent once, before all others.
// Source: docs/protocol.md, execs.
enum class StreamState { kNew, kStarted };

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_STREAM_STATE_H_
