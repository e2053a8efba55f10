// A unary call with generated messages, to any server of ElizaService:
//   connect_unary [URL [SENTENCE]]
#include <connectrpc/eliza/v1/eliza.pb.h>
#include <cursorwire/connect/channel.h>
#include <cursorwire/connect/protobuf.h>

#include <chrono>
#include <iostream>

namespace connect = cursorwire::connect;
using connectrpc::eliza::v1::SayRequest;
using connectrpc::eliza::v1::SayResponse;

constexpr connect::UnaryMethod<SayRequest, SayResponse> kSay{
    "/connectrpc.eliza.v1.ElizaService/Say"};

int main(int argc, char** argv) {
  auto channel = connect::Channel::Create(argc > 1 ? argv[1] : "https://demo.connectrpc.com");
  if (!channel.ok()) return std::cerr << channel.status() << "\n", 1;

  SayRequest request;
  request.set_sentence(argc > 2 ? argv[2] : "I feel happy.");
  auto reply = connect::Unary(*channel, kSay, request, {.timeout = std::chrono::seconds(10)});
  if (!reply.ok()) return std::cerr << reply.status() << "\n", 1;
  std::cout << reply->message.sentence() << "\n";
}
