#ifndef CURSORWIRE_BENCH_SHAPE_SERVICE_H_
#define CURSORWIRE_BENCH_SHAPE_SERVICE_H_

#include <memory>

#include "upstream/server/server_connection.h"

namespace cursorwire::bench {

// Answers a request with the messages that its headers ask for, or those that the prompt of a turn
// asks for (see shape.h). A message is an `agent.v1.AgentServerMessage` with a piece of text, in an
// envelope. A turn ends as turns do. A call of gRPC, whose messages look the same, stays open,
// since it would end with trailers: its client counts. Resets any other request. Thread-compatible.
class ShapeService final : public upstream::Service {
 public:
  std::unique_ptr<upstream::RequestHandler> StartRequest(upstream::Responder& responder) override;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SHAPE_SERVICE_H_
