#ifndef CURSORWIRE_BENCH_BULK_SERVICE_H_
#define CURSORWIRE_BENCH_BULK_SERVICE_H_

#include <memory>

#include "upstream/server/server_connection.h"

namespace cursorwire::bench {

// Answers "/down/N" with N bytes at once, and any other path with one byte once the request has
// ended. The response ends with the request. Thread-compatible.
class BulkService final : public upstream::Service {
 public:
  std::unique_ptr<upstream::RequestHandler> StartRequest(upstream::Responder& responder) override;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_BULK_SERVICE_H_
