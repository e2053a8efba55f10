// Room: values
#ifndef CURSORWIRE_ENVIRONMENT_H_
#define CURSORWIRE_ENVIRONMENT_H_

#include <string>

namespace cursorwire {

// Facts about the user's machine that the agent is told when it asks: it gives better advice then.
// A value; what is empty is not told. Texts are UTF-8. Source: docs/protocol.md, request context.
struct Environment {
  std::string os_version{};  // such as "linux 6.1.0"
  std::string shell{};       // such as "/bin/bash"
  std::string time_zone{};   // a name of the tz database, such as "Europe/Zurich"
  // Absolute path of the folder that the user works in, if an ExecHandler serves it: the agent will
  // want to look there. ExecHandler::Describe() fills it in.
  std::string workspace{};
  // Absolute path of a folder in which `N.txt` is the output of background shell N; empty: there is
  // none.
  std::string terminals_folder{};
};

}  // namespace cursorwire

#endif  // CURSORWIRE_ENVIRONMENT_H_
