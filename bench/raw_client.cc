#include "raw_client.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/v1/run.pb.h"
#include "cutter.h"
#include "h2/nghttp2_api.h"
#include "text_message.h"
#include "tls_socket.h"
#include "wire/envelope.h"

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;

nghttp2_nv Header(std::string_view name, std::string_view value) {
  // nghttp2 copies name and value.
  return {.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

// Parses a message as programs do that want it cheap: on an arena that is used again.
class ArenaParser {
 public:
  void Parse(std::string_view message) {
    auto* parsed = google::protobuf::Arena::CreateMessage<agent::v1::AgentServerMessage>(&arena_);
    if (!parsed->ParseFromArray(message.data(), static_cast<int>(message.size()))) broken_ = true;
    arena_.Reset();
  }
  bool broken() const { return broken_; }

 private:
  std::array<char, 4096> block_{};
  google::protobuf::Arena arena_{block_.data(), block_.size()};
  bool broken_ = false;
};

struct RawCall {
  Cutter cutter{};
  int32_t stream_id = 0;
  std::string outbox{};
  bool outbox_ended = false;
};

}  // namespace

class RawClient::Session {
 public:
  Session(std::unique_ptr<TlsSocket> socket, Parse parse)
      : socket_(std::move(socket)), parser_(parse == Parse::kOnArena ? &arena_parser_ : nullptr) {
    nghttp2_session_callbacks* raw_callbacks = nullptr;
    nghttp2_session_callbacks_new(&raw_callbacks);
    const h2::Nghttp2Ptr<nghttp2_session_callbacks> callbacks(raw_callbacks);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(raw_callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(raw_callbacks, OnClose);
    nghttp2_session* raw_session = nullptr;
    nghttp2_session_client_new(&raw_session, raw_callbacks, this);
    session_.reset(raw_session);
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes}};
    nghttp2_submit_settings(raw_session, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(raw_session, NGHTTP2_FLAG_NONE, 0, kStreamWindowBytes);
  }

  void Open(const Work& work) {
    calls_.clear();
    open_ = work.streams;
    last_id_ = 0;
    for (size_t i = 0; i < work.streams; ++i) OpenOne(work);
  }

  void Send(std::string_view message) {
    (void)wire::AppendEnvelope(0, message, calls_[0]->outbox);  // cannot be too long
    nghttp2_session_resume_data(session_.get(), calls_[0]->stream_id);
  }

  void CloseSend() {
    calls_[0]->outbox_ended = true;
    nghttp2_session_resume_data(session_.get(), calls_[0]->stream_id);
  }

  absl::Status Flush() {
    plaintext_.clear();
    const uint8_t* bytes = nullptr;
    for (ssize_t count = 0; (count = nghttp2_session_mem_send(session_.get(), &bytes)) > 0;) {
      plaintext_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(count));
    }
    return plaintext_.empty() ? absl::OkStatus() : socket_->Write(plaintext_);
  }

  absl::Status Receive() {
    return socket_->Read([this](std::string_view record) {
      nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const uint8_t*>(record.data()),
                               record.size());
    });
  }

  // Works until each call has `messages` messages, or all have ended.
  absl::Status RunUntil(size_t messages) {
    for (const auto& call : calls_) {
      while (call->cutter.messages() < messages && open_ > 0) {
        if (absl::Status status = FlushAndReceive(); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunToEnd(size_t messages) {
    while (open_ > 0) {
      if (absl::Status status = FlushAndReceive(); !status.ok()) return status;
    }
    for (const auto& call : calls_) {
      if (!call->cutter.ended() || call->cutter.messages() != messages) {
        return absl::InternalError("raw: a call with another number of messages");
      }
    }
    if (arena_parser_.broken()) return absl::InternalError("raw: a message that does not parse");
    return Flush();
  }

 private:
  void OpenOne(const Work& work) {
    calls_.push_back(std::make_unique<RawCall>());
    RawCall& call = *calls_.back();
    call.outbox_ended = work.shape.kind != ShapeKind::kPingPong;
    std::vector<nghttp2_nv> headers = {Header(":method", "POST"),
                                       Header(":scheme", "https"),
                                       Header(":authority", "localhost"),
                                       Header(":path", kRunPath),
                                       Header("content-type", "application/connect+proto"),
                                       Header("connect-protocol-version", "1")};
    const auto more = HeadersOf(work);
    for (const auto& [name, value] : more) headers.push_back(Header(name, value));
    const nghttp2_data_provider provider{.source = {.ptr = &call}, .read_callback = ReadOutbox};
    call.stream_id = nghttp2_submit_request(session_.get(), nullptr, headers.data(), headers.size(),
                                            &provider, &call);
  }

  absl::Status FlushAndReceive() {
    if (absl::Status status = Flush(); !status.ok()) return status;
    return Receive();
  }

  static int OnData(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* self) {
    static_cast<Session*>(self)->Feed(session, id, {reinterpret_cast<const char*>(data), size});
    return 0;
  }

  // As a rule, the frame before was of the same stream.
  void Feed(nghttp2_session* session, int32_t id, std::string_view bytes) {
    if (id != last_id_) {
      last_id_ = id;
      last_ = static_cast<RawCall*>(nghttp2_session_get_stream_user_data(session, id));
    }
    last_->cutter.Feed(bytes, [this](std::string_view message) {
      if (parser_ != nullptr) parser_->Parse(message);
    });
  }

  static int OnClose(nghttp2_session*, int32_t, uint32_t, void* self) {
    --static_cast<Session*>(self)->open_;
    return 0;
  }

  static ssize_t ReadOutbox(nghttp2_session*, int32_t, uint8_t* buffer, size_t length,
                            uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& call = *static_cast<RawCall*>(source->ptr);
    const size_t count = std::min(length, call.outbox.size());
    if (count == 0 && !call.outbox_ended) return NGHTTP2_ERR_DEFERRED;
    std::copy_n(call.outbox.begin(), count, buffer);
    call.outbox.erase(0, count);
    if (call.outbox.empty() && call.outbox_ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  std::unique_ptr<TlsSocket> socket_;
  h2::Nghttp2Ptr<nghttp2_session> session_;
  std::string plaintext_;
  ArenaParser arena_parser_;
  ArenaParser* const parser_;
  std::vector<std::unique_ptr<RawCall>> calls_;  // nghttp2 has pointers to them
  size_t open_ = 0;                              // of the calls
  int32_t last_id_ = 0;
  RawCall* last_ = nullptr;
};

RawClient::RawClient(const char* name, ServerAddress server, Parse parse)
    : name_(name), server_(std::move(server)), parse_(parse) {}
RawClient::~RawClient() = default;

absl::Status RawClient::Connect() {
  if (session_ != nullptr) return absl::OkStatus();
  auto socket = TlsSocket::Connect(server_.port, server_.ca_pem);
  if (!socket.ok()) return socket.status();
  session_ = std::make_unique<Session>(*std::move(socket), parse_);
  return absl::OkStatus();
}

absl::Status RawClient::Run(const Work& work, Latencies& latencies) {
  if (absl::Status status = Connect(); !status.ok()) return status;
  session_->Open(work);
  if (work.shape.kind == ShapeKind::kPingPong) {
    const std::string message = TextMessage(work.shape.message_bytes);
    for (size_t i = 1; i <= work.messages; ++i) {
      const auto start = steady_clock::now();
      session_->Send(message);
      if (absl::Status status = session_->RunUntil(i); !status.ok()) return status;
      latencies.push_back(steady_clock::now() - start);
    }
    session_->CloseSend();
  }
  return session_->RunToEnd(work.messages);
}

absl::Status RawClient::Hold(size_t streams) {
  if (absl::Status status = Connect(); !status.ok()) return status;
  session_->Open({.shape = *FindShape("idle"), .messages = 1, .streams = streams});
  return session_->RunUntil(1);
}

}  // namespace cursorwire::bench
