#ifndef CURSORWIRE_SRC_AGENT_TRACE_VISIBLE_BYTES_H_
#define CURSORWIRE_SRC_AGENT_TRACE_VISIBLE_BYTES_H_

#include <string>
#include <string_view>

namespace cursorwire::agent {

// A stranger's text, fit for one line of what a person reads: control characters and those that
// have no shape or change the order of others become escapes such as \n, \u001b or \xff.
std::string VisibleLine(std::string_view text);

// The same of the start of a long text, and after it how many bytes it has.
std::string VisibleStart(std::string_view text);

// The text in quotes. Of a long one the start, and after it how many bytes it has.
std::string QuotedText(std::string_view text);

// The bytes as text in quotes if they are printable, else in hex. Of many the first, and in any
// case how many there are.
std::string QuotedBytes(std::string_view bytes);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TRACE_VISIBLE_BYTES_H_
