#ifndef CURSORWIRE_TESTS_CONFORMANCE_COMPAT_CALL_H_
#define CURSORWIRE_TESTS_CONFORMANCE_COMPAT_CALL_H_

#include <connectrpc/conformance/v1/conformance.pb.h>

namespace cursorwire::conformance {

// Makes the call that `request` describes, and waits for its end.
connectrpc::conformance::v1::ClientCompatResponse MakeCall(
    const connectrpc::conformance::v1::ClientCompatRequest& request);

}  // namespace cursorwire::conformance

#endif  // CURSORWIRE_TESTS_CONFORMANCE_COMPAT_CALL_H_
