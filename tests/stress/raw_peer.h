#ifndef CURSORWIRE_TESTS_STRESS_RAW_PEER_H_
#define CURSORWIRE_TESTS_STRESS_RAW_PEER_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "net/socket.h"
#include "stress/dice.h"

namespace cursorwire::test {

// A server of raw frames on 127.0.0.1, with a thread for each connection. It answers as it should,
// or with whatever else may come over a connection: see Connection in raw_peer.cc. It never sends
// more than the window of a stream and never breaks HTTP/2, so that no connection ends but by what
// it means to do. Thread-safe.
class RawPeer {
 public:
  explicit RawPeer(uint32_t seed);
  // Ends all connections.
  ~RawPeer();

  std::string url() const;
  // Waits until no connection is open.
  void AwaitNoConnections();

  // What every answer is made of.
  static constexpr char kSmallText = 'm';
  static constexpr char kLargeText = 'x';
  static constexpr size_t kMaxSmallBytes = 3000;
  static constexpr size_t kLargeBytes = 300'000;  // compressed
  static constexpr std::string_view kUnaryAnswer = "answer";

 private:
  void Accept();
  void Serve(net::Socket socket, uint32_t seed);

  Dice dice_;
  net::LoopbackListener listener_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  int open_ = 0;
  std::list<std::thread> threads_;  // the accepting thread's
  std::thread accepting_;           // last: it uses all of the above
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_STRESS_RAW_PEER_H_
