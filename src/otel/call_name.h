#ifndef CURSORWIRE_SRC_OTEL_CALL_NAME_H_
#define CURSORWIRE_SRC_OTEL_CALL_NAME_H_

#include <string_view>

#include "cursorwire/connect/interceptor.h"

namespace cursorwire::otel {

enum class CallPurpose {
  kTurn,  // agent.v1.AgentService/Run
  kRpc,   // any other method
  kHttp,  // a raw call, or a path that names no method
};

// What a call is, by its path. Views into the record.
struct CallName {
  CallPurpose purpose = CallPurpose::kHttp;
  std::string_view method_path{};  // "pkg.Service/Method"; empty for kHttp
  std::string_view service{};
  std::string_view method{};
};

CallName NameOf(const connect::CallRecord& call);

}  // namespace cursorwire::otel

#endif  // CURSORWIRE_SRC_OTEL_CALL_NAME_H_
