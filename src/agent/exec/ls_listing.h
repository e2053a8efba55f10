#ifndef CURSORWIRE_SRC_AGENT_EXEC_LS_LISTING_H_
#define CURSORWIRE_SRC_AGENT_EXEC_LS_LISTING_H_

#include "agent/v1/common.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// Writes a listing as the protocol has it. The recursion is as deep as `folder`, which this process
// built: as deep as a file system.
void FillFolder(const LsFolder& folder, ::agent::v1::LsDirectoryTreeNode& node);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_LS_LISTING_H_
