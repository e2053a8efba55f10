#include "gateway/mcp_servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cursor_gateway {
namespace {

using cursorwire::mcp::ServerReport;
using enum cursorwire::mcp::ServerState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ServerReport Failed(const std::string& name, const std::string& why) {
  return {.name = name, .state = kFailed, .error = absl::UnavailableError(why)};
}

class McpLogTest : public testing::Test {
 protected:
  void TellStart(const std::vector<ServerReport>& reports) {
    log_.TellStart([&reports] { return reports; });
  }

  std::vector<std::string> lines_;
  McpLog log_{[this](const std::string& line) { lines_.push_back(line); }};
};

TEST_F(McpLogTest, TellsWhatIsWrongAtTheStart) {
  log_.OnChange(Failed("a", "it is gone"));
  EXPECT_THAT(lines_, IsEmpty());
  TellStart({Failed("a", "it is gone"),
             {.name = "b", .state = kReady, .notices = {"tool x is left out"}},
             {.name = "c", .state = kStarting}});
  EXPECT_THAT(lines_, ElementsAre("mcp: server a: it is gone", "mcp: server b: tool x is left out",
                                  "mcp: server c: it is not ready yet"));
}

TEST_F(McpLogTest, TellsWhatChangesLater) {
  TellStart({{.name = "a", .state = kReady}, {.name = "b", .state = kStarting}});
  lines_.clear();
  log_.OnChange({.name = "a", .state = kReady});
  log_.OnChange({.name = "b", .state = kReady});
  log_.OnChange(Failed("a", "it is gone"));
  log_.OnChange({.name = "a", .state = kStarting});
  log_.OnChange(Failed("a", "it is gone"));
  log_.OnChange({.name = "a", .state = kReady});
  log_.OnChange({.name = "a", .state = kStopped});
  EXPECT_THAT(lines_, ElementsAre("mcp: server b: it is ready", "mcp: server a: it is gone",
                                  "mcp: server a: it is ready"));
}

TEST_F(McpLogTest, TellsWhatIsLeftOutOfAServerThatIsLate) {
  TellStart({{.name = "a", .state = kStarting}});
  lines_.clear();
  const ServerReport ready = {.name = "a", .state = kReady, .notices = {"tool x is left out"}};
  log_.OnChange(ready);
  log_.OnChange(ready);
  EXPECT_THAT(lines_,
              ElementsAre("mcp: server a: it is ready", "mcp: server a: tool x is left out"));
}

TEST_F(McpLogTest, TellsOnceOfAServerThatIsAwayAndWhenItComes) {
  ServerReport away = Failed("a", "no connection after 3 ms");
  away.is_tried_again = true;
  TellStart({away, {.name = "b", .state = kStarting}});
  away.error = absl::UnavailableError("no connection after 4 ms");
  log_.OnChange(away);
  log_.OnChange({.name = "a", .state = kReady});
  log_.OnChange(away);
  ServerReport late = away;
  late.name = "b";
  log_.OnChange(late);
  EXPECT_THAT(lines_,
              ElementsAre("mcp: server a: no connection after 3 ms; it is tried again",
                          "mcp: server b: it is not ready yet", "mcp: server a: it is ready",
                          "mcp: server a: no connection after 4 ms; it is tried again",
                          "mcp: server b: no connection after 4 ms; it is tried again"));
}

}  // namespace
}  // namespace cursor_gateway
