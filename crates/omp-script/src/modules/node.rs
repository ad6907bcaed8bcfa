//! Node's modules: which there are, and the source of those that we have.

/// All modules of Node, without those of its inside. What is imported by one of these names never leads to a package.
pub(crate) const ALL: &str = "assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram \
diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module net os path \
path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl stream stream/consumers \
stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty url util util/types v8 vm wasi \
worker_threads zlib";

/// The module of Node (or Bun) that a specifier names, without `node:`.
pub(crate) fn node_name(specifier: &str) -> Option<&str> {
    if let Some(name) = specifier.strip_prefix("node:") {
        // Those below `omp/` are parts of others.
        return (!name.starts_with("omp/")).then_some(name);
    }
    let is_bun = specifier == "bun" || specifier.starts_with("bun:");
    (is_bun || ALL.split_whitespace().any(|name| name == specifier)).then_some(specifier)
}

/// How messages name a module.
pub(crate) fn shown(name: &str) -> String {
    if name.starts_with("bun") { name.to_owned() } else { format!("node:{name}") }
}

pub(crate) fn source(name: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(own, _)| *own == name).map(|(_, source)| *source)
}

/// What Node's module of this name exports: what we lack of it says so when it is used.
pub(crate) fn names(name: &str) -> Option<&'static str> {
    NAMES.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// A line for each module: its name, a colon, the names that it exports in Node 20.
const NAMES: &str = include_str!("../../js/node-names.txt");

macro_rules! sources {
    ($($name:literal => $file:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../js/node/", $file)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources! {
    "assert" => "assert.js",
    "assert/strict" => "assert-strict.js",
    "async_hooks" => "async_hooks.js",
    "buffer" => "buffer.js",
    "bun" => "bun.js",
    "bun:sqlite" => "bun-sqlite.js",
    "child_process" => "child_process.js",
    "console" => "console.js",
    "constants" => "constants.js",
    "crypto" => "crypto.js",
    "events" => "events.js",
    "fs" => "fs.js",
    "fs/promises" => "fs-promises.js",
    "http" => "http.js",
    "https" => "https.js",
    "module" => "module.js",
    "omp/clone" => "omp/clone.js",
    "omp/events" => "omp/events.js",
    "omp/fetch" => "omp/fetch.js",
    "omp/inspect" => "omp/inspect.js",
    "omp/intl" => "omp/intl.js",
    "omp/locale" => "omp/locale.js",
    "omp/streams" => "omp/streams.js",
    "omp/web-text" => "omp/web-text.js",
    "os" => "os.js",
    "path" => "path.js",
    "path/posix" => "path.js",
    "perf_hooks" => "perf_hooks.js",
    "process" => "process.js",
    "querystring" => "querystring.js",
    "readline" => "readline.js",
    "readline/promises" => "readline-promises.js",
    "sqlite" => "sqlite.js",
    "stream" => "stream.js",
    "stream/consumers" => "stream-consumers.js",
    "stream/promises" => "stream-promises.js",
    "stream/web" => "omp/streams.js",
    "string_decoder" => "string_decoder.js",
    "timers" => "timers.js",
    "timers/promises" => "timers-promises.js",
    "tty" => "tty.js",
    "url" => "url.js",
    "util" => "util.js",
    "util/types" => "util-types.js",
    "zlib" => "zlib.js",
};
