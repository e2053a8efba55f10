#include "cursorwire/conversation.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "client/client_impl.h"
#include "client/conversation/conversation_content.h"
#include "client/conversation/conversation_core.h"
#include "client/conversation/session_codec.h"
#include "client/waiting/async_chat_events.h"
#include "client/waiting/chat_stream_events.h"
#include "client/waiting/observed_chat.h"
#include "cursorwire/session_file.h"

namespace cursorwire {
namespace {

absl::Status ClientIsGone() {
  return LocalError(absl::StatusCode::kCancelled, "the client of this conversation is gone");
}

}  // namespace

Conversation::Conversation(std::weak_ptr<Client::Impl> client,
                           std::shared_ptr<ConversationCore> core)
    : client_(std::move(client)), core_(std::move(core)) {}
Conversation::~Conversation() = default;
Conversation::Conversation(Conversation&&) noexcept = default;
Conversation& Conversation::operator=(Conversation&&) noexcept = default;

ChatStream Conversation::Chat(const ChatRequest& request) {
  auto events = std::make_shared<ChatStream::Events>();
  const std::shared_ptr<Client::Impl> client = client_.lock();
  return ChatStream(client == nullptr ? Client::Impl::Refuse(ClientIsGone(), events)
                                      : client->Chat(request, core_, events),
                    events);
}

ChatCall Conversation::Chat(const ChatRequest& request, std::shared_ptr<ChatObserver> observer) {
  auto sink = std::make_shared<ObservedChat>(std::move(observer));
  const std::shared_ptr<Client::Impl> client = client_.lock();
  return ChatCall(client == nullptr ? Client::Impl::Refuse(ClientIsGone(), std::move(sink))
                                    : client->Chat(request, core_, std::move(sink)));
}

AsyncChat Conversation::ChatAsync(const ChatRequest& request, connect::Executor executor) {
  auto events = std::make_shared<AsyncChat::Events>(std::move(executor));
  const std::shared_ptr<Client::Impl> client = client_.lock();
  return {client == nullptr ? Client::Impl::Refuse(ClientIsGone(), events)
                            : client->Chat(request, core_, events),
          events};
}

std::string Conversation::id() const { return core_->id(); }
std::string Conversation::model() const { return core_->model(); }
std::string Conversation::rules() const { return core_->rules(); }
std::vector<HistoryTurn> Conversation::history() const { return core_->history(); }
ConversationBytes Conversation::bytes() const { return core_->bytes(); }
absl::Status Conversation::SetHistory(std::vector<HistoryTurn> turns) {
  return core_->SetHistory(std::move(turns));
}

Conversation Conversation::Fork(size_t turns) const {
  ConversationSnapshot snapshot = core_->snapshot();
  if (turns < snapshot.history.size()) snapshot.history.resize(turns);
  // The service knows one history under an id.
  if (!snapshot.history.empty()) snapshot.broken = RebuildReason::kHistoryChanged;
  snapshot.state_fingerprint.clear();
  snapshot.id.clear();
  snapshot.state.clear();
  core_->ShareStore();
  ConversationOptions options = core_->options();
  options.id.clear();
  return {client_, std::make_shared<ConversationCore>(std::move(options), std::move(snapshot))};
}

absl::StatusOr<Conversation> Conversation::Load(const Client& client, const std::string& file,
                                                ConversationOptions options) {
  absl::StatusOr<SessionFile> session = SessionFile::Open(file, SessionFile::Missing::kRefuse);
  if (!session.ok()) return session.status();
  return session->Load(client, std::move(options));
}

absl::Status Conversation::Save(const std::string& file) const {
  absl::StatusOr<SessionFile> session = SessionFile::Open(file);
  if (!session.ok()) return session.status();
  return session->Save(*this);
}

SavedConversation Conversation::Serialize() const {
  SessionContent content = ContentOf(*core_);
  SavedConversation saved{.blobs = std::move(content.blobs)};
  content.blobs.clear();
  saved.bytes = EncodeSession(content);
  return saved;
}

absl::StatusOr<Conversation> Conversation::Deserialize(const Client& client,
                                                       const SavedConversation& saved,
                                                       ConversationOptions options) {
  absl::StatusOr<SessionContent> content = DecodeSession(saved.bytes);
  if (!content.ok()) return content.status();
  content->blobs.insert(content->blobs.end(), saved.blobs.begin(), saved.blobs.end());
  return Conversation(client.impl_, MakeCore(*std::move(content), std::move(options)));
}

}  // namespace cursorwire
