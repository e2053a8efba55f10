// Room: values
#ifndef CURSORWIRE_CONNECT_EXECUTOR_H_
#define CURSORWIRE_CONNECT_EXECUTOR_H_

#include <functional>

namespace cursorwire::connect {

// Runs a function once, soon, on a thread of its choice: where a coroutine goes on. It is called on
// the channel's thread with no lock held, or on the thread that starts a call on a closed channel,
// and must not throw. What it refers to must stay until the calls that use it have ended, or be
// shared by it. Empty: at once, on the channel's thread.
//
//   connect::Executor executor = [&io](std::function<void()> run) { asio::post(io, run); };
using Executor = std::function<void(std::function<void()> run)>;

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_EXECUTOR_H_
