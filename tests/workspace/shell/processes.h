#ifndef CURSORWIRE_TESTS_WORKSPACE_SHELL_PROCESSES_H_
#define CURSORWIRE_TESTS_WORKSPACE_SHELL_PROCESSES_H_

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace cursorwire::test {

// False for a process that is gone, or that only waits for its parent to look.
inline bool IsAlive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  // The read fails for a process that ends at this moment: nothing was read then.
  std::string stat;
  std::getline(file, stat);
  const size_t name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

// Waits until `condition` is true, for as long as the test may take.
template <typename Condition>
void Await(const Condition& condition) {
  while (!condition()) std::this_thread::yield();
}

// Waits until a command has written a number and a newline into a file.
inline pid_t AwaitNumber(const std::string& path) {
  std::string text;
  Await([&] {
    std::ifstream file(path);
    text.assign(std::istreambuf_iterator<char>(file), {});
    return text.ends_with('\n');
  });
  return std::stoi(text);
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_WORKSPACE_SHELL_PROCESSES_H_
