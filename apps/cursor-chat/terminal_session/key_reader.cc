#include "terminal_session/key_reader.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "terminal_session/wide_text.h"

namespace cursor_chat {
namespace {

constexpr std::string_view kPasteEnd = "\033[201~";
constexpr std::string_view kInterruptKey = "\x03";
constexpr std::string_view kEndKey = "\x04";

cursorwire::FileDescriptor OpenSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGWINCH);
  sigaddset(&signals, SIGCONT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return cursorwire::FileDescriptor(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
}

bool IsShown(char c) { return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) || c == '\t'; }

}  // namespace

KeyReader::KeyReader(int fd, std::chrono::milliseconds paste_silence)
    : fd_(fd), paste_silence_(paste_silence), signals_(OpenSignals()) {}

KeyReader::Event KeyReader::Next(wchar_t& character) {
  if (pushed_) {
    character = *std::exchange(pushed_, std::nullopt);
    return Event::kCharacter;
  }
  for (;;) {
    if (const std::optional<Event> event = TakeSignal()) return *event;
    if (!bytes_.empty()) {
      const WideCharacter next = FirstCharacter(bytes_);
      if (next.bytes > 0) {
        bytes_.erase(0, next.bytes);
        character = next.character;
        return Event::kCharacter;
      }
    }
    if (!Fill()) return Event::kEnd;
  }
}

bool KeyReader::Fill() {
  pollfd events[] = {{fd_, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
  if (::poll(events, std::size(events), -1) < 0) return errno == EINTR;
  return events[0].revents == 0 || Read();
}

bool KeyReader::Read() {
  char buffer[4096];
  const ssize_t count = ::read(fd_, buffer, sizeof(buffer));
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  bytes_.append(buffer, static_cast<size_t>(count));
  return count > 0;
}

std::optional<KeyReader::Event> KeyReader::TakeSignal() {
  signalfd_siginfo signal{};
  if (::read(signals_.get(), &signal, sizeof(signal)) != sizeof(signal)) return std::nullopt;
  return signal.ssi_signo == SIGCONT ? Event::kContinued : Event::kResized;
}

std::string KeyReader::ReadPaste() {
  std::string pasted;
  for (;;) {
    // What may be the start of the sequence stays.
    const size_t end = bytes_.find(kPasteEnd);
    const size_t kept = end == bytes_.npos ? std::min(bytes_.size(), kPasteEnd.size() - 1) : 0;
    const size_t taken = end == bytes_.npos ? bytes_.size() - kept : end;
    pasted.append(bytes_, 0, std::min(taken, kMaxPasteBytes - pasted.size()));
    bytes_.erase(0, end == bytes_.npos ? taken : end + kPasteEnd.size());
    if (end != bytes_.npos) return CleanPaste(pasted);
    if (!FillPaste()) return CleanPaste(pasted + std::exchange(bytes_, {}));
  }
}

// Signals wait until the paste is over. A key within a paste that comes without a pause is part of
// it: whoever wrote what is pasted must not be able to end it.
bool KeyReader::FillPaste() {
  pollfd event{.fd = fd_, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&event, 1, static_cast<int>(paste_silence_.count()));
  if (ready != 0) return ready > 0 ? Read() : errno == EINTR;
  const size_t before = bytes_.size();
  if (::poll(&event, 1, -1) < 0) return errno == EINTR;
  if (!Read()) return false;
  const std::string_view come = std::string_view(bytes_).substr(before);
  if (come != kInterruptKey && come != kEndKey) return true;
  Push(static_cast<wchar_t>(come.front()));
  bytes_.resize(before);
  return false;
}

std::string CleanPaste(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\r' || bytes[i] == '\n') {
      text += '\n';
      if (bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n') ++i;
    } else if (IsShown(bytes[i])) {
      text += bytes[i];
    }
  }
  return text;
}

}  // namespace cursor_chat
