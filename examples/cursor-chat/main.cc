// cursor-chat: asks Cursor's agent from a shell. See cursor-chat --help.
#include <cursorwire/client.h>
#include <cursorwire/connect/error_info.h>
#include <cursorwire/local_exec_handler.h>
#include <cursorwire/local_upstream.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "exit_code.h"
#include "interrupt.h"
#include "models.h"
#include "options.h"
#include "printer.h"
#include "prompt.h"

namespace cursor_chat {
namespace {

// The library refuses larger ones; here they have a name.
constexpr size_t kMaxImageBytes = size_t{5} * 1024 * 1024;
// So that an answer of the stand-in is seen to stream.
constexpr std::chrono::milliseconds kLocalWordInterval{20};

// Without a workspace nothing is served, and the agent is not told of a folder.
absl::Status AddWorkspace(const Options& options, cursorwire::ClientOptions& client) {
  const bool nothing = options.list_models || options.workspace.empty() || !options.allow_read;
  if (nothing) return absl::OkStatus();
  auto handler = cursorwire::LocalExecHandler::Create(options.workspace);
  if (!handler.ok()) return handler.status();
  client.environment = cursorwire::DetectEnvironment();
  client.environment->workspace = (*handler)->folder();
  client.exec_handler = *std::move(handler);
  return absl::OkStatus();
}

absl::StatusOr<cursorwire::ClientOptions> MakeClientOptions(
    const Options& options, const std::optional<cursorwire::LocalUpstream>& local) {
  cursorwire::ClientOptions client{.endpoint = options.endpoint,
                                   .api_endpoint = options.api_endpoint,
                                   .connect_timeout = options.connect_timeout,
                                   .heartbeat_interval = options.heartbeat};
  if (local) {
    client.endpoint = local->url();
    client.api_endpoint = local->url();
    client.ca_pem = local->ca_pem();
    client.token = "local";
  }
  if (!options.ca_file.empty()) {
    absl::StatusOr<std::string> pem = ReadFile(options.ca_file);
    if (!pem.ok()) return pem.status();
    if (pem->empty()) return absl::InvalidArgumentError(options.ca_file + " is empty");
    client.ca_pem = *std::move(pem);
  }
  if (absl::Status status = AddWorkspace(options, client); !status.ok()) return status;
  return client;
}

absl::StatusOr<std::vector<std::string>> ReadImages(const std::vector<std::string>& files) {
  std::vector<std::string> images;
  for (const std::string& file : files) {
    absl::StatusOr<std::string> image = ReadFile(file, kMaxImageBytes);
    if (!image.ok()) return image.status();
    if (image->empty()) return absl::InvalidArgumentError(file + " is empty");
    images.push_back(*std::move(image));
  }
  return images;
}

// Some messages can name what a user can do here; the library cannot know of it.
absl::Status WithHint(const absl::Status& status) {
  const auto info = cursorwire::connect::GetErrorInfo(status);
  if (status.code() == absl::StatusCode::kNotFound) {
    return absl::NotFoundError(std::string(status.message()) +
                               "; \"cursor-chat models\" lists the models of your account");
  }
  const bool no_token = status.code() == absl::StatusCode::kUnauthenticated && info &&
                        info->origin == cursorwire::connect::ErrorOrigin::kLocal;
  if (!no_token) return status;
  return absl::UnauthenticatedError(std::string(status.message()) + "; --local needs no account");
}

absl::Status CheckOutput() {
  if (std::cout.good()) return absl::OkStatus();
  return absl::UnknownError("cannot write to standard output");
}

absl::Status Print(cursorwire::ChatStream& answer, Printer& printer) {
  for (const auto& event : answer) {
    if (!event.ok()) return event.status();
    if (event->As<cursorwire::StateLost>() != nullptr) {
      std::cerr << "cursor-chat: warning: a part of the conversation is lost: begin a new one\n";
    }
    printer.OnEvent(*event);
    if (absl::Status status = CheckOutput(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// `local` is filled with the stand-in, if one is asked for, and must outlive the client.
absl::StatusOr<cursorwire::Client> Connect(const Options& options,
                                           std::optional<cursorwire::LocalUpstream>& local) {
  if (options.local) {
    auto upstream = cursorwire::LocalUpstream::Start({.word_interval = kLocalWordInterval});
    if (!upstream.ok()) return upstream.status();
    local = *std::move(upstream);
  }
  absl::StatusOr<cursorwire::ClientOptions> client_options = MakeClientOptions(options, local);
  if (!client_options.ok()) return client_options.status();
  auto client = cursorwire::Client::Create(*std::move(client_options));
  if (!client.ok()) return WithHint(client.status());
  return client;
}

absl::Status List(const Options& options) {
  std::optional<cursorwire::LocalUpstream> local;
  const absl::StatusOr<cursorwire::Client> client = Connect(options, local);
  if (!client.ok()) return client.status();
  const absl::Status status = PrintModels(*client, options);
  return status.ok() ? CheckOutput() : status;
}

absl::Status Chat(const Options& options, Interrupt& interrupt) {
  const absl::StatusOr<std::string> prompt = ReadPrompt(options.prompt);
  if (!prompt.ok()) return prompt.status();
  const absl::StatusOr<std::vector<std::string>> images = ReadImages(options.images);
  if (!images.ok()) return images.status();
  std::optional<cursorwire::LocalUpstream> local;
  const absl::StatusOr<cursorwire::Client> client = Connect(options, local);
  if (!client.ok()) return client.status();
  const absl::StatusOr<cursorwire::ChosenModel> model = ChooseModel(*client, options);
  if (!model.ok()) return model.status();

  cursorwire::ChatStream answer = client->Chat({.prompt = *prompt,
                                                .model = model->model_id,
                                                .max_mode = model->max_mode,
                                                .model_parameters = model->parameters,
                                                .system = options.system,
                                                .images = *images,
                                                .max_time = options.max_time,
                                                .max_idle = options.max_idle});
  const Interrupt::Scope scope(interrupt, [&answer] { answer.Cancel(); });
  const std::unique_ptr<Printer> printer = Printer::Create(options.format);
  const absl::Status status = WithHint(Print(answer, *printer));
  printer->OnEnd(status);
  return status.ok() ? CheckOutput() : status;
}

// A socket must never take the place of a standard stream that was closed, and be written to. What
// is put there fails as a closed one does: it cannot be read, or written.
void OpenStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free descriptor, which is this one. Without /dev/null nothing can be done.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

int Main(int argc, char** argv) {
  OpenStandardStreams();
  const std::variant<Options, int> parsed = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows as a failed write
  Interrupt interrupt;
  const auto& options = std::get<Options>(parsed);
  const absl::Status status = options.list_models ? List(options) : Chat(options, interrupt);
  if (interrupt.interrupted()) return kExitInterrupted;
  if (!status.ok()) PrintError(status);
  return ExitCodeOf(status);
}

}  // namespace
}  // namespace cursor_chat

int main(int argc, char** argv) { return cursor_chat::Main(argc, argv); }
