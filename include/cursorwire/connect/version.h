// Room: src/core
#ifndef CURSORWIRE_CONNECT_VERSION_H_
#define CURSORWIRE_CONNECT_VERSION_H_

#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire::connect {

// Of this library, such as "0.1.0".
CURSORWIRE_EXPORT std::string_view Version();

// A library that this one uses, as it is loaded now. A value.
struct LibraryVersion {
  std::string name{};
  std::string version{};
};
CURSORWIRE_EXPORT std::vector<LibraryVersion> LibraryVersions();

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_VERSION_H_
