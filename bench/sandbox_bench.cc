// sandbox-bench: what the sandbox costs a command that does nothing. Commands run in turn as the
// user and in the sandbox, in the folder that is given (without one: in the current folder); shown
// are the medians, what the sandbox adds, and the ratio.
//   sandbox-bench [COMMANDS [FOLDER]]
#include <cursorwire/workspace.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

struct Place {
  const char* name;
  cursorwire::SandboxMode mode;
  std::unique_ptr<cursorwire::LocalExecHandler> handler{};
  std::vector<double> milliseconds{};
};

bool Open(const std::string& folder, Place& place) {
  auto handler = cursorwire::LocalExecHandler::Create(
      folder, {.policy = [](const auto&, const auto&) { return absl::OkStatus(); },
               .sandbox = {.mode = place.mode}});
  if (!handler.ok())
    return std::fprintf(stderr, "%s\n", handler.status().ToString().c_str()), false;
  place.handler = *std::move(handler);
  return true;
}

bool RunOne(Place& place) {
  const auto start = steady_clock::now();
  const auto output = place.handler->Shell({.command = "true"}, {});
  if (!output.ok()) return std::fprintf(stderr, "%s\n", output.status().ToString().c_str()), false;
  if (output->exit_code != 0) return std::fprintf(stderr, "%s", output->err.c_str()), false;
  place.milliseconds.push_back(duration<double, std::milli>(steady_clock::now() - start).count());
  return true;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  const int commands = argc > 1 ? std::atoi(argv[1]) : 200;
  if (commands < 1) return std::fprintf(stderr, "usage: sandbox-bench [COMMANDS [FOLDER]]\n"), 2;
  const cursorwire::SandboxSupport support = cursorwire::LocalExecHandler::FindSandbox();
  if (!support.full) return std::printf("no sandbox: %s\n", support.why_not.c_str()), 77;
  std::array<Place, 2> places = {Place{"as the user", cursorwire::SandboxMode::kOff},
                                 Place{"in the sandbox", cursorwire::SandboxMode::kRequire}};
  for (Place& place : places) {
    if (!Open(argc > 2 ? argv[2] : ".", place)) return 1;
  }
  for (int i = 0; i < commands; ++i) {
    for (Place& place : places) {
      if (!RunOne(place)) return 1;
    }
  }
  const double outside = Median(places[0].milliseconds);
  for (const Place& place : places) {
    const double median = Median(place.milliseconds);
    std::printf("%-16s %8.2f ms  %+8.2f ms  %6.2f\n", place.name, median, median - outside,
                median / outside);
  }
  return 0;
}
