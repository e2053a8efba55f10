#ifndef CURSORWIRE_SRC_CRDT_YJS_UPDATE_H_
#define CURSORWIRE_SRC_CRDT_YJS_UPDATE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "crdt/yjs/content.h"
#include "crdt/yjs/id.h"

namespace cursorwire::yjs {

enum class StructKind : uint8_t {
  kItem,
  kGarbage,  // units that are gone, with all that is known of them
  kSkip,     // units that this update does not have
};

// Where an item belongs that names no neighbour. std::monostate: it names one, and is where that
// is.
struct RootName {
  std::string_view name{};
};
using Parent = std::variant<std::monostate, RootName, Id>;

struct Struct {
  StructKind kind = StructKind::kItem;
  Id id{};
  uint64_t length = 0;  // that of the content, for an item
  std::optional<Id> origin{};
  std::optional<Id> right_origin{};
  Parent parent{};
  std::optional<std::string_view> key{};  // of an entry of a map
  // It is an entry of a map. One that names a neighbour is written without its key, which is that
  // of the neighbour: then `key` may be missing.
  bool has_key = false;
  Content content{};
};

// Structs of one client, ascending and without gaps.
struct ClientStructs {
  uint64_t client = 0;
  uint64_t clock = 0;  // of the first
  std::vector<Struct> structs{};
};

struct ClientDeletes {
  uint64_t client = 0;
  std::vector<ClockRange> ranges{};
};

// Views of the bytes that it was read from. Clients in the order of the update.
struct Update {
  std::vector<ClientStructs> clients{};
  std::vector<ClientDeletes> deletes{};
};

// An update costs its reader about a hundred times its bytes in structs.
constexpr uint64_t kMaxStructs = uint64_t{1} << 20;
constexpr uint64_t kMaxDeletedRanges = uint64_t{1} << 22;

//   kInvalidArgument    it does not follow the format, is cut off, has more than its end, or a kind
//                       of content that is not known. The message says where: at which byte, of
//                       which client and clock.
//   kResourceExhausted  more than kMaxStructs, or kMaxDeletedRanges
absl::StatusOr<Update> ReadUpdate(std::string_view bytes);

// Clients and deletes must be in the order in which they are to stand: higher clients first. An
// item must name a neighbour or a parent.
std::string WriteUpdate(const Update& update);
void AppendStruct(std::string& out, const Struct& item);
void AppendDeletes(std::string& out, const std::vector<ClientDeletes>& deletes);

// The next clock of each client; higher clients first where it is written.
using StateVector = std::vector<Id>;

// Of a peer: each takes 16 bytes, and what answers it looks each of them up.
inline constexpr uint64_t kMaxStateClients = uint64_t{1} << 20;

//   kInvalidArgument    it does not follow the format, is cut off, or has more than its end
//   kResourceExhausted  more than kMaxStateClients clients
absl::StatusOr<StateVector> ReadStateVector(std::string_view bytes);
std::string WriteStateVector(const StateVector& clocks);

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_UPDATE_H_
