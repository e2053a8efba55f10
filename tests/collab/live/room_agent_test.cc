#include "cursorwire/collab/room_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mcp/web_server.h"
#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using mcp::WebServer;
using test::IsOk;
using test::kPatience;
using test::StatusIs;
using ::testing::HasSubstr;

class NoModel final : public RoomModel {
 public:
  void Ask(RoomQuestion /*question*/, RoomRun /*run*/) override { ADD_FAILURE() << "it is asked"; }
  void Cancel(uint64_t /*id*/) override { ADD_FAILURE() << "there is nothing to cancel"; }
};

// What an agent tells, for the thread of the test.
class RoomEvents {
 public:
  void Add(RoomEvent event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    changed_.notify_all();
  }
  // Waits for an event of this type.
  template <typename Event>
  std::optional<Event> Await() {
    std::unique_lock lock(mutex_);
    std::optional<Event> found;
    changed_.wait_for(lock, kPatience, [&] {
      for (const RoomEvent& event : events_) {
        if (const auto* it = std::get_if<Event>(&event)) found = *it;
      }
      return found.has_value();
    });
    return found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RoomEvent> events_;  // guarded by mutex_
};

// A server of rooms at which a person has to log in, whom it waits for.
class SlowLogin {
 public:
  SlowLogin() : server_([this](const WebServer::Request& request) { return Answer(request); }) {}
  ~SlowLogin() { gone_.set_value(); }

  std::string url() const { return server_.url(); }

 private:
  std::string Answer(const WebServer::Request& request) {
    const auto json = [](const std::string& body) {
      return WebServer::Answer("200 OK", "Content-Type: application/json\r\n", body);
    };
    if (request.head.starts_with("GET ")) {
      return json(R"({"version":"0.3.1","transports":["socket.io"]})");
    }
    if (request.head.find("/login/initial ") != std::string::npos) {
      return json(R"({"pollToken":"t","auth":{"loginPageUrl":"/login","providers":[]}})");
    }
    is_gone_.wait();
    return "";
  }

  std::promise<void> gone_;
  std::shared_future<void> is_gone_{gone_.get_future()};
  WebServer server_;
};

TEST(RoomAgent, StopsWhileSomebodyHasToLogIn) {
  RoomEvents events;
  NoModel model;
  SlowLogin server;
  auto agent =
      RoomAgent::Start({.server = server.url(),
                        .room = "room",
                        .on_event = [&](RoomEvent event) { events.Add(std::move(event)); }},
                       model);
  ASSERT_THAT(agent, IsOk());
  const auto asked = events.Await<RoomLoginAsked>();
  ASSERT_TRUE(asked);
  EXPECT_THAT(asked->url, HasSubstr("/login"));
  (*agent)->Stop();
  (*agent)->Stop();
  const auto ended = events.Await<RoomEnded>();
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->status, IsOk());
  EXPECT_EQ(ended->reason, "left");
}

TEST(RoomAgent, CanBeDestroyedAtAnyTime) {
  RoomEvents events;
  NoModel model;
  SlowLogin server;
  for (const bool waits : {false, true}) {
    auto agent =
        RoomAgent::Start({.server = server.url(),
                          .room = "room",
                          .on_event = [&](RoomEvent event) { events.Add(std::move(event)); }},
                         model);
    ASSERT_THAT(agent, IsOk());
    if (waits) {
      EXPECT_TRUE(events.Await<RoomLoginAsked>());
    }
  }
}

TEST(RoomAgent, EndsWhereTheServerRefuses) {
  RoomEvents events;
  NoModel model;
  WebServer server([](const WebServer::Request& /*request*/) {
    return WebServer::Answer("403 No", "", "Not you");
  });
  auto agent =
      RoomAgent::Start({.server = server.url(),
                        .room = "room",
                        .on_event = [&](RoomEvent event) { events.Add(std::move(event)); }},
                       model);
  ASSERT_THAT(agent, IsOk());
  const auto ended = events.Await<RoomEnded>();
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->status, StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("Not you")));
}

TEST(RoomAgent, RefusesBadOptions) {
  NoModel model;
  const auto start = [&model](const std::string& server, const std::string& room) {
    return RoomAgent::Start({.server = server, .room = room, .on_event = [](const RoomEvent&) {}},
                            model);
  };
  for (const char* const server : {"", "ftp://127.0.0.1/", "http://example.com/", "https://a@b/"}) {
    EXPECT_THAT(start(server, "room"), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(start("http://127.0.0.1:1/", ""), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::collab
