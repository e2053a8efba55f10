#include "terminal_session/spinner.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/start_thread.h"
#include "common/visible_text.h"
#include "output/terminal.h"

namespace cursor_chat {
namespace {

constexpr std::array<std::string_view, 10> kPictures = {"\u280B", "\u2819", "\u2839", "\u2838",
                                                        "\u283C", "\u2834", "\u2826", "\u2827",
                                                        "\u2807", "\u280F"};
constexpr std::array<std::string_view, 4> kAsciiPictures = {"|", "/", "-", "\\"};

// More than the widest terminal shows.
constexpr size_t kMaxDoingBytes = 2048;

std::string_view Picture(size_t picture, bool unicode) {
  return unicode ? kPictures[picture % kPictures.size()]
                 : kAsciiPictures[picture % kAsciiPictures.size()];
}

}  // namespace

std::string SpinnerLine(const Progress& progress, std::chrono::seconds elapsed, size_t picture,
                        size_t columns, const ScreenStyle& style) {
  std::string figures = " (" + std::to_string(elapsed.count()) + " s";
  if (progress.tokens > 0) figures += ", " + std::to_string(progress.tokens) + " tokens";
  figures += ")";
  // The picture, a space, and one column that stays free, so that no terminal wraps the line.
  const size_t taken = figures.size() + 3;
  const size_t room = columns > taken + 8 ? columns - taken : 8;
  std::string doing = cursor_apps::ExactLine(progress.doing);
  const std::vector<std::string> pieces = cursor_apps::WrapLine(doing, room - 3);
  if (pieces.size() > 1) doing = pieces.front() + "...";
  return Painted(style, kCyan, Picture(picture, style.unicode)) + " " +
         Painted(style, kDim, doing + figures);
}

Spinner::Spinner(Output& output, const ScreenStyle& style) : output_(output), style_(style) {
  progress_.doing = "waiting for the agent";
  if (!style.decorated) return;
  // Without a thread nothing turns, which is all.
  (void)cursor_apps::StartThread(thread_, [this](const std::stop_token& stop) { Turn(stop); });
}

Spinner::~Spinner() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  output_.ShowStatus("", {});
}

void Spinner::Show(std::string doing) {
  doing.resize(std::min(doing.size(), kMaxDoingBytes));
  cursor_apps::CutToWholeCharacters(doing);
  doing = output_.redactor().Redact(doing);
  const std::lock_guard lock(mutex_);
  progress_.doing = std::move(doing);
}

void Spinner::AddTokens(int64_t tokens) {
  const std::lock_guard lock(mutex_);
  progress_.tokens += tokens;
}

int64_t Spinner::tokens() const {
  const std::lock_guard lock(mutex_);
  return progress_.tokens;
}

void Spinner::Turn(const std::stop_token& stop) {
  using std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  for (size_t picture = 0; !stop.stop_requested(); ++picture) {
    const Progress progress = progress_;
    lock.unlock();
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - start_);
    output_.ShowStatus(
        SpinnerLine(progress, elapsed, picture, SizeOf(STDOUT_FILENO).columns, style_), stop);
    lock.lock();
    ticks_.wait_for(lock, stop, kSpinnerInterval, [] { return false; });
  }
}

}  // namespace cursor_chat
