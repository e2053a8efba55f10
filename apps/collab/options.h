#ifndef CURSORWIRE_APPS_COLLAB_OPTIONS_H_
#define CURSORWIRE_APPS_COLLAB_OPTIONS_H_

#include <cursorwire/collab/room_agent.h>
#include <cursorwire/collab/text_session.h>
#include <cursorwire/connect/channel_options.h>
#include <cursorwire/credentials.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cursor_collab {

enum class Command { kWatch, kNvimHelper, kAgent, kOct };

// Where the agent writes, in code points of the text.
struct AppendPlace {};
struct InsertPlace {
  uint32_t at = 0;
};
struct ReplacePlace {
  uint32_t begin = 0;
  uint32_t end = 0;
};
using Place = std::variant<AppendPlace, InsertPlace, ReplacePlace>;

// What the command line asks for. A value.
struct Options {
  Command command = Command::kWatch;
  std::string sync_url{};
  std::string document{};
  std::string field{};
  bool allow_plaintext = false;
  std::string ca_file{};
  std::string storage{};
  cursorwire::collab::OffsetUnit offsets = cursorwire::collab::OffsetUnit::kCodePoints;
  // watch, oct
  bool once = false;
  // nvim-helper
  bool status = false;
  // agent
  std::string prompt{};  // "-": standard input
  Place place{};
  // oct
  cursorwire::collab::RoomAgentOptions room{};
  // agent, oct
  std::string name{};
  std::string model = "default";
  std::string endpoint{};
  std::string api_endpoint{};
  cursorwire::connect::ProxyChoice proxy{.from_environment = true};
  bool local = false;
  std::vector<cursorwire::CredentialPlace> token_places = cursorwire::CredentialsOptions().places;
};

// The options, or the exit code where nothing is left to do: help was printed, or an error.
std::variant<Options, int> ParseOptions(int argc, char** argv);

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_OPTIONS_H_
