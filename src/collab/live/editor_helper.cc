#include "cursorwire/collab/editor_helper.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include "collab/helper/helper_line.h"
#include "collab/helper/helper_session.h"
#include "collab/live/document_file.h"
#include "collab/live/system_random.h"
#include "collab/socket/event_loop.h"
#include "collab/socket/web_socket.h"
#include "net/thread.h"

namespace cursorwire::collab {
namespace {

static_assert(EditorHelper::kMaxLineBytes == kMaxEditorLineBytes);
// Lines that wait for one before them: who writes more has to wait.
constexpr size_t kMaxWaitingLineBytes = size_t{128} * 1024 * 1024;
// The relay makes again what is lost after this time, doubled each time:
// docs/collab/nvim-helper.md.
constexpr std::chrono::milliseconds kRelayDelay{1000};
constexpr size_t kMaxRelayFrameBytes = size_t{1024} * 1024;  // those over 64 KiB are dropped

WebSocketOptions SocketOptions(HelperPeer peer, std::string url) {
  WebSocketOptions options{.url = std::move(url)};
  if (peer == HelperPeer::kRelay) {
    options.kind = MessageKind::kText;
    options.max_message_bytes = kMaxRelayFrameBytes;
    options.first_delay = kRelayDelay;
  }
  return options;
}

}  // namespace

// All but what is said otherwise is of the loop's thread.
class EditorHelper::Impl {
 public:
  Impl(EditorHelperOptions options, std::shared_ptr<const connect::TlsContext> tls);
  ~Impl() { Join(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool Start() {
    return net::StartThread(thread_, [this] { loop_.Run(); });
  }
  // Any thread.
  void Post(std::function<void(HelperSession&)> work) {
    loop_.Post([this, work = std::move(work)] {
      work(session_);
      Work();
    });
  }
  // Any thread.
  void OnLine(std::string_view line);
  void Stop();

 private:
  // One of the two connections.
  class Peer final : public WebSocketUser {
   public:
    Peer(Impl& impl, HelperPeer which, WebSocketOptions options)
        : impl_(impl), which_(which), socket_(impl.loop_, std::move(options), *this) {
      socket_.Start();
    }
    WebSocket& socket() { return socket_; }

   private:
    void OnOpened() override {
      impl_.session_.OnOpened(which_, Moment::Now());
      impl_.Work();
    }
    void OnMessage(std::string_view bytes, MessageKind /*kind*/) override {
      impl_.session_.OnMessage(which_, bytes, Moment::Now());
      impl_.Work();
    }
    void OnClosed(const absl::Status& why, std::chrono::milliseconds /*retry_in*/) override {
      impl_.session_.OnClosed(which_, why, Moment::Now());
      impl_.Work();
    }

    Impl& impl_;
    const HelperPeer which_;
    WebSocket socket_;
  };

  HelperOptions SessionOptions() const;
  void Work();
  void Do(HelperConnect& command);
  void Do(HelperSend& command);
  void Do(HelperFail& command);
  void Do(HelperDisconnect& command);
  void Do(HelperExit& command);
  void EndIfDone();
  void NoteWaiting();
  bool IsEnding() const { return stopping_ || ended_; }
  void Join() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    may_write_.notify_all();
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
  }

  const EditorHelperOptions options_;
  const std::shared_ptr<const connect::TlsContext> tls_;
  EventLoop loop_;
  HelperSession session_;
  Timer timer_;
  Timer end_timer_;
  std::map<HelperPeer, std::unique_ptr<Peer>> peers_;
  std::map<uint64_t, std::unique_ptr<Peer>> closing_;
  uint64_t next_closing_ = 0;
  bool exit_ = false;
  std::thread thread_;

  std::mutex mutex_;
  std::condition_variable may_write_;
  size_t posted_bytes_ = 0;   // guarded by mutex_: lines that the session does not have yet
  size_t waiting_bytes_ = 0;  // guarded by mutex_: those that wait in it
  bool stopping_ = false;     // guarded by mutex_: posted lines are dropped
  bool ended_ = false;        // guarded by mutex_
};

EditorHelper::Impl::Impl(EditorHelperOptions options,
                         std::shared_ptr<const connect::TlsContext> tls)
    : options_(std::move(options)),
      tls_(std::move(tls)),
      session_(SessionOptions()),
      timer_(loop_,
             [this] {
               session_.OnDeadline(Moment::Now());
               Work();
             }),
      end_timer_(loop_, [this] {
        closing_.clear();
        EndIfDone();
      }) {}

HelperOptions EditorHelper::Impl::SessionOptions() const {
  HelperOptions options{.offsets = options_.offsets,
                        .status = options_.status,
                        .allow_plaintext = options_.allow_plaintext,
                        .random = SystemRandom};
  if (options_.storage_folder.empty()) return options;
  options.open_stored =
      [folder = options_.storage_folder](
          std::string_view id) -> absl::StatusOr<std::unique_ptr<StoredDocument>> {
    absl::StatusOr<DocumentFile> file = DocumentFile::Open(folder, id);
    if (!file.ok()) return file.status();
    return std::make_unique<DocumentFile>(*std::move(file));
  };
  return options;
}

void EditorHelper::Impl::OnLine(std::string_view line) {
  {
    std::unique_lock lock(mutex_);
    may_write_.wait(lock, [this] {
      return IsEnding() || posted_bytes_ + waiting_bytes_ <= kMaxWaitingLineBytes;
    });
    posted_bytes_ += HelperSession::CostOf(line);
  }
  loop_.Post([this, text = std::string(line)]() mutable {
    {
      const std::lock_guard lock(mutex_);
      posted_bytes_ -= HelperSession::CostOf(text);
      if (stopping_) return;
    }
    session_.OnLine(std::move(text), Moment::Now());
    Work();
  });
}

void EditorHelper::Impl::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  may_write_.notify_all();
  Post([](HelperSession& session) { session.OnStop(Moment::Now()); });
}

void EditorHelper::Impl::NoteWaiting() {
  {
    const std::lock_guard lock(mutex_);
    waiting_bytes_ = session_.waiting_bytes();
  }
  may_write_.notify_all();
}

void EditorHelper::Impl::Work() {
  do {
    while (std::optional<HelperCommand> command = session_.TakeCommand()) {
      std::visit([this](auto& kind) { Do(kind); }, *command);
    }
    while (std::optional<std::string> line = session_.TakeLine()) {
      options_.on_line(*std::move(line));
    }
  } while (session_.GoOn(Moment::Now()));
  timer_.SetDeadline(session_.deadline());
  NoteWaiting();
  EndIfDone();
}

void EditorHelper::Impl::Do(HelperConnect& command) {
  WebSocketOptions options = SocketOptions(command.peer, std::move(command.url));
  options.allow_plaintext = options_.allow_plaintext;
  options.tls = tls_;
  peers_[command.peer] = std::make_unique<Peer>(*this, command.peer, std::move(options));
}

void EditorHelper::Impl::Do(HelperSend& command) {
  const auto peer = peers_.find(command.peer);
  if (peer != peers_.end()) peer->second->socket().Send(std::move(command.message));
}

void EditorHelper::Impl::Do(HelperFail& command) {
  const auto peer = peers_.find(HelperPeer::kSync);
  if (peer != peers_.end()) peer->second->socket().Fail(command.close_code, command.why);
}

void EditorHelper::Impl::Do(HelperDisconnect& /*command*/) {
  for (auto& [which, peer] : peers_) {
    const uint64_t number = next_closing_++;
    WebSocket& socket = peer->socket();
    closing_.emplace(number, std::move(peer));
    socket.Stop([this, number] {
      closing_.erase(number);
      EndIfDone();
    });
  }
  peers_.clear();
}

void EditorHelper::Impl::Do(HelperExit& command) {
  exit_ = true;
  end_timer_.SetDeadline(command.end_by);
}

void EditorHelper::Impl::EndIfDone() {
  if (!exit_ || !closing_.empty()) return;
  exit_ = false;
  if (options_.on_end != nullptr) options_.on_end();
}

// --- the public face

absl::StatusOr<std::unique_ptr<EditorHelper>> EditorHelper::Start(EditorHelperOptions options) {
  auto tls = connect::TlsContext::Create(options.tls);
  if (!tls.ok()) return tls.status();
  auto impl = std::make_unique<Impl>(std::move(options), *std::move(tls));
  if (!impl->Start()) return net::NoThreadError();
  return std::unique_ptr<EditorHelper>(new EditorHelper(std::move(impl)));
}

EditorHelper::EditorHelper(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EditorHelper::~EditorHelper() = default;

void EditorHelper::OnLine(std::string_view line) { impl_->OnLine(line); }
void EditorHelper::OnTooLongLine() {
  impl_->Post([](HelperSession& session) { session.OnTooLongLine(Moment::Now()); });
}
void EditorHelper::OnInputEnd() {
  impl_->Post([](HelperSession& session) { session.OnInputEnd(Moment::Now()); });
}
void EditorHelper::Stop() { impl_->Stop(); }

}  // namespace cursorwire::collab
