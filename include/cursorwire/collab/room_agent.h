// Room: src/collab/live
#ifndef CURSORWIRE_COLLAB_ROOM_AGENT_H_
#define CURSORWIRE_COLLAB_ROOM_AGENT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/collab/room_event.h"
#include "cursorwire/connect/tls_options.h"
#include "cursorwire/export.h"

namespace cursorwire::collab {

// A function that a model may call while it answers. A value.
struct RoomTool {
  std::string name{};
  std::string description{};
  std::string input_schema{};  // JSON Schema of its arguments, as text
};

// The run of a prompt, for whoever has the model answer it. Copies are of the same run.
// Thread-safe; may outlive the RoomAgent, and does nothing then.
class CURSORWIRE_EXPORT RoomRun {
 public:
  // What the model is to be told. `is_error`: it may try something else.
  using Reply = std::function<void(std::string text, bool is_error)>;

  // The model calls a tool; `arguments_json` need not follow the schema. `reply` is called later,
  // on the agent's thread, and must return soon. It is destroyed without a call if the agent is
  // gone.
  void CallTool(std::string_view name, std::string_view arguments_json, Reply reply) const;
  // The model has ended, with all its words. The first call counts.
  void Finish(absl::Status status, std::string words) const;

 private:
  friend class RoomAgent;
  class CURSORWIRE_HIDDEN State;
  explicit RoomRun(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // shared by the copies
};

// What a model is asked. A value.
struct RoomQuestion {
  uint64_t id = 0;  // of the prompt
  std::string system{};
  std::string prompt{};  // with a part of the file, which is a stranger's
  // Those alone may be offered to the model. Empty: its words are the answer.
  std::vector<RoomTool> tools{};
};

// Asks a model for the agent. Its functions are called on the agent's thread, and must return soon.
class CURSORWIRE_EXPORT RoomModel {
 public:
  virtual ~RoomModel() = default;

  virtual void Ask(RoomQuestion question, RoomRun run) = 0;
  // Nobody waits for that answer any more.
  virtual void Cancel(uint64_t id) = 0;
};

// What the model answers with.
enum class RoomAnswer : uint8_t {
  kTools,    // calls of tools that read and change lines
  kRegions,  // the lines that are to stand there
};

enum class RoomLogin : uint8_t {
  kAuto,  // with the name alone where the server takes that; else as kUrl
  kUrl,   // on a page, which RoomLoginAsked names
};

struct RoomAgentOptions {
  // "https://HOST[:PORT][/PATH]", or "http://" to this machine.
  std::string server = "https://api.open-collab.tools/";
  std::string room{};  // its id; must be set
  // Who we say we are, for kAuto. The server may give another name.
  std::string name = "agent";
  std::string email{};
  RoomLogin login = RoomLogin::kAuto;
  std::chrono::milliseconds login_timeout{300'000};
  std::chrono::milliseconds join_timeout{300'000};  // for the host to let us in
  RoomAnswer answer = RoomAnswer::kTools;
  uint32_t max_calls = 50;                         // of tools, in a run
  std::chrono::milliseconds run_timeout{300'000};  // of a run
  size_t max_waiting_prompts = 8;                  // further ones are skipped
  // Whether the line of a prompt is taken out after a run that has changed something.
  bool remove_prompts = false;
  // Whether the outcome of each run is told in the chat of the room.
  bool report_to_chat = true;
  // Whether http:// may go to another machine, where others can read and change all.
  bool allow_plaintext = false;
  // For https://, both of the login and of the room. Of its certificates `ca_pem` alone counts.
  connect::TlsOptions tls{};
  // Must be set. Called on the agent's thread, one event at a time. While it does not return,
  // nothing else happens.
  std::function<void(RoomEvent event)> on_event{};
};

// An agent in a room of Open Collaboration Tools, where people edit the files of one of them, the
// host. When somebody writes "@" and its name, a prompt behind it, and Enter, it has a model
// answer, and changes that file for all to see: no other file, and nothing else of the host. The
// rules: docs/collab/room-agent.md; the room: docs/collab/oct.md. cursor-collab oct is this with a
// Client.
//
// A prompt is a stranger's input: whoever is in the room may write one. Thread-safe. The destructor
// drops the connection at once, and waits for the agent's thread: it must not be destroyed in
// `on_event`, in a function of `model`, or in a `reply`. Have these tell the thread that owns it to
// destroy it.
class CURSORWIRE_EXPORT RoomAgent {
 public:
  // Begins; the rest is told by events, RoomEnded at the end. `model` must outlive it.
  //   kInvalidArgument  bad options, or certificates that do not parse
  //   kUnavailable      the system starts no more threads, or libcurl is missing
  static absl::StatusOr<std::unique_ptr<RoomAgent>> Start(RoomAgentOptions options,
                                                          RoomModel& model);
  ~RoomAgent();
  RoomAgent(const RoomAgent&) = delete;
  RoomAgent& operator=(const RoomAgent&) = delete;

  // Ends the run, leaves the room, and ends within 2 s: with OK, or with kUnavailable if the server
  // has not said that it has got the edits of the last two minutes.
  void Stop();
  // As Stop(), but such edits are waited for up to 30 s, also without a connection. Stop() may
  // follow.
  void Leave();

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit RoomAgent(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_COLLAB_ROOM_AGENT_H_
