// cursor-chat: asks Cursor's agent from a shell. See cursor-chat --help.
#include <cursorwire/client.h>
#include <cursorwire/connect/error_info.h>
#include <cursorwire/connect/tls_options.h>
#include <cursorwire/image.h>
#include <cursorwire/local_exec_handler.h>
#include <cursorwire/local_upstream.h>
#include <cursorwire/remedy.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "exit_code.h"
#include "interrupt.h"
#include "models.h"
#include "options.h"
#include "output.h"
#include "printer.h"
#include "prompt.h"

namespace cursor_chat {
namespace {

using cursorwire::connect::ErrorInfo;

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

// The library refuses bad ones too; here they have a name.
absl::StatusOr<std::string> ReadCertificates(const std::string& file) {
  absl::StatusOr<std::string> pem = ReadFile(file);
  if (!pem.ok()) return pem.status();
  if (pem->empty()) return absl::InvalidArgumentError(file + " is empty");
  const auto context = cursorwire::connect::TlsContext::Create({.ca_pem = *pem});
  if (context.ok()) return pem;
  return absl::InvalidArgumentError(file + ": " + std::string(context.status().message()));
}

absl::StatusOr<std::string> ReadImage(const std::string& file) {
  absl::StatusOr<std::string> image = ReadFile(file, cursorwire::kMaxImageBytes);
  if (!image.ok()) return image.status();
  if (image->empty()) return absl::InvalidArgumentError(file + " is empty");
  if (cursorwire::ImageMimeType(*image)) return image;
  return absl::InvalidArgumentError(file + " is none of jpeg, png, gif and webp");
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
    absl::StatusOr<std::string> pem = ReadCertificates(options.ca_file);
    if (!pem.ok()) return pem.status();
    client.ca_pem = *std::move(pem);
  }
  if (absl::Status status = AddWorkspace(options, client); !status.ok()) return status;
  return client;
}

absl::StatusOr<std::vector<std::string>> ReadImages(const std::vector<std::string>& files) {
  std::vector<std::string> images;
  for (const std::string& file : files) {
    absl::StatusOr<std::string> image = ReadImage(file);
    if (!image.ok()) return image.status();
    images.push_back(*std::move(image));
  }
  return images;
}

// Some messages can name what a user can do here; the library cannot know of it.
std::string HintFor(const absl::Status& status) {
  const auto info = cursorwire::connect::GetErrorInfo(status).value_or(ErrorInfo{});
  const bool no_token = status.code() == absl::StatusCode::kUnauthenticated &&
                        info.origin == cursorwire::connect::ErrorOrigin::kLocal;
  if (no_token) return "; --local needs no account";
  if (cursorwire::RemedyOf(status) == cursorwire::Remedy::kOtherModel) {
    return "; \"cursor-chat models\" lists the models of your account";
  }
  return "";
}

absl::Status WithHint(const absl::Status& status) {
  const std::string hint = HintFor(status);
  if (hint.empty()) return status;
  absl::Status hinted(status.code(), std::string(status.message()) + hint);
  if (const auto info = cursorwire::connect::GetErrorInfo(status)) {
    cursorwire::connect::SetErrorInfo(hinted, *info);
  }
  return hinted;
}

absl::Status Print(cursorwire::ChatStream& answer, Printer& printer, const Output& output) {
  for (const auto& event : answer) {
    if (!event.ok()) return event.status();
    if (event->As<cursorwire::StateLost>() != nullptr) {
      PrintWarning("a part of the conversation is lost: begin a new one");
    }
    printer.OnEvent(*event);
    if (!output.status().ok()) return output.status();
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

absl::Status List(const Options& options, Output& output) {
  std::optional<cursorwire::LocalUpstream> local;
  const absl::StatusOr<cursorwire::Client> client = Connect(options, local);
  if (!client.ok()) return client.status();
  return PrintModels(*client, options, output);
}

absl::Status Chat(const Options& options, Interrupt& interrupt, Output& output) {
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
  const std::unique_ptr<Printer> printer = Printer::Create(options.format, output);
  absl::Status status = WithHint(Print(answer, *printer, output));
  printer->OnEnd(status);
  return status;
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
  // A closed pipe, and a file that may not grow, show as a failed write.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  Output output;
  const std::variant<Options, int> parsed = ParseOptions(argc, argv, output);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  Interrupt interrupt;
  const auto& options = std::get<Options>(parsed);
  absl::Status status =
      options.list_models ? List(options, output) : Chat(options, interrupt, output);
  if (interrupt.interrupted()) return kExitInterrupted;
  output.Close();
  if (status.ok()) status = output.status();
  if (status.ok()) return kExitOk;
  // It has what it wanted: there is nothing to tell.
  if (output.reader_is_gone() && status == output.status()) return kExitOther;
  PrintError(status);
  return ExitCodeOf(status);
}

}  // namespace
}  // namespace cursor_chat

int main(int argc, char** argv) { return cursor_chat::Main(argc, argv); }
