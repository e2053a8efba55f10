#include "cursorwire/session_file.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "client/client_impl.h"
#include "client/conversation/conversation_content.h"
#include "client/conversation/session_codec.h"
#include "files/locked_file.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxSessionBytes = size_t{1} * 1024 * 1024 * 1024;

absl::Status About(const std::string& path, const absl::Status& status) {
  return Annotate(status, path);
}

int64_t MillisecondsNow() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

class SessionFile::Impl {
 public:
  // `may_remove`: an empty file is one that was made for this object.
  Impl(LockedFile file, bool may_remove) : file_(std::move(file)), may_remove_(may_remove) {}
  // What was made for nothing is no session.
  ~Impl() {
    if (may_remove_ && made_ && !saved_) file_.Remove();
  }

  absl::Status LookAtSize() {
    const absl::StatusOr<size_t> size = file_.Size();
    if (size.ok()) made_ = *size == 0;
    return size.status();
  }

  bool is_new() const { return made_ && !saved_; }
  const std::string& path() const { return file_.path(); }
  // Not kept: they may be many, and a conversation that was loaded has its own.
  absl::StatusOr<std::string> Read() const { return file_.Read(kMaxSessionBytes); }

  absl::Status Save(std::string_view bytes) {
    absl::Status status = file_.Replace(bytes);
    saved_ = saved_ || file_.was_replaced();
    return status;
  }

 private:
  LockedFile file_;
  const bool may_remove_;
  bool made_ = false;   // it was empty
  bool saved_ = false;  // through this object
};

SessionFile::SessionFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SessionFile::~SessionFile() = default;
SessionFile::SessionFile(SessionFile&&) noexcept = default;
SessionFile& SessionFile::operator=(SessionFile&&) noexcept = default;

absl::StatusOr<SessionFile> SessionFile::Open(const std::string& path, Missing missing) {
  absl::StatusOr<LockedFile> file = LockedFile::Open(
      path, missing == Missing::kMake ? LockedFile::Missing::kMake : LockedFile::Missing::kRefuse);
  if (!file.ok()) return file.status();
  auto impl = std::make_unique<Impl>(*std::move(file), missing == Missing::kMake);
  if (absl::Status status = impl->LookAtSize(); !status.ok()) return status;
  return SessionFile(std::move(impl));
}

bool SessionFile::is_new() const { return impl_->is_new(); }

absl::StatusOr<Conversation> SessionFile::Load(const Client& client,
                                               ConversationOptions options) const {
  const absl::StatusOr<std::string> bytes = impl_->Read();
  if (!bytes.ok()) return bytes.status();
  if (bytes->empty()) return client.NewConversation(options);
  absl::StatusOr<SessionContent> content = DecodeSession(*bytes);
  if (!content.ok()) return About(impl_->path(), content.status());
  return Conversation(client.impl_, MakeCore(*std::move(content), std::move(options)));
}

absl::Status SessionFile::Save(const Conversation& conversation) {
  SessionContent content = ContentOf(*conversation.core_);
  std::error_code error;
  content.head.folder = std::filesystem::current_path(error).string();
  content.head.updated_ms = MillisecondsNow();
  return impl_->Save(EncodeSession(content));
}

}  // namespace cursorwire
