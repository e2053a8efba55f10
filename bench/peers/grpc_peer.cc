// grpc-peer: gRPC C++, synchronous, as a client of stream-bench. Messages are of generated code, as
// its users have them.
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/sync_stream.h>

#include <chrono>
#include <memory>
#include <string>

#include "agent/v1/run.pb.h"
#include "peers/peer_main.h"
#include "text_message.h"

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;
using Message = agent::v1::AgentServerMessage;
using GrpcStream = grpc::ClientReaderWriter<Message, Message>;

class GrpcPeer final : public Peer {
 public:
  explicit GrpcPeer(ServerAddress server) : Peer("gRPC C++", std::move(server)) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);  // no limit
    arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kStreamWindowBytes);
    channel_ = grpc::CreateCustomChannel(
        "localhost:" + std::to_string(this->server().port),
        grpc::SslCredentials(
            {.pem_root_certs = this->server().ca_pem, .pem_private_key = "", .pem_cert_chain = ""}),
        arguments);
  }

  // The server would end the call with trailers, which it does not have: the client knows the
  // number of messages, and cancels the call after the last.
  absl::Status Run(const Work& work, Latencies& latencies) override {
    grpc::ClientContext context;
    for (const auto& [name, value] : HeadersOf(work)) context.AddMetadata(name, value);
    const grpc::internal::RpcMethod method(kRunPath, grpc::internal::RpcMethod::BIDI_STREAMING,
                                           channel_);
    const std::unique_ptr<GrpcStream> stream(
        grpc::internal::ClientReaderWriterFactory<Message, Message>::Create(channel_.get(), method,
                                                                            &context));
    const size_t messages = work.shape.kind == ShapeKind::kPingPong
                                ? PingPong(*stream, work, latencies)
                                : ReadAll(*stream, work);
    context.TryCancel();
    const grpc::Status status = stream->Finish();
    if (messages == work.messages) return absl::OkStatus();
    return absl::UnavailableError("gRPC: " + status.error_message());
  }

 private:
  static size_t ReadAll(GrpcStream& stream, const Work& work) {
    stream.WritesDone();
    Message message;
    size_t messages = 0;
    while (messages < work.messages && stream.Read(&message)) ++messages;
    return messages;
  }

  static size_t PingPong(GrpcStream& stream, const Work& work, Latencies& latencies) {
    Message ping;
    ping.ParseFromString(TextMessage(work.shape.message_bytes));
    Message pong;
    for (size_t i = 0; i < work.messages; ++i) {
      const auto start = steady_clock::now();
      if (!stream.Write(ping) || !stream.Read(&pong)) return i;
      latencies.push_back(steady_clock::now() - start);
    }
    return work.messages;
  }

  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace
}  // namespace cursorwire::bench

int main(int argc, char** argv) {
  return cursorwire::bench::PeerMain<cursorwire::bench::GrpcPeer>(argc, argv);
}
