#ifndef CURSORWIRE_SRC_RPC_GET_QUERY_H_
#define CURSORWIRE_SRC_RPC_GET_QUERY_H_

#include <string>
#include <string_view>

#include "cursorwire/connect/call_options.h"

namespace cursorwire::rpc {

// The query of a unary call by GET, including its '?'. `message` is as sent: possibly compressed.
// Uncompressed JSON is percent-encoded, so that people can read it; anything else is base64.
// Source: Connect protocol, "Unary-Get-Request".
std::string GetQuery(std::string_view message, connect::Codec codec,
                     connect::Compression compression);

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_GET_QUERY_H_
