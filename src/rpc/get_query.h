#ifndef CURSORWIRE_SRC_RPC_GET_QUERY_H_
#define CURSORWIRE_SRC_RPC_GET_QUERY_H_

#include <string>
#include <string_view>

#include "cursorwire/connect/call_options.h"

namespace cursorwire::rpc {

// The query of a unary call by GET, with its '?': `message` as it goes on the wire, compressed or
// not. Text that is plain JSON is percent-encoded, so that people can read it; all else is base64.
// Source: Connect protocol, "Unary-Get-Request".
std::string GetQuery(std::string_view message, connect::Codec codec,
                     connect::Compression compression);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_GET_QUERY_H_
