#ifndef CURSORWIRE_BENCH_CHAT_CLIENT_H_
#define CURSORWIRE_BENCH_CHAT_CLIENT_H_

#include <string>
#include <utility>
#include <vector>

#include "bench_client.h"
#include "cursorwire/chat_stream.h"
#include "cursorwire/client.h"

namespace cursorwire::bench {

// Uses Client::Chat(): each message is an event of a turn, which is read with ChatStream.
class ChatClient final : public OwnClient {
 public:
  ChatClient(const char* name, Client client) : name_(name), client_(std::move(client)) {}

  std::string name() const override { return name_; }
  // Not a ping-pong, which no turn is.
  absl::Status Run(const Work& work, Latencies& latencies) override;
  absl::Status Hold(size_t streams) override;

 private:
  const char* const name_;
  const Client client_;
  std::vector<ChatStream> held_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_CHAT_CLIENT_H_
