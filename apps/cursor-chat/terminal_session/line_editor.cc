#include "terminal_session/line_editor.h"

#include <histedit.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "output/terminal.h"
#include "output/terminal_mode_mutex.h"
#include "terminal_session/key_reader.h"
#include "terminal_session/wide_text.h"

namespace cursor_chat {
namespace {

constexpr int kMaxRemembered = 1000;
constexpr char kInterruptMark[] = "^C";
constexpr std::string_view kPasteWord = "[paste ";
// Between two looks for who has the terminal, once the process was continued in the background.
constexpr std::chrono::milliseconds kForegroundLook{20};
constexpr wchar_t kFirstLatin1 = 0xA0;
constexpr wchar_t kLastLatin1 = 0xFF;

// The strings of a binding are not changed by libedit, whose declarations lack a const.
struct Binding {
  const char* keys;
  const char* function;
};

constexpr Binding kBindings[] = {
    {"^C", "cw-interrupt"},       {"^Z", "cw-suspend"},         {"^I", "cw-complete"},
    {"^J", "cw-newline"},         {"\\e^M", "cw-newline"},      {"\\e^J", "cw-newline"},
    {"\\e[200~", "cw-paste"},     {"^R", "em-inc-search-prev"}, {"\\e[3~", "ed-delete-next-char"},
    {"\\e[1~", "ed-move-to-beg"}, {"\\e[4~", "ed-move-to-end"}, {"\\e[H", "ed-move-to-beg"},
    {"\\e[F", "ed-move-to-end"},  {"\\eOH", "ed-move-to-beg"},  {"\\eOF", "ed-move-to-end"},
    {"\\e[1;5C", "em-next-word"}, {"\\e[1;5D", "ed-prev-word"},
};

bool EndsWithBackslash(std::string_view line) {
  const size_t end = line.find_last_not_of('\\');
  const size_t count = end == line.npos ? line.size() : line.size() - end - 1;
  return count % 2 == 1;
}

size_t LinesIn(std::string_view text) {
  const auto newlines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return newlines + (text.ends_with('\n') ? 0 : 1);
}

}  // namespace

class LineEditor::Impl {
 public:
  Impl(Completer completer, Paste paste)
      : completer_(std::move(completer)), paste_(paste), keys_(STDIN_FILENO) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  absl::Status Open();
  Entry Read();
  void Remember(const std::string& entry);

 private:
  using Function = unsigned char (*)(EditLine*, wint_t);

  static Impl& Of(EditLine* editor);
  // Functions that libedit calls.
  static wchar_t* Prompt(EditLine* editor);
  static int GetCharacter(EditLine* editor, wchar_t* character);
  static unsigned char OnInterrupt(EditLine* editor, wint_t key);
  static unsigned char OnSuspend(EditLine* editor, wint_t key);
  static unsigned char OnTab(EditLine* editor, wint_t key);
  static unsigned char OnNewline(EditLine* editor, wint_t key);
  static unsigned char OnPaste(EditLine* editor, wint_t key);

  void Bind();
  void SwitchPaste(std::string_view sequence) const;
  KeyReader::Event NextKey(wchar_t& character);
  void Redraw(KeyReader::Event event);
  std::string BeforeCursor() const;
  void Insert(std::string_view text);
  void ShowChoices(const Completion& completion);
  // Keeps a text, and returns the word that stands for it.
  std::string WordFor(std::string text);
  std::string WithPastes(std::string_view text) const;

