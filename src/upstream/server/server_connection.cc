#include "upstream/server/server_connection.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cursorwire::upstream {
namespace {

constexpr size_t kOutputChunkBytes = size_t{64} * 1024;

}  // namespace

// Records the session's events for one stream, and passes them to the handler afterwards.
class ServerConnection::Stream final : public h2::StreamVisitor, public Responder {
 public:
  Stream(ServerConnection& connection, int32_t id, Service& service)
      : connection_(connection),
        session_(connection.session_),
        id_(id),
        handler_(service.StartRequest(*this)) {}
  ~Stream() { handler_->OnClosed(); }

  void OnHeaders(Headers headers) override {
    if (!headers_) headers_ = std::move(headers);  // trailers of a request are ignored
  }
  void OnData(std::string_view bytes) override {
    body_.append(bytes);
    session_credit_ += bytes.size();
  }
  void OnRemoteEnd() override { remote_ended_ = true; }
  void OnClosed(const h2::StreamClose&) override { closed_ = true; }

  void RunRecorded(TimePoint now) {
    if (headers_ && !std::exchange(headers_played_, true)) handler_->OnHeaders(*headers_, now);
    session_.ConsumeConnection(session_credit_);
    if (closed_) return;
    session_.ConsumeStream(id_, std::exchange(session_credit_, 0));
    if (!body_.empty()) handler_->OnBody(std::exchange(body_, std::string()), now);
    if (remote_ended_ && !std::exchange(end_played_, true)) handler_->OnRequestEnd(now);
  }

  bool closed() const { return closed_; }
  RequestHandler& handler() { return *handler_; }

  void SendHeaders(const Headers& headers) override {
    // Fails only if the stream is gone; then nobody waits for the response.
    (void)session_.SubmitResponse(id_, headers, h2::EndStream::kNo);
  }
  void SendBody(std::string_view bytes) override { session_.Write(id_, bytes); }
  void SendBodyFrame(std::string_view bytes) override { session_.WriteFrame(id_, bytes); }
  void Finish() override { session_.FinishWrite(id_); }
  void Reset(uint32_t http2_code) override { session_.Reset(id_, http2_code); }
  void SendRawBytes(std::string_view bytes) override { connection_.SendRawBytes(bytes); }
  int32_t stream_id() const override { return id_; }
  void DropConnection(DropKind kind) override { connection_.DropConnection(kind); }

 private:
  ServerConnection& connection_;
  h2::Session& session_;
  const int32_t id_;
  std::optional<Headers> headers_;
  bool headers_played_ = false;
  std::string body_;
  size_t session_credit_ = 0;
  bool remote_ended_ = false;
  bool end_played_ = false;
  bool closed_ = false;
  std::unique_ptr<RequestHandler> handler_;
};

absl::StatusOr<std::unique_ptr<ServerConnection>> ServerConnection::Create(
    const tls::ServerContext* context, Service& service, uint32_t max_concurrent_streams) {
  tls::Transport transport;
  if (context != nullptr) {
    auto engine = tls::Engine::Accept(*context);
    if (!engine.ok()) return engine.status();
    transport = tls::Transport(*std::move(engine));
  }
  return std::unique_ptr<ServerConnection>(
      new ServerConnection(std::move(transport), service, max_concurrent_streams));
}

ServerConnection::ServerConnection(tls::Transport transport, Service& service,
                                   uint32_t max_concurrent_streams)
    : transport_(std::move(transport)),
      service_(service),
      session_({.role = h2::Role::kServer, .max_concurrent_streams = max_concurrent_streams},
               *this) {}
ServerConnection::~ServerConnection() = default;

absl::Status ServerConnection::Receive(std::string_view bytes, TimePoint now) {
  bool any = false;
  absl::Status received = transport_.Receive(bytes, [this, &any](std::string_view plaintext) {
    any = true;
    session_.Feed(plaintext);
  });
  if (any) {
    absl::Status status = session_.EndFeed();
    RunRecorded(now);
    if (!status.ok()) return status;
  }
  return received;
}

std::string_view ServerConnection::PendingOutput() {
  if (transport_.PendingOutput().empty() && transport_.is_ready()) FillOutput();
  return transport_.PendingOutput();
}

void ServerConnection::FillOutput() {
  if (drop_) return;
  TakeSessionOutput();
  absl::erase_if(streams_, [](const auto& entry) { return entry.second->closed(); });
}

// Returns false if there was no output.
bool ServerConnection::TakeSessionOutput() {
  session_output_.clear();
  if (!session_.TakeOutput(kOutputChunkBytes, session_output_).ok()) return false;
  Write(session_output_);
  return !session_output_.empty();
}

void ServerConnection::Write(std::string_view bytes) {
  if (bytes.empty()) return;
  // If this fails, the next Receive() fails as well and reports it.
  (void)transport_.Write(bytes);
}

// Called by a handler, whose stream must stay alive during the call, so this erases no stream.
void ServerConnection::SendRawBytes(std::string_view bytes) {
  if (drop_) return;
  while (TakeSessionOutput()) {
  }
  Write(bytes);
}

void ServerConnection::DropConnection(DropKind kind) {
  SendRawBytes({});
  drop_ = kind;
}

std::optional<TimePoint> ServerConnection::NextDeadline() const {
  std::optional<TimePoint> next;
  for (const auto& [id, stream] : streams_) {
    const std::optional<TimePoint> due = stream->handler().NextDeadline();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

void ServerConnection::OnDeadline(TimePoint now) {
  for (const auto& [id, stream] : streams_) {
    const std::optional<TimePoint> due = stream->handler().NextDeadline();
    if (due && *due <= now) stream->handler().OnDeadline(now);
  }
}

h2::StreamVisitor* ServerConnection::OnStreamOpened(int32_t stream_id) {
  auto stream = std::make_unique<Stream>(*this, stream_id, service_);
  return streams_.emplace(stream_id, std::move(stream)).first->second.get();
}

void ServerConnection::RunRecorded(TimePoint now) {
  for (const auto& [id, stream] : streams_) stream->RunRecorded(now);
  absl::erase_if(streams_, [](const auto& entry) { return entry.second->closed(); });
}

}  // namespace cursorwire::upstream
