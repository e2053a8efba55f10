#include "markdown/html_entity.h"

#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "common/visible_text.h"

namespace cursor_chat::markdown {
namespace {

struct NamedEntity {
  std::string_view name;
  std::string_view text;
};

// The entities that occur in prose. Source: HTML standard, "Named character references".
constexpr NamedEntity kNamedEntities[] = {
    {"amp", "&"},         {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},
    {"nbsp", "\xC2\xA0"}, {"copy", "©"},   {"reg", "®"},    {"trade", "™"},  {"hellip", "…"},
    {"mdash", "—"},       {"ndash", "–"},  {"lsquo", "‘"},  {"rsquo", "’"},  {"ldquo", "“"},
    {"rdquo", "”"},       {"laquo", "«"},  {"raquo", "»"},  {"bull", "•"},   {"middot", "·"},
    {"larr", "←"},        {"uarr", "↑"},   {"rarr", "→"},   {"darr", "↓"},   {"harr", "↔"},
    {"times", "×"},       {"divide", "÷"}, {"plusmn", "±"}, {"ne", "≠"},     {"le", "≤"},
    {"ge", "≥"},          {"infin", "∞"},  {"deg", "°"},    {"micro", "µ"},  {"para", "¶"},
    {"sect", "§"},        {"euro", "€"},   {"pound", "£"},  {"yen", "¥"},    {"cent", "¢"},
    {"frac12", "½"},      {"check", "✓"},  {"cross", "✗"},  {"star", "☆"},   {"Omega", "Ω"},
    {"alpha", "α"},       {"beta", "β"},   {"gamma", "γ"},  {"delta", "δ"},  {"lambda", "λ"},
    {"pi", "π"},          {"sigma", "σ"},  {"lbrack", "["}, {"rbrack", "]"}, {"vert", "|"},
};

std::string TextOfCode(uint32_t code) {
  if (code == 0 || code > 0x10FFFF || !utf8proc_codepoint_valid(static_cast<int32_t>(code))) {
    return "\xEF\xBF\xBD";
  }
  if (code == '\n' || code == '\t' || code == '\r') return " ";
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t size = utf8proc_encode_char(static_cast<int32_t>(code), bytes);
  return cursor_apps::VisibleText(
      {reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)});
}

}  // namespace

std::string EntityText(std::string_view entity) {
  std::string_view name = entity;
  if (!name.starts_with('&') || !name.ends_with(';')) return std::string(entity);
  name = name.substr(1, name.size() - 2);
  if (name.starts_with('#')) {
    const bool hex = name.starts_with("#x") || name.starts_with("#X");
    name.remove_prefix(hex ? 2 : 1);
    uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    const bool whole = error == std::errc{} && end == name.data() + name.size();
    return whole ? TextOfCode(code) : std::string(entity);
  }
  const auto* found = std::find_if(std::begin(kNamedEntities), std::end(kNamedEntities),
                                   [name](const NamedEntity& e) { return e.name == name; });
  return std::string(found == std::end(kNamedEntities) ? entity : found->text);
}

}  // namespace cursor_chat::markdown
