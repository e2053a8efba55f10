#include "collab/oct/awareness_state.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "collab/oct/room_path.h"
#include "collab/oct/room_peer.h"
#include "json/json_member.h"
#include "json/json_reader.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;

constexpr int kLeftToRight = 1;

json UnitJson(const std::optional<yjs::Id>& unit) {
  if (!unit) return nullptr;
  return {{"client", unit->client}, {"clock", unit->clock}};
}

// With null for what is missing, as other clients write it.
json PositionJson(const RoomCaret& caret) {
  const yjs::RelativePosition& position = caret.position;
  const json root = position.type ? json() : json(position.root_name.value_or(caret.path));
  return {{"type", UnitJson(position.type)},
          {"tname", root},
          {"item", UnitJson(position.item)},
          {"assoc", position.assoc}};
}

}  // namespace

std::optional<AwarenessState> ReadAwarenessState(std::string_view text) {
  json state;
  const JsonBounds bounds{.max_depth = kMaxAwarenessStateDepth,
                          .max_values = kMaxAwarenessStateValues};
  if (ReadJson(text, bounds, state)) return std::nullopt;
  AwarenessState read{.peer = TextOf(state, "peer")};
  if (!IsRoomPeerId(read.peer)) return std::nullopt;
  std::string path = TextOf(MemberOf(state, "selection"), "path");
  if (IsRoomPath(path)) read.path = std::move(path);
  return read;
}

std::string WriteAwarenessState(std::string_view peer, const std::optional<RoomCaret>& caret) {
  json state = {{"peer", peer}};
  if (caret) {
    const json position = PositionJson(*caret);
    state["selection"] = {
        {"path", caret->path},
        {"textSelections",
         json::array({{{"direction", kLeftToRight}, {"start", position}, {"end", position}}})}};
  }
  return state.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

}  // namespace cursorwire::oct
