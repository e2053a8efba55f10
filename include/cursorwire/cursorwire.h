// Room: all
#ifndef CURSORWIRE_CURSORWIRE_H_
#define CURSORWIRE_CURSORWIRE_H_

// What a first program needs, in one include: ask (Client, ChatStream), carry a conversation on and
// keep it in a file (Conversation, SessionFile), log in (Login, Credentials), choose a model, offer
// tools (ToolRegistry), and let the agent work in a folder (LocalExecHandler). Each header alone
// compiles faster.

#include "cursorwire/chat.h"          // IWYU pragma: export
#include "cursorwire/chat_error.h"    // IWYU pragma: export
#include "cursorwire/chat_stream.h"   // IWYU pragma: export
#include "cursorwire/client.h"        // IWYU pragma: export
#include "cursorwire/conversation.h"  // IWYU pragma: export
#include "cursorwire/credentials.h"   // IWYU pragma: export
#include "cursorwire/login.h"         // IWYU pragma: export
#include "cursorwire/model.h"         // IWYU pragma: export
#include "cursorwire/session_file.h"  // IWYU pragma: export
#include "cursorwire/tools.h"         // IWYU pragma: export
#include "cursorwire/workspace.h"     // IWYU pragma: export

#endif  // CURSORWIRE_CURSORWIRE_H_