  const Completer completer_;
  const Paste paste_;
  KeyReader keys_;
  // Held while libedit runs: it changes the mode when it begins to read and when it ends.
  std::unique_lock<std::timed_mutex> mode_lock_{TerminalModeMutex(), std::defer_lock};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> unread_{nullptr, &std::fclose};  // its errors
  EditLine* editor_ = nullptr;
  HistoryW* history_ = nullptr;
  bool goes_on_ = false;  // the line continues the one before
  bool interrupted_ = false;
  // Texts by the words that stand for them on the line and in the history. They are looked up in
  // what was entered, and not in the texts.
  std::map<std::string, std::string, std::less<>> pastes_;
};

LineEditor::Impl::~Impl() {
  const std::lock_guard lock(mode_lock_);
  if (editor_ != nullptr) el_end(editor_);
  if (history_ != nullptr) history_wend(history_);
}

absl::Status LineEditor::Impl::Open() {
  const std::lock_guard lock(mode_lock_);
  // It tells users of terminals that it does not know, in words of its own.
  unread_.reset(std::fopen("/dev/null", "we"));
  editor_ = el_init("cursor-chat", stdin, stdout, unread_ == nullptr ? stderr : unread_.get());
  history_ = history_winit();
  if (editor_ == nullptr || history_ == nullptr) {
    return absl::UnavailableError("the terminal cannot be used for a session");
  }
  HistEventW event{};
  history_w(history_, &event, H_SETSIZE, kMaxRemembered);
  history_w(history_, &event, H_SETUNIQUE, 1);
  el_wset(editor_, EL_CLIENTDATA, this);
  el_wset(editor_, EL_PROMPT, &Impl::Prompt);
  el_wset(editor_, EL_EDITOR, L"emacs");
  el_wset(editor_, EL_HIST, history_w, history_);
  el_wset(editor_, EL_GETCFN, &Impl::GetCharacter);
  Bind();
  return absl::OkStatus();
}

void LineEditor::Impl::Bind() {
  // While a line is edited, Ctrl-C is a key, and Enter is not the same as Ctrl-J.
  el_set(editor_, EL_SETTY, "-d", "-isig", nullptr);
  el_set(editor_, EL_SETTY, "-d", "-icrnl", "-inlcr", nullptr);
  const auto add = [this](const wchar_t* name, Function function) {
    el_wset(editor_, EL_ADDFN, name, L"of cursor-chat", function);
  };
  add(L"cw-interrupt", &Impl::OnInterrupt);
  add(L"cw-suspend", &Impl::OnSuspend);
  add(L"cw-complete", &Impl::OnTab);
  add(L"cw-newline", &Impl::OnNewline);
  add(L"cw-paste", &Impl::OnPaste);
  for (const Binding& binding : kBindings) {
    el_set(editor_, EL_BIND, binding.keys, binding.function, nullptr);
  }
  // libedit takes these for Alt and a letter unless the locale has them.
  for (wchar_t character = kFirstLatin1; character <= kLastLatin1; ++character) {
    const wchar_t keys[] = {character, 0};
    el_wset(editor_, EL_BIND, keys, L"ed-insert", nullptr);
  }
}

LineEditor::Impl& LineEditor::Impl::Of(EditLine* editor) {
  void* data = nullptr;
  el_wget(editor, EL_CLIENTDATA, &data);
  return *static_cast<Impl*>(data);
}

wchar_t* LineEditor::Impl::Prompt(EditLine* editor) {
  static wchar_t first[] = L"> ";
  static wchar_t next[] = L"  ";
  return Of(editor).goes_on_ ? next : first;
}

int LineEditor::Impl::GetCharacter(EditLine* editor, wchar_t* character) {
  Impl& impl = Of(editor);
  for (;;) {
    const KeyReader::Event event = impl.NextKey(*character);
    if (event == KeyReader::Event::kCharacter) return 1;
    if (event == KeyReader::Event::kEnd) return 0;
    impl.Redraw(event);
  }
}

// While it waits, libedit leaves the terminal's mode alone.
KeyReader::Event LineEditor::Impl::NextKey(wchar_t& character) {
  mode_lock_.unlock();
  const KeyReader::Event event = keys_.Next(character);
  mode_lock_.lock();
  return event;
}

void LineEditor::Impl::Redraw(KeyReader::Event event) {
  // Whoever brings it to the foreground continues it once more.
  if (!IsForeground(STDIN_FILENO)) return;
  if (event == KeyReader::Event::kContinued) {
    // Another program may have left the terminal in its own mode.
    el_wset(editor_, EL_PREP_TERM, 0);
    el_wset(editor_, EL_PREP_TERM, 1);
    SwitchPaste("\033[?2004h");
  }
  el_resize(editor_);
  std::fputs("\r\033[J", stdout);
  el_wset(editor_, EL_REFRESH);
}

// The line is entered as it is, so that what follows stands below it.
unsigned char LineEditor::Impl::OnInterrupt(EditLine* editor, wint_t /*key*/) {
  Impl& impl = Of(editor);
  impl.interrupted_ = true;
  el_cursor(editor, INT_MAX / 2);
  impl.Insert(kInterruptMark);
  impl.keys_.Push(L'\r');
  return CC_REFRESH;
}

// The signal that Ctrl-Z is elsewhere. When the process goes on, an event of the keys redraws the
// line.
unsigned char LineEditor::Impl::OnSuspend(EditLine* editor, wint_t /*key*/) {
  Impl& impl = Of(editor);
  impl.SwitchPaste("\033[?2004l");
  el_wset(editor, EL_PREP_TERM, 0);
  ::kill(0, SIGTSTP);
  // In the background libedit would be stopped again, as it sets the mode, maybe in the middle of
  // an end that a signal asked for.
  while (!IsForeground(STDIN_FILENO)) std::this_thread::sleep_for(kForegroundLook);
  return CC_NORM;
}

unsigned char LineEditor::Impl::OnNewline(EditLine* editor, wint_t /*key*/) {
  Of(editor).Insert("\n");
  return CC_REFRESH;
}

unsigned char LineEditor::Impl::OnPaste(EditLine* editor, wint_t /*key*/) {
  Impl& impl = Of(editor);
  std::string text = impl.keys_.ReadPaste();
  impl.Insert(LinesIn(text) > kMaxPastedLines ? impl.WordFor(std::move(text)) : text);
  return CC_REFRESH;
}

std::string LineEditor::Impl::WordFor(std::string text) {
  std::string word = std::string(kPasteWord) + std::to_string(pastes_.size() + 1) + ": " +
                     std::to_string(LinesIn(text)) + " lines]";
  pastes_.emplace(word, std::move(text));
  return word;
}

unsigned char LineEditor::Impl::OnTab(EditLine* editor, wint_t /*key*/) {
  Impl& impl = Of(editor);
  const std::string before = impl.BeforeCursor();
  const Completion completion = impl.completer_(before);
  if (completion.words.empty()) return CC_REFRESH_BEEP;
  std::string common = CommonStart(completion.words);
  const std::string word = before.substr(completion.start);
  // What all words share is not known of those at which nobody has looked.
  if (completion.is_cut || (completion.words.size() > 1 && common.size() <= word.size())) {
    impl.ShowChoices(completion);
    return CC_NORM;
  }
  if (completion.words.size() == 1 && !common.ends_with('/')) common += ' ';
  impl.Insert(std::string_view(common).substr(std::min(word.size(), common.size())));
  return CC_REFRESH;
}

void LineEditor::Impl::ShowChoices(const Completion& completion) {
  const std::string text = "\n" + InColumns(completion, SizeOf(STDOUT_FILENO).columns);
  for (const char c : text) {
    if (c == '\n') std::fputc('\r', stdout);
    std::fputc(c, stdout);
  }
  el_wset(editor_, EL_REFRESH);
}

std::string LineEditor::Impl::BeforeCursor() const {
  const LineInfoW* line = el_wline(editor_);
  return ToUtf8({line->buffer, static_cast<size_t>(line->cursor - line->buffer)});
}

void LineEditor::Impl::Insert(std::string_view text) {
  // -1 if there is no memory for it: the line then stays as it is.
  el_winsertstr(editor_, ToWide(text).c_str());
}

void LineEditor::Impl::SwitchPaste(std::string_view sequence) const {
  if (paste_ == Paste::kPlain) return;
  std::fwrite(sequence.data(), 1, sequence.size(), stdout);
  std::fflush(stdout);
}

std::string LineEditor::Impl::WithPastes(std::string_view text) const {
  std::string whole;
  while (!text.empty()) {
    const size_t start = std::min(text.find(kPasteWord), text.size());
    whole += text.substr(0, start);
    text.remove_prefix(start);
    const size_t end = text.find(']');
    const auto pasted = pastes_.find(text.substr(0, end == text.npos ? end : end + 1));
    const std::string_view word = pasted == pastes_.end() ? text.substr(0, 1) : pasted->first;
    whole += pasted == pastes_.end() ? word : pasted->second;
    text.remove_prefix(word.size());
  }
  return whole;
}

Entry LineEditor::Impl::Read() {
  Entry entry;
  interrupted_ = false;
  SwitchPaste("\033[?2004h");
  for (goes_on_ = false;; goes_on_ = true) {
    int count = 0;
    mode_lock_.lock();
    const wchar_t* line = el_wgets(editor_, &count);
    mode_lock_.unlock();
    if (line == nullptr || count <= 0) {
      entry.kind = Entry::Kind::kEnd;
      std::fputs("\n", stdout);
      break;
    }
    std::string text = ToUtf8({line, static_cast<size_t>(count)});
    if (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    entry.text += text;
    if (interrupted_ || !EndsWithBackslash(entry.text)) break;
    entry.text.back() = '\n';
  }
  SwitchPaste("\033[?2004l");
  std::fflush(stdout);
  if (interrupted_) {
    entry.kind = Entry::Kind::kInterrupted;
    entry.text.resize(entry.text.size() - std::min(entry.text.size(), sizeof(kInterruptMark) - 1));
  }
  entry.shown = entry.text;
  entry.text = WithPastes(entry.shown);
  return entry;
}

void LineEditor::Impl::Remember(const std::string& entry) {
  HistEventW event{};
  const std::string line = LinesIn(entry) > kMaxRecalledLines ? WordFor(entry) : entry;
  history_w(history_, &event, H_ENTER, ToWide(line).c_str());
}

absl::StatusOr<std::unique_ptr<LineEditor>> LineEditor::Create(Completer completer, Paste paste) {
  auto impl = std::make_unique<Impl>(std::move(completer), paste);
  if (absl::Status status = impl->Open(); !status.ok()) return status;
  return std::unique_ptr<LineEditor>(new LineEditor(std::move(impl)));
}

LineEditor::LineEditor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LineEditor::~LineEditor() = default;

Entry LineEditor::Read() { return impl_->Read(); }
void LineEditor::Remember(const std::string& entry) { impl_->Remember(entry); }

}  // namespace cursor_chat
