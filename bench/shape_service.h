#ifndef CURSORWIRE_BENCH_SHAPE_SERVICE_H_
#define CURSORWIRE_BENCH_SHAPE_SERVICE_H_

#include <memory>

#include "upstream/server/server_connection.h"

namespace cursorwire::bench {

// Answers a request for the path of a shape with the number of messages that its header asks for.
// Resets any other request. Thread-compatible.
class ShapeService final : public upstream::Service {
 public:
  std::unique_ptr<upstream::RequestHandler> StartRequest(upstream::Responder& responder) override;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SHAPE_SERVICE_H_
