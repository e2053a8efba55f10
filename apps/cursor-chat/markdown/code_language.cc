#include "markdown/code_language.h"

#include <algorithm>
#include <string>

namespace cursor_chat::markdown {
namespace {

constexpr CodeLanguage kLanguages[] = {
    {.names = "c c++ cc cpp cxx h hh hpp cuda objc",
     .line_comment = "//",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"'",
     .keywords =
         "alignas alignof auto bool break case catch char char8_t char16_t char32_t class concept "
         "const const_cast consteval constexpr constinit continue co_await co_return co_yield "
         "decltype default delete do double dynamic_cast else enum explicit export extern false "
         "final float for friend goto if inline int long mutable namespace new noexcept nullptr "
         "NULL operator override private protected public register reinterpret_cast requires "
         "restrict return short signed sizeof static static_assert static_cast struct switch "
         "template this thread_local throw true try typedef typeid typename union unsigned using "
         "virtual void volatile wchar_t while #include #define #undef #if #ifdef #ifndef #else "
         "#elif #endif #pragma #error"},
    {.names = "python py python3 pyi",
     .line_comment = "#",
     .quotes = "\"'",
     .long_quotes = R"(""" ''')",
     .keywords = "False None True and as assert async await break case class continue def del elif "
                 "else except finally for from global if import in is lambda match nonlocal not or "
                 "pass raise return self try while with yield"},
    {.names = "javascript js jsx mjs cjs typescript ts tsx",
     .line_comment = "//",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"'",
     .long_quotes = "`",
     .keywords =
         "abstract any as async await boolean break case catch class const constructor continue "
         "debugger declare default delete do else enum export extends false finally for from "
         "function get if implements import in instanceof interface keyof let namespace never new "
         "null number of private protected public readonly return satisfies set static string "
         "super switch symbol this throw true try type typeof undefined unknown var void while "
         "with yield"},
    {.names = "rust rs",
     .line_comment = "//",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"",
     .character_quote = '\'',
     .keywords =
         "as async await bool break char const continue crate dyn else enum extern f32 f64 false "
         "fn for i8 i16 i32 i64 i128 if impl in isize let loop match mod move mut pub ref return "
         "self Self static str String struct super trait true type u8 u16 u32 u64 u128 union "
         "unsafe use usize where while"},
    {.names = "go golang",
     .line_comment = "//",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"'",
     .long_quotes = "`",
     .keywords =
         "any bool break byte case chan const continue default defer else error fallthrough false "
         "float32 float64 for func go goto if import int int8 int16 int32 int64 interface iota map "
         "nil package range return rune select string struct switch true type uint uint8 uint16 "
         "uint32 uint64 var"},
    {.names = "java",
     .line_comment = "//",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"'",
     .long_quotes = R"(""")",
     .keywords =
         "abstract assert boolean break byte case catch char class const continue default do "
         "double else enum extends false final finally float for if implements import instanceof "
         "int interface long native new null package permits private protected public record "
         "return sealed short static super switch synchronized this throw throws transient true "
         "try var void volatile while yield"},
    {.names = "bash sh shell zsh console shell-session dockerfile makefile make",
     .line_comment = "#",
     .quotes = "\"'",
     .keywords = "alias break case cd continue declare do done echo elif else esac eval exec exit "
                 "export fi for function if in local read readonly return set shift source sudo "
                 "then trap unset until while FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR "
                 "EXPOSE"},
    {.names = "json jsonc json5",
     .form = CodeLanguage::Form::kData,
     .line_comment = "//",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"",
     .keywords = "true false null"},
    {.names = "yaml yml toml ini",
     .form = CodeLanguage::Form::kData,
     .line_comment = "#",
     .quotes = "\"'",
     .keywords = "true false null yes no"},
    {.names = "diff patch", .form = CodeLanguage::Form::kDiff},
    {.names = "sql",
     .line_comment = "--",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"'",
     .keywords =
         "ADD ALL ALTER AND AS ASC BEGIN BETWEEN BY CASE COLUMN COMMIT CREATE DEFAULT DELETE DESC "
         "DISTINCT DROP ELSE END EXISTS FOREIGN FROM GROUP HAVING IN INDEX INNER INSERT INTO IS "
         "JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY REFERENCES RIGHT ROLLBACK "
         "SELECT SET TABLE THEN UNION UNIQUE UPDATE VALUES WHEN WHERE WITH add all alter and as "
         "asc begin between by case column commit create default delete desc distinct drop else "
         "end exists foreign from group having in index inner insert into is join key left like "
         "limit not null on or order outer primary references right rollback select set table "
         "then union unique update values when where with"},
    // What languages like C have in common.
    {.names = "csharp cs c# kotlin kt swift scala php dart groovy zig proto protobuf css scss",
     .line_comment = "//",
     .block_comment_start = "/*",
     .block_comment_end = "*/",
     .quotes = "\"'",
     .keywords = "abstract as async await bool break case catch class const continue data def "
                 "default do double else enum extends extension false final finally float fn for "
                 "foreach fun func function guard if implements import in int interface internal "
                 "is let message namespace new nil null object open optional override package "
                 "private protected protocol public repeated required return sealed self static "
                 "string struct super switch this throw trait true try type using val var virtual "
                 "void when where while yield"},
    // The same for those with comments like a shell's.
    {.names = "ruby rb perl pl r elixir ex julia jl cmake nix",
     .line_comment = "#",
     .quotes = "\"'",
     .keywords = "and begin break case class def do else elseif elsif end false for foreach "
                 "function if in let module my next nil not or require rescue return self set sub "
                 "then true unless until use when while yield"},
};

}  // namespace

bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

const CodeLanguage* FindCodeLanguage(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower.empty()) return nullptr;
  const auto* found =
      std::find_if(std::begin(kLanguages), std::end(kLanguages),
                   [&lower](const CodeLanguage& one) { return HasWord(one.names, lower); });
  return found == std::end(kLanguages) ? nullptr : found;
}

}  // namespace cursor_chat::markdown
