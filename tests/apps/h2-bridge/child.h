#ifndef CURSORWIRE_TESTS_APPS_H2_BRIDGE_CHILD_H_
#define CURSORWIRE_TESTS_APPS_H2_BRIDGE_CHILD_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "frame.h"

namespace h2_bridge {

// Sanitizers change what a process needs. The build says so: the macro of one of them is undefined
// here (cmake/CursorwireTargets.cmake).
inline constexpr bool kSanitized = sizeof(SANITIZERS) > sizeof("");

// The message with its prefix.
std::string Message(std::string_view bytes);

enum class Stdio { kPipes, kSockets };  // Node.js gives its children sockets

struct ChildOptions {
  std::vector<std::string> arguments{};    // after the program
  std::vector<std::string> environment{};  // NAME=value; nothing else is in it
  Stdio stdio = Stdio::kPipes;
  std::string output_file{};      // instead of a channel; nothing is read of it
  std::vector<int> closed_fds{};  // closed when it starts
  int shared_output = -1;         // a descriptor of ours in place of its standard output
  int shared_error = -1;          // and error
};

// A program whose parent is the test. Every wait ends after kPatience, with a failure.
class Child {
 public:
  explicit Child(const std::string& program, const ChildOptions& options = {});
  ~Child();  // kills what has not ended
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // All of it. False: the child reads no more.
  bool Write(std::string_view bytes);
  bool Send(std::string_view message) { return Write(Message(message)); }
  // As much as goes without waiting.
  size_t WriteWhatFits(std::string_view bytes);
  // The same message again and again, until none is taken for `time`.
  void WriteUntilFull(const std::string& message, std::chrono::milliseconds time);
  void CloseInput() { input_.Reset(); }
  void CloseOutput() { output_.Reset(); }

  // The next message; nullopt: there is no more output.
  std::optional<std::string> Read();
  // All messages until the end of the output.
  std::vector<std::string> ReadAll();
  // Messages until they are so many bytes together.
  std::string ReadBytes(size_t bytes);
  // The next line of standard output or error, without its end; empty: there is no more.
  std::string ReadLine();
  std::string ReadErrorLine();
  // Until it ends.
  std::string ReadErrors();

  void Signal(int number) const;
  // SIGSTOP; returns once it has stopped.
  void Stop() const;
  // Ours of its standard streams: to look at what it does with them.
  int input() const { return input_.get(); }
  int output() const { return output_.get(); }

  // The exit code, or the negative number of the signal that killed it.
  int Wait();
  // CPU and memory, after Wait().
  const rusage& usage() const { return usage_; }
  double cpu_seconds() const;
  // A line of /proc/PID/status in KiB, such as "VmRSS".
  size_t Memory(std::string_view name) const;
  // The user who may open /proc/PID/mem: root, where the process hides it.
  uid_t OwnerOfMemory() const;

 private:
  // Appends what comes next to `out`; false: the end.
  bool Fill(const cursorwire::FileDescriptor& fd, std::string& out);
  std::string TakeLine(const cursorwire::FileDescriptor& fd, std::string& pending);

  pid_t process_ = -1;
  std::optional<int> exit_code_;
  rusage usage_{};
  cursorwire::FileDescriptor input_;
  cursorwire::FileDescriptor output_;
  cursorwire::FileDescriptor error_;
  std::string pending_output_;
  size_t pending_begin_ = 0;
  std::string pending_error_;
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_TESTS_APPS_H2_BRIDGE_CHILD_H_
