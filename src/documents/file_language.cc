#include "documents/file_language.h"

#include "base/strings.h"

namespace cursorwire::documents {
namespace {

struct NamedLanguage {
  std::string_view name;
  std::string_view language;
};

// Names without an extension.
constexpr NamedLanguage kFiles[] = {{"cmakelists.txt", "cmake"}, {"dockerfile", "dockerfile"},
                                    {"gemfile", "ruby"},         {"gnumakefile", "makefile"},
                                    {"justfile", "makefile"},    {"makefile", "makefile"},
                                    {"rakefile", "ruby"}};

constexpr NamedLanguage kExtensions[] = {
    {"astro", "astro"},      {"bash", "bash"},       {"bat", "bat"},       {"c", "c"},
    {"cc", "cpp"},           {"cjs", "javascript"},  {"clj", "clojure"},   {"cmake", "cmake"},
    {"cpp", "cpp"},          {"cs", "csharp"},       {"css", "css"},       {"cts", "typescript"},
    {"cxx", "cpp"},          {"dart", "dart"},       {"diff", "diff"},     {"ex", "elixir"},
    {"exs", "elixir"},       {"erl", "erlang"},      {"fs", "fsharp"},     {"go", "go"},
    {"gradle", "groovy"},    {"graphql", "graphql"}, {"groovy", "groovy"}, {"h", "cpp"},
    {"hh", "cpp"},           {"hpp", "cpp"},         {"hs", "haskell"},    {"htm", "html"},
    {"html", "html"},        {"hxx", "cpp"},         {"ini", "ini"},       {"ipp", "cpp"},
    {"java", "java"},        {"jl", "julia"},        {"js", "javascript"}, {"json", "json"},
    {"jsonc", "jsonc"},      {"jsx", "jsx"},         {"kt", "kotlin"},     {"kts", "kotlin"},
    {"less", "less"},        {"lua", "lua"},         {"m", "objective-c"}, {"md", "markdown"},
    {"mdx", "mdx"},          {"mjs", "javascript"},  {"mk", "makefile"},   {"ml", "ocaml"},
    {"mm", "objective-cpp"}, {"mts", "typescript"},  {"nix", "nix"},       {"patch", "diff"},
    {"php", "php"},          {"pl", "perl"},         {"pm", "perl"},       {"proto", "protobuf"},
    {"ps1", "powershell"},   {"py", "python"},       {"pyi", "python"},    {"r", "r"},
    {"rb", "ruby"},          {"rs", "rust"},         {"rst", "rst"},       {"sass", "sass"},
    {"scala", "scala"},      {"scss", "scss"},       {"sh", "bash"},       {"sol", "solidity"},
    {"sql", "sql"},          {"svelte", "svelte"},   {"swift", "swift"},   {"tex", "latex"},
    {"tf", "terraform"},     {"toml", "toml"},       {"ts", "typescript"}, {"tsx", "tsx"},
    {"txt", "text"},         {"vim", "vim"},         {"vue", "vue"},       {"xml", "xml"},
    {"yaml", "yaml"},        {"yml", "yaml"},        {"zig", "zig"},       {"zsh", "bash"}};

template <size_t N>
std::string_view FindLanguage(const NamedLanguage (&table)[N], std::string_view name) {
  for (const NamedLanguage& row : table) {
    if (row.name == name) return row.language;
  }
  return "";
}

}  // namespace

std::string LanguageOfFile(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  const std::string name = ToLower(slash == std::string_view::npos ? path : path.substr(slash + 1));
  if (const std::string_view found = FindLanguage(kFiles, name); !found.empty()) {
    return std::string(found);
  }
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return "";
  return std::string(FindLanguage(kExtensions, std::string_view(name).substr(dot + 1)));
}

}  // namespace cursorwire::documents
