#include "workspace/search/file_types.h"

namespace cursorwire::workspace {
namespace {

struct FileType {
  std::string_view names;  // separated by commas
  std::string_view glob;
};

// Source: the common types of ripgrep 13 (`rg --type-list`).
constexpr FileType kTypes[] = {
    {",asm,", "*.{asm,s,S}"},
    {",bazel,", "{*.bazel,*.bzl,BUILD,WORKSPACE,MODULE.bazel}"},
    {",c,", "*.{c,h,H,cats}"},
    {",clojure,", "*.{clj,cljc,cljs,cljx}"},
    {",cmake,", "{*.cmake,CMakeLists.txt}"},
    {",config,", "*.{cfg,conf,config,ini}"},
    {",cpp,c++,cxx,",
     "*.{C,H,cc,cpp,cxx,c++,h,hh,hpp,hxx,h++,inl,ipp,tpp,C.in,H.in,cc.in,cpp.in,h.in,hpp.in}"},
    {",cs,csharp,", "*.cs"},
    {",css,", "*.{css,scss}"},
    {",csv,", "*.csv"},
    {",dart,", "*.dart"},
    {",docker,dockerfile,", "*Dockerfile*"},
    {",elixir,", "*.{ex,eex,exs,heex,leex,livemd}"},
    {",elm,", "*.elm"},
    {",erlang,", "*.{erl,hrl}"},
    {",fsharp,", "*.{fs,fsi,fsx}"},
    {",go,golang,", "*.go"},
    {",gradle,", "*.{gradle,gradle.kts,gradle.properties}"},
    {",graphql,", "*.{graphql,graphqls}"},
    {",groovy,", "*.{groovy,gradle}"},
    {",haskell,hs,", "*.{hs,lhs,cpphs,c2hs}"},
    {",html,", "*.{htm,html,ejs}"},
    {",java,", "*.{java,jsp,jspx,properties}"},
    {",js,javascript,", "*.{js,jsx,mjs,cjs,vue}"},
    {",json,", "{*.json,*.sarif,composer.lock}"},
    {",jsonl,", "*.jsonl"},
    {",julia,", "*.jl"},
    {",jupyter,", "*.{ipynb,jpynb}"},
    {",kotlin,", "*.{kt,kts}"},
    {",less,", "*.less"},
    {",lua,", "*.lua"},
    {",make,", "{*[Mm]akefile*,*.mk,*.mak}"},
    {",markdown,md,", "*.{md,markdown,mdown,mdwn,mdx,mkd,mkdn}"},
    {",nim,", "*.{nim,nimf,nimble,nims}"},
    {",nix,", "*.nix"},
    {",objc,", "*.{h,m}"},
    {",objcpp,", "*.{h,mm}"},
    {",ocaml,", "*.{ml,mli,mll,mly}"},
    {",perl,", "*.{perl,pl,PL,plh,plx,pm,t}"},
    {",php,", "*.{php,php3,php4,php5,php7,php8,pht,phtml}"},
    {",proto,protobuf,", "*.proto"},
    {",ps,powershell,", "*.{ps1,psm1,psd1,cdxml,ps1xml}"},
    {",py,python,", "*.{py,pyi}"},
    {",r,", "*.{R,r,Rmd,Rnw}"},
    {",rst,", "*.rst"},
    {",ruby,rb,", "{*.rb,*.rbw,*.gemspec,config.ru,Gemfile,Rakefile,.irbrc}"},
    {",rust,rs,", "*.rs"},
    {",sass,", "*.{sass,scss}"},
    {",scala,", "*.{scala,sbt}"},
    {",sh,shell,bash,",
     "{*.sh,*.bash,*.zsh,*.ksh,*.csh,*.tcsh,.bashrc,.bash_profile,.profile,.zshrc,.zshenv}"},
    {",sql,", "*.{sql,psql}"},
    {",svelte,", "*.svelte"},
    {",swift,", "*.swift"},
    {",tex,", "*.{tex,ltx,cls,sty,bib,dtx,ins}"},
    {",tf,terraform,", "*.{tf,tfvars,tf.json,tfvars.json,terraform.lock.hcl}"},
    {",toml,", "{*.toml,Cargo.lock}"},
    {",ts,typescript,", "*.{ts,tsx,cts,mts}"},
    {",txt,", "*.txt"},
    {",vim,", "{*.vim,.vimrc,vimrc}"},
    {",vue,", "*.vue"},
    {",xml,", "*.{xml,dtd,xsl,xslt,xsd,xjb,rng,sch,xhtml}"},
    {",yaml,yml,", "*.{yaml,yml}"},
    {",zig,", "*.zig"},
};

// True if `name` is in the comma-separated `names`.
bool Has(std::string_view names, std::string_view name) {
  for (size_t at = names.find(name); at != names.npos; at = names.find(name, at + 1)) {
    if (names[at - 1] == ',' && names[at + name.size()] == ',') return true;
  }
  return false;
}

}  // namespace

std::string_view GlobOfType(std::string_view type) {
  if (type.empty() || type.find(',') != type.npos) return "";
  for (const FileType& candidate : kTypes) {
    if (Has(candidate.names, type)) return candidate.glob;
  }
  return "";
}

}  // namespace cursorwire::workspace
