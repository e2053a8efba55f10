#include "cursorwire/collab/shared_text.h"

#include <thread>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "base/url.h"
#include "collab/live/document_file.h"
#include "collab/live/socket_inbox.h"
#include "collab/live/system_random.h"
#include "collab/repo/document_id.h"
#include "collab/socket/event_loop.h"
#include "collab/socket/web_socket.h"
#include "cursorwire/connect/time_point.h"
#include "net/thread.h"

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;

// A host that takes nothing for long must not fill the memory: the connection is closed then, and
// what it missed comes over the next one.
constexpr size_t kMaxWaitingBytes = size_t{256} * 1024 * 1024;

// The WebSocket and what it tells, on the loop's thread.
class SocketThread final : public WebSocketUser {
 public:
  SocketThread(WebSocketOptions options, std::function<void()> on_ready)
      : inbox_(std::move(on_ready)),
        socket_(loop_, std::move(options), *this),
        timer_(loop_, [this] { inbox_.TellReady(); }) {}
  ~SocketThread() override { Join(); }
  SocketThread(const SocketThread&) = delete;
  SocketThread& operator=(const SocketThread&) = delete;

  bool Start() {
    loop_.Post([this] { socket_.Start(); });
    return net::StartThread(thread_, [this] { loop_.Run(); });
  }
  bool is_running() const { return thread_.joinable(); }
  SocketInbox& inbox() { return inbox_; }

  // Over this connection, or not at all.
  void Send(uint64_t connection, std::string message) {
    loop_.Post([this, connection, message = std::move(message)]() mutable {
      if (connection == connection_) socket_.Send(std::move(message));
    });
  }
  void Fail(uint64_t connection, uint16_t code, const absl::Status& why) {
    loop_.Post([this, connection, code, why] {
      if (connection == connection_) socket_.Fail(code, why);
    });
  }
  void SetDeadline(std::optional<std::chrono::steady_clock::time_point> deadline) {
    loop_.Post([this, deadline] { timer_.SetDeadline(deadline); });
  }
  // Not within this call.
  void TellReady() {
    loop_.Post([this] { inbox_.TellReady(); });
  }
  // After what was sent.
  void Close() {
    if (!is_running()) return;
    loop_.Post([this] {
      timer_.SetDeadline(std::nullopt);
      socket_.Stop([this] { loop_.Stop(); });
    });
    thread_.join();
  }

 private:
  void OnOpened() override { inbox_.Put(SocketInbox::Opened{++connection_}); }
  void OnMessage(std::string_view bytes, MessageKind /*kind*/) override {
    if (inbox_.Put(SocketInbox::Message{std::string(bytes)}) <= kMaxWaitingBytes) return;
    inbox_.DropMessages();
    socket_.Fail(kClosePolicy,
                 absl::ResourceExhaustedError("too much waits for the program to take it"));
  }
  void OnClosed(const absl::Status& why, milliseconds retry_in) override {
    ++connection_;
    inbox_.Put(SocketInbox::Closed{.why = why, .retry_in = retry_in});
  }

  void Join() {
    if (!is_running()) return;
    loop_.Stop();
    thread_.join();
  }

  SocketInbox inbox_;
  EventLoop loop_;
  WebSocket socket_;
  Timer timer_;
  std::thread thread_;
  uint64_t connection_ = 0;  // of the loop's thread
};

}  // namespace

class SharedText::Impl {
 public:
  static absl::StatusOr<std::unique_ptr<Impl>> Create(SharedTextOptions options);

  std::optional<TextEvent> TakeEvent();
  std::optional<TextEvent> Next(milliseconds timeout);
  void Close(milliseconds timeout);
  // To be called after whatever changes the session.
  void Flush();

  TextSession& session() { return *session_; }
  SocketThread& socket() { return *socket_; }
  bool is_connected() const { return is_connected_; }

 private:
  absl::Status OpenFile(const std::string& folder, SharedTextOptions& options);
  void Take(const SocketInbox::Opened& opened);
  void Take(const SocketInbox::Message& message);
  void Take(const SocketInbox::Closed& closed);
  std::optional<TextEvent> TakeTold();
  bool TakeStep();
  void Note(const TextEvent& event);
  void Store();

