// Room: values
#ifndef CURSORWIRE_CONNECT_METHOD_H_
#define CURSORWIRE_CONNECT_METHOD_H_

#include <string_view>

namespace cursorwire::connect {

// The methods of a service, one struct for each kind: the path, and the types of the messages, said
// once for all calls. Values; `path` must outlive the calls, as a literal does.
//
//   constexpr connect::UnaryMethod<SayRequest, SayResponse> kSay{"/eliza.v1.ElizaService/Say"};
//   auto reply = connect::Unary(channel, kSay, request);

// One message each way.
template <typename Request, typename Response>
struct UnaryMethod {
  std::string_view path{};
};

// One request, any number of responses.
template <typename Request, typename Response>
struct ServerStreamMethod {
  std::string_view path{};
};

// Any number of requests, one response.
template <typename Request, typename Response>
struct ClientStreamMethod {
  std::string_view path{};
};

// Any number of messages both ways.
template <typename Request, typename Response>
struct BidiStreamMethod {
  std::string_view path{};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_METHOD_H_
