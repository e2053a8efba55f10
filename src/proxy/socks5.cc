#include "proxy/socks5.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "proxy/no_proxy.h"

namespace cursorwire::proxy {
namespace {

constexpr uint8_t kSocksVersion = 5;
constexpr uint8_t kUserVersion = 1;
constexpr uint8_t kNoMethod = 0;
constexpr uint8_t kUserMethod = 2;
constexpr uint8_t kNoneAccepted = 0xff;
constexpr uint8_t kConnectCommand = 1;
constexpr uint8_t kNotAllowed = 2;
constexpr uint8_t kAddressV4 = 1;
constexpr uint8_t kAddressName = 3;
constexpr uint8_t kAddressV6 = 4;
constexpr size_t kReplyHeadBytes = 4;
constexpr size_t kPortBytes = 2;

absl::Status SocksError(std::string_view what) {
  return TransportError(absl::StrCat("the proxy ", ToAbsl(what)), Replay::kSafe);
}

std::string BytesOf(std::initializer_list<uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

// With its length in front.
std::string CountedText(const std::string& text) { return static_cast<char>(text.size()) + text; }

// RFC 1928, 6.
absl::Status ReplyError(uint8_t code) {
  switch (code) {
    case kNotAllowed:
      return SocksError("does not allow this connection");
    case 3:
      return SocksError("cannot reach the network of the host");
    case 4:
      return SocksError("cannot reach the host");
    case 5:
      return SocksError("was refused by the host");
    case 6:
      return SocksError("cannot reach the host in as many hops as are allowed");
    case 7:
    case 8:
      return SocksError("does not support connections of this kind");
    default:
      return SocksError(absl::StrCat("cannot make the connection: error ", code));
  }
}

}  // namespace

absl::Status Socks5::Check(const std::optional<ProxyUser>& user, const std::string& host) {
  if (host.empty() || host.size() > kMaxSocksBytes) {
    return InvalidArgument(absl::StrCat("a host's name that a SOCKS proxy looks up has 1 to ",
                                        kMaxSocksBytes, " bytes"));
  }
  if (!user) return absl::OkStatus();
  for (const std::string& text : {user->name, user->password}) {
    if (text.empty() || text.size() > kMaxSocksBytes) {
      return InvalidArgument(absl::StrCat("the user and the password of a SOCKS proxy have 1 to ",
                                          kMaxSocksBytes, " bytes each"));
    }
  }
  return absl::OkStatus();
}

Socks5::Socks5(std::optional<ProxyUser> user, const std::string& host, int port)
    : user_(std::move(user)) {
  request_ = BytesOf({kSocksVersion, kConnectCommand, 0});
  if (const std::optional<IpAddress> address = IpAddress::Parse(host)) {
    request_ += BytesOf({address->is_v4() ? kAddressV4 : kAddressV6});
    request_.append(address->bytes().begin(), address->bytes().begin() + address->bits() / 8);
  } else {
    request_ += BytesOf({kAddressName}) + CountedText(host);
  }
  request_ += BytesOf({static_cast<uint8_t>(port >> 8), static_cast<uint8_t>(port)});
  output_ = user_ ? BytesOf({kSocksVersion, 2, kNoMethod, kUserMethod})
                  : BytesOf({kSocksVersion, 1, kNoMethod});
}

std::string Socks5::TakeOutput() { return std::exchange(output_, ""); }

absl::StatusOr<std::optional<std::string>> Socks5::Receive(std::string_view bytes) {
  input_.append(bytes);
  // Each answer has two bytes at least.
  for (size_t before = 0;
       phase_ != Phase::kDone && input_.size() >= 2 && input_.size() != before;) {
    before = input_.size();
    const absl::Status status = phase_ == Phase::kMethod ? TakeMethod()
                                : phase_ == Phase::kUser ? TakeUserAnswer()
                                                         : TakeReply();
    if (!status.ok()) return status;
  }
  if (phase_ != Phase::kDone) return std::nullopt;
  return std::exchange(input_, "");
}

absl::Status Socks5::TakeMethod() {
  const auto version = static_cast<uint8_t>(input_[0]);
  const auto method = static_cast<uint8_t>(input_[1]);
  if (version != kSocksVersion) return SocksError("does not speak SOCKS 5");
  if (method == kUserMethod && user_) {
    phase_ = Phase::kUser;
    output_ += BytesOf({kUserVersion}) + CountedText(user_->name) + CountedText(user_->password);
  } else if (method == kNoMethod) {
    phase_ = Phase::kReply;
    output_ += request_;
  } else if (method == kNoneAccepted && !user_) {
    return RefusedForGood(SocksError(absl::StrCat("wants a user and a password: ", kLoginAdvice)));
  } else {
    return RefusedForGood(SocksError("accepts no way to log in that is supported"));
  }
  input_.erase(0, 2);
  return absl::OkStatus();
}

absl::Status Socks5::TakeUserAnswer() {
  if (input_[1] != 0) {
    return RefusedForGood(SocksError("refuses the user: is the password right?"));
  }
  phase_ = Phase::kReply;
  output_ += request_;
  input_.erase(0, 2);
  return absl::OkStatus();
}

absl::Status Socks5::TakeReply() {
  if (static_cast<uint8_t>(input_[0]) != kSocksVersion) {
    return SocksError("does not speak SOCKS 5");
  }
  if (input_[1] == kNotAllowed) return RefusedForGood(ReplyError(kNotAllowed));
  if (input_[1] != 0) return ReplyError(static_cast<uint8_t>(input_[1]));
  if (input_.size() <= kReplyHeadBytes) return absl::OkStatus();
  size_t length = kReplyHeadBytes + kPortBytes;
  switch (static_cast<uint8_t>(input_[3])) {
    case kAddressV4:
      length += 4;
      break;
    case kAddressV6:
      length += 16;
      break;
    case kAddressName:
      length += 1 + static_cast<uint8_t>(input_[kReplyHeadBytes]);
      break;
    default:
      return SocksError("answers with an address of an unknown kind");
  }
  if (input_.size() < length) return absl::OkStatus();
  phase_ = Phase::kDone;
  input_.erase(0, length);
  return absl::OkStatus();
}

absl::Status Socks5::RefusedForGood(const absl::Status& why) {
  RefuseForGood();
  return why;
}

}  // namespace cursorwire::proxy
