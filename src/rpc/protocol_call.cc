#include "rpc/protocol_call.h"

#include "rpc/raw_call.h"
#include "rpc/streaming_call.h"
#include "rpc/unary_call.h"

namespace cursorwire::rpc {

std::unique_ptr<ProtocolCall> MakeProtocolCall(const connect::CallRequest& request) {
  switch (request.kind) {
    case connect::CallKind::kStreaming:
      return std::make_unique<StreamingCall>(request.options);
    case connect::CallKind::kUnary:
      return std::make_unique<UnaryCall>(request);
    case connect::CallKind::kRaw:
      return std::make_unique<RawCall>(request.options);
  }
  return nullptr;
}

}  // namespace cursorwire::rpc
