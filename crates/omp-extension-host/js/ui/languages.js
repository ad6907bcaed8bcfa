/** The language of a file by its name. */

const BY_EXTENSION = {
  typescript: "ts tsx mts cts", javascript: "js jsx mjs cjs", python: "py pyi", ruby: "rb", rust: "rs", go: "go", java: "java",
  kotlin: "kt kts", swift: "swift", c: "c h", cpp: "cpp cc cxx hpp hh", csharp: "cs", php: "php", bash: "sh bash zsh",
  fish: "fish", powershell: "ps1", sql: "sql", html: "html htm", css: "css", scss: "scss", sass: "sass", less: "less", json: "json jsonc",
  yaml: "yaml yml", toml: "toml", xml: "xml svg", markdown: "md markdown", dockerfile: "dockerfile", makefile: "makefile mk",
  cmake: "cmake", lua: "lua", perl: "pl pm", r: "r", scala: "scala", clojure: "clj cljs", elixir: "ex exs", erlang: "erl",
  haskell: "hs", ocaml: "ml mli", vim: "vim", graphql: "graphql gql", protobuf: "proto", hcl: "tf hcl", nix: "nix", dart: "dart",
  groovy: "groovy gradle", zig: "zig", julia: "jl", diff: "diff patch",
};

const LANGUAGES = new Map(
  Object.entries(BY_EXTENSION).flatMap(([language, extensions]) => extensions.split(" ").map((extension) => [extension, language])),
);

export function getLanguageFromPath(path) {
  const name = String(path).split(/[/\\]/).at(-1).toLowerCase();
  return LANGUAGES.get(name.split(".").at(-1));
}
