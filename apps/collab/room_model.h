#ifndef CURSORWIRE_APPS_COLLAB_ROOM_MODEL_H_
#define CURSORWIRE_APPS_COLLAB_ROOM_MODEL_H_

#include <cursorwire/async_chat.h>
#include <cursorwire/chat_observer.h>
#include <cursorwire/client.h>
#include <cursorwire/collab/room_agent.h>

#include <cstdint>
#include <string>
#include <utility>

namespace cursor_collab {

// The provider that the tools of a room belong to: the model sees mcp_oct_<name>.
inline constexpr char kRoomProvider[] = "oct";

// Has the agent service answer what a room asks.
class RoomModel final : public cursorwire::collab::RoomModel {
 public:
  // `client` must outlive it.
  RoomModel(const cursorwire::Client& client, std::string model)
      : client_(client), model_(std::move(model)) {}

  void Ask(cursorwire::collab::RoomQuestion question, cursorwire::collab::RoomRun run) override;
  void Cancel(uint64_t id) override;

 private:
  const cursorwire::Client& client_;
  const std::string model_;
  // The last one; there are never two.
  uint64_t id_ = 0;
  cursorwire::ChatCall call_;
};

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_ROOM_MODEL_H_
