#include "raw_client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "h2/nghttp2_api.h"
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

// Cuts a body into envelopes, in place unless an envelope is split.
class Cutter {
 public:
  size_t messages() const { return messages_; }
  bool ended() const { return ended_; }

  void Feed(std::string_view bytes) {
    if (!partial_.empty()) {
      partial_.append(bytes);
      const size_t used = Cut(partial_);
      partial_.erase(0, used);
      return;
    }
    partial_.assign(bytes.substr(Cut(bytes)));
  }

 private:
  // Length of the whole envelopes at the front.
  size_t Cut(std::string_view bytes) {
    size_t used = 0;
    while (bytes.size() - used >= wire::kEnvelopePrefixBytes) {
      const auto* prefix = reinterpret_cast<const uint8_t*>(bytes.data() + used);
      const size_t length = (size_t{prefix[1]} << 24) | (size_t{prefix[2]} << 16) |
                            (size_t{prefix[3]} << 8) | prefix[4];
      if (bytes.size() - used - wire::kEnvelopePrefixBytes < length) break;
      if ((prefix[0] & wire::kEnvelopeEndStream) != 0) {
        ended_ = true;
      } else {
        ++messages_;
      }
      used += wire::kEnvelopePrefixBytes + length;
    }
    return used;
  }

  std::string partial_;
  size_t messages_ = 0;
  bool ended_ = false;
};

}  // namespace

class RawClient::Session {
 public:
  explicit Session(std::unique_ptr<TlsSocket> socket) : socket_(std::move(socket)) {
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
    cutter_ = Cutter();
    closed_ = false;
    outbox_.clear();
    outbox_ended_ = work.shape.kind != ShapeKind::kPingPong;
    const std::string path = std::string("/") + work.shape.name;
    const std::string count = std::to_string(work.messages);
    const std::array<nghttp2_nv, 7> headers = {Header(":method", "POST"),
                                               Header(":scheme", "https"),
                                               Header(":authority", "localhost"),
                                               Header(":path", path),
                                               Header("content-type", "application/connect+proto"),
                                               Header("connect-protocol-version", "1"),
                                               Header(kCountHeader, count)};
    const nghttp2_data_provider provider{.source = {.ptr = this}, .read_callback = ReadOutbox};
    stream_id_ = nghttp2_submit_request(session_.get(), nullptr, headers.data(), headers.size(),
                                        &provider, nullptr);
  }

  void Send(std::string_view message) {
    (void)wire::AppendEnvelope(0, message, outbox_);  // cannot be too long
    nghttp2_session_resume_data(session_.get(), stream_id_);
  }

  void CloseSend() {
    outbox_ended_ = true;
    nghttp2_session_resume_data(session_.get(), stream_id_);
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

  // Works until there are `messages` messages, or the stream has ended.
  absl::Status RunUntil(size_t messages) {
    while (cutter_.messages() < messages && !closed_) {
      if (absl::Status status = Flush(); !status.ok()) return status;
      if (absl::Status status = Receive(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status RunToEnd(size_t messages) {
    while (!closed_) {
      if (absl::Status status = Flush(); !status.ok()) return status;
      if (absl::Status status = Receive(); !status.ok()) return status;
    }
    if (cutter_.ended() && cutter_.messages() == messages) return Flush();
    return absl::InternalError("raw: a call with another number of messages");
  }

 private:
  static int OnData(nghttp2_session*, uint8_t, int32_t, const uint8_t* data, size_t size,
                    void* self) {
    static_cast<Session*>(self)->cutter_.Feed({reinterpret_cast<const char*>(data), size});
    return 0;
  }

  static int OnClose(nghttp2_session*, int32_t, uint32_t, void* self) {
    static_cast<Session*>(self)->closed_ = true;
    return 0;
  }

  static ssize_t ReadOutbox(nghttp2_session*, int32_t, uint8_t* buffer, size_t length,
                            uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& self = *static_cast<Session*>(source->ptr);
    const size_t count = std::min(length, self.outbox_.size());
    if (count == 0 && !self.outbox_ended_) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(buffer, self.outbox_.data(), count);
    self.outbox_.erase(0, count);
    if (self.outbox_.empty() && self.outbox_ended_) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  std::unique_ptr<TlsSocket> socket_;
  h2::Nghttp2Ptr<nghttp2_session> session_;
  std::string plaintext_;
  int32_t stream_id_ = 0;
  std::string outbox_;
  bool outbox_ended_ = false;
  Cutter cutter_;
  bool closed_ = false;
};

RawClient::RawClient(int port, std::string ca_pem) : port_(port), ca_pem_(std::move(ca_pem)) {}
RawClient::~RawClient() = default;

absl::Status RawClient::Run(const Work& work, Latencies& latencies) {
  if (session_ == nullptr) {
    auto socket = TlsSocket::Connect(port_, ca_pem_);
    if (!socket.ok()) return socket.status();
    session_ = std::make_unique<Session>(*std::move(socket));
  }
  session_->Open(work);
  if (work.shape.kind == ShapeKind::kPingPong) {
    const std::string message(work.shape.message_bytes, 'm');
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

}  // namespace cursorwire::bench
