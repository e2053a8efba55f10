// Room: values
#ifndef CURSORWIRE_GIT_REPOSITORY_H_
#define CURSORWIRE_GIT_REPOSITORY_H_

#include <string>

namespace cursorwire {

// A git repository that the user works in, for ChatRequest::git_repositories. The library does not
// run git: a program fills in what it knows. A value; all texts are UTF-8.
// Source: docs/protocol.md, request context.
struct GitRepository {
  std::string path{};    // absolute path of its folder
  std::string branch{};  // empty: unknown, or none is checked out
  // What is changed, in the words of `git status`. Empty: unknown, or nothing is.
  std::string status{};
};

}  // namespace cursorwire

#endif  // CURSORWIRE_GIT_REPOSITORY_H_