  std::unique_ptr<SocketThread> socket_;
  std::unique_ptr<TextSession> session_;
  std::optional<DocumentFile> file_;
  std::optional<absl::Status> file_error_;  // to be told
  uint64_t connection_ = 0;
  bool is_connected_ = false;
  bool is_woken_ = false;  // and no Next() has returned nullopt for it
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

absl::Status SharedText::Impl::OpenFile(const std::string& folder, SharedTextOptions& options) {
  const absl::StatusOr<DocumentId> id =
      DocumentId::Parse(session_ == nullptr ? options.text.document : session_->document_url());
  if (!id.ok()) return id.status();
  absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder, id->ToString());
  if (!file.ok()) return file.status();
  options.text.saved = file->TakeBytes();
  file_ = *std::move(file);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SharedText::Impl>> SharedText::Impl::Create(
    SharedTextOptions options) {
  if (absl::Status status = CheckWebSocketUrl(options.url, options.allow_plaintext); !status.ok()) {
    return status;
  }
  WebSocketOptions socket{.url = options.url, .allow_plaintext = options.allow_plaintext};
  if (ToLower(SplitUrl(options.url)->scheme) == "wss") {
    auto tls = connect::TlsContext::Create(options.tls);
    if (!tls.ok()) return tls.status();
    socket.tls = *std::move(tls);
  }
  auto impl = std::make_unique<Impl>();
  const std::string folder = options.storage_folder;
  const bool is_new = options.text.document.empty();
  if (!folder.empty() && !is_new) {
    if (absl::Status status = impl->OpenFile(folder, options); !status.ok()) return status;
  }
  auto session = TextSession::Create(std::move(options.text), SystemRandom, Moment::Now());
  if (!session.ok()) return session.status();
  impl->session_ = *std::move(session);
  if (!folder.empty() && is_new) {
    if (absl::Status status = impl->OpenFile(folder, options); !status.ok()) return status;
  }
  if (impl->file_) {
    const automerge::SavedSize size{.whole = impl->session_->saved_bytes(),
                                    .document = impl->session_->saved_document_bytes()};
    if (absl::Status status = impl->file_->Keep(size); !status.ok()) return status;
  }
  impl->socket_ = std::make_unique<SocketThread>(std::move(socket), std::move(options.on_ready));
  impl->Flush();
  if (impl->file_error_) return *impl->file_error_;
  if (!impl->socket_->Start()) return net::NoThreadError();
  return impl;
}

// --- what the socket has told

void SharedText::Impl::Take(const SocketInbox::Opened& opened) {
  connection_ = opened.connection;
  session_->OnConnected(Moment::Now());
}
void SharedText::Impl::Take(const SocketInbox::Message& message) {
  session_->OnMessage(message.bytes, Moment::Now());
}
void SharedText::Impl::Take(const SocketInbox::Closed& closed) {
  connection_ = 0;
  session_->OnClosed(closed.why, closed.retry_in);
}

void SharedText::Impl::Note(const TextEvent& event) {
  if (std::holds_alternative<TextConnected>(event)) is_connected_ = true;
  if (std::holds_alternative<TextDisconnected>(event)) is_connected_ = false;
  if (const auto* failed = std::get_if<TextFailed>(&event)) {
    is_connected_ = false;
    socket_->Fail(connection_, failed->close_code, failed->status);
  }
}

// What has become an event by now.
std::optional<TextEvent> SharedText::Impl::TakeTold() {
  if (file_error_) return TextProblem{*std::exchange(file_error_, std::nullopt)};
  std::optional<TextEvent> event = session_->TakeEvent();
  if (event) Note(*event);
  return event;
}

// The next thing that the socket has told, or what is due. False: there is none.
bool SharedText::Impl::TakeStep() {
  if (const std::optional<SocketInbox::Item> item = socket_->inbox().Take()) {
    std::visit([this](const auto& kind) { Take(kind); }, *item);
  } else if (const auto due = session_->deadline(); due && *due <= Moment::Now().steady) {
    session_->OnDeadline(Moment::Now());
  } else {
    return false;
  }
  Flush();
  return true;
}

// Others may send what is no event for as long as they like, and faster than it is taken: so both
// of these look after each step whether they are to end.
std::optional<TextEvent> SharedText::Impl::TakeEvent() {
  constexpr connect::TimePoint kNoWait{};
  for (;;) {
    if (std::optional<TextEvent> event = TakeTold()) return event;
    if (!TakeStep()) return std::nullopt;
    if (socket_->inbox().WaitUntil(kNoWait)) continue;
    is_woken_ = true;
    // There may be more to take.
    socket_->TellReady();
    return TakeTold();
  }
}

std::optional<TextEvent> SharedText::Impl::Next(milliseconds timeout) {
  if (std::exchange(is_woken_, false)) return std::nullopt;
  const auto end = connect::After(Moment::Now().steady, timeout);
  for (bool is_over = false; !is_over;) {
    if (std::optional<TextEvent> event = TakeTold()) return event;
    const auto due = session_->deadline();
    is_woken_ = !socket_->inbox().WaitUntil(due && *due < end ? *due : end);
    TakeStep();
    is_over = is_woken_ || Moment::Now().steady >= end;
  }
  std::optional<TextEvent> event = TakeTold();
  if (!event) is_woken_ = false;
  return event;
}

// --- what we say

void SharedText::Impl::Store() {
  const std::string unsaved = session_->TakeUnsaved();
  if (!file_) return;
  absl::Status status = file_->Append(unsaved);
  if (status.ok()) return;
  // The next chunks would come after a gap. All is still sent.
  file_.reset();
  file_error_ = std::move(status);
}

void SharedText::Impl::Flush() {
  Store();
  while (std::optional<std::string> message = session_->TakeMessage()) {
    socket_->Send(connection_, *std::move(message));
  }
  const auto due = session_->deadline();
  if (due == deadline_) return;
  deadline_ = due;
  socket_->SetDeadline(due);
}

void SharedText::Impl::Close(milliseconds timeout) {
  if (socket_ == nullptr || !socket_->is_running()) return;
  const auto end = connect::After(Moment::Now().steady, timeout);
  while (is_connected_ && !session_->is_synced() && Moment::Now().steady < end) {
    Next(std::chrono::ceil<milliseconds>(end - Moment::Now().steady));
  }
  socket_->Close();
  Store();
  if (!file_ || !file_->is_loose()) return;
  // Changes that wait for others are in the file alone.
  if (session_->has_waiting_changes()) return;
  const absl::StatusOr<std::string> document = session_->Save();
  // What was appended stays where this fails.
  if (document.ok()) file_->Replace(*document).IgnoreError();
}

// --- the public face

absl::StatusOr<std::unique_ptr<SharedText>> SharedText::Open(SharedTextOptions options) {
  absl::StatusOr<std::unique_ptr<Impl>> impl = Impl::Create(std::move(options));
  if (!impl.ok()) return impl.status();
  return std::unique_ptr<SharedText>(new SharedText(*std::move(impl)));
}

SharedText::SharedText(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SharedText::~SharedText() { Close(); }

std::optional<TextEvent> SharedText::TakeEvent() { return impl_->TakeEvent(); }
std::optional<TextEvent> SharedText::Next(milliseconds timeout) { return impl_->Next(timeout); }
void SharedText::Wake() { impl_->socket().inbox().Wake(); }

std::string SharedText::document_url() const { return impl_->session().document_url(); }
const std::string& SharedText::peer_id() const { return impl_->session().peer_id(); }
bool SharedText::is_opened() const { return impl_->session().is_opened(); }
bool SharedText::is_connected() const { return impl_->is_connected(); }
const std::string& SharedText::text() const { return impl_->session().text(); }
uint32_t SharedText::length() const { return impl_->session().length(); }
std::vector<std::string> SharedText::heads() const { return impl_->session().heads(); }

absl::Status SharedText::Replace(uint32_t at, uint32_t count, std::string_view text) {
  absl::Status status = impl_->session().Replace(at, count, text, Moment::Now());
  impl_->Flush();
  return status;
}
absl::Status SharedText::SetText(std::string_view text) {
  absl::Status status = impl_->session().SetText(text, Moment::Now());
  impl_->Flush();
  return status;
}

TextAnchor SharedText::AnchorAt(uint32_t place) const { return impl_->session().AnchorAt(place); }
uint32_t SharedText::PlaceOf(TextAnchor anchor) const { return impl_->session().PlaceOf(anchor); }

void SharedText::SetCursor(const TextCursor& cursor) {
  impl_->session().SetCursor(cursor, Moment::Now());
  impl_->Flush();
}
void SharedText::StopCursor() {
  impl_->session().StopCursor();
  impl_->Flush();
}

absl::StatusOr<std::string> SharedText::Save() const { return impl_->session().Save(); }
bool SharedText::is_synced() const { return impl_->session().is_synced(); }
void SharedText::Close(milliseconds timeout) { impl_->Close(timeout); }

}  // namespace cursorwire::collab
