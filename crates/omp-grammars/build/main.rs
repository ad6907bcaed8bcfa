//! Compiles the grammars and takes their tables out.
//!
//! A grammar is C: a little code and megabytes of tables, mostly zeros. The tables move from the read-only data of each object
//! file to its zeroed memory, which takes no room in a file, and their contents are compressed beside it. `src/lib.rs`
//! puts them where they belong when a language is first used. Where there is no `objcopy`, or object files are not ELF, the
//! tables stay where they are.

#![allow(clippy::print_stdout, reason = "how a build script speaks to cargo")]

mod object;
mod sources;
mod table;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use table::{SOURCES, Source};

/// Changes what earlier builds left behind.
const FORMAT: &str = "2";

/// What is left of a grammar: object files, and the Rust that describes it.
struct Built {
    objects: Vec<PathBuf>,
    rust: String,
}

fn main() {
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=../../Cargo.lock");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    let manifest =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where")).join("Cargo.toml");
    let with_large = env::var_os("CARGO_FEATURE_LARGE_GRAMMARS").is_some();
    let folders = sources::folders(&manifest);
    let wanted: Vec<&Source> = SOURCES.iter().filter(|source| with_large || !source.large).collect();
    let built: Vec<Mutex<Option<Built>>> = wanted.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..workers() {
            scope.spawn(|| {
                while let Some(at) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < wanted.len())
                {
                    let folder = folders.get(wanted[at].package);
                    let folder =
                        folder.unwrap_or_else(|| panic!("{} is not in the lock file", wanted[at].package));
                    *built[at].lock().expect("nobody panicked") = Some(grammar(wanted[at], folder, &out));
                }
            });
        }
    });
    let mut archive = cc::Build::new();
    let mut rust = String::new();
    for one in built {
        let one = one.into_inner().expect("nobody panicked").expect("every grammar was built");
        archive.objects(&one.objects);
        rust.push_str(&one.rust);
    }
    archive.compile("omp_grammars");
    fs::write(out.join("grammars.rs"), rust).expect("the output folder can be written");
}

/// As many as cargo runs jobs.
fn workers() -> usize {
    env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1)
}

/// One grammar, from an earlier build if its sources are the same.
fn grammar(source: &Source, package: &Path, out: &Path) -> Built {
    let folder = out.join(source.name);
    let (stamp, rust) = (folder.join("stamp"), folder.join("grammar.rs"));
    let target = env::var("TARGET").unwrap_or_default();
    let identity = format!("{FORMAT}\n{}\n{}\n{target}\n", package.display(), folder.display());
    if fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == identity)
        && let Ok(rust) = fs::read_to_string(&rust)
    {
        return Built { objects: objects(&folder), rust };
    }
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the output folder can be written");
    let text = build(source, package, &folder);
    fs::write(&rust, &text).expect("the output folder can be written");
    fs::write(&stamp, identity).expect("the output folder can be written");
    Built { objects: objects(&folder), rust: text }
}

fn objects(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).expect("the folder was made").flatten().map(|entry| entry.path());
    let mut objects: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|one| one == "o")).collect();
    objects.sort();
    objects
}

/// Compiles a grammar, packs its tables, and writes its row.
fn build(source: &Source, package: &Path, folder: &Path) -> String {
    let sources = package.join(source.folder);
    let files = ["parser.c", "scanner.c"].map(|file| sources.join(file));
    let compiled = cc::Build::new()
        .files(files.iter().filter(|file| file.exists()))
        .include(&sources)
        .std("c11")
        .out_dir(folder.join("compiled"))
        .opt_level(2)
        .debug(false)
        .warnings(false)
        .cargo_metadata(false)
        .compile_intermediates();
    let (mut packed, mut symbols) = (Vec::new(), Vec::new());
    for (index, object) in compiled.iter().enumerate() {
        let prefix = format!("omp_{}_{index}_", source.name);
        let tables = take_out(object, &folder.join(format!("{index}.o")), &prefix);
        for (name, bytes) in tables {
            symbols.push((format!("{prefix}{name}"), bytes.len()));
            packed.extend(bytes);
        }
    }
    let _ = fs::remove_dir_all(folder.join("compiled"));
    fs::write(folder.join("tables"), compress(&packed)).expect("the output folder can be written");
    for (index, query) in source.queries.iter().enumerate() {
        let text = fs::read(package.join(query))
            .unwrap_or_else(|error| panic!("{}: {query}: {error}", source.package));
        fs::write(folder.join(format!("{index}.scm")), text).expect("the output folder can be written");
    }
    row(source, folder, &symbols)
}

/// Copies an object file without its tables, which it returns; as it is if that cannot be done.
#[allow(clippy::disallowed_methods, reason = "a build script ends with its commands")]
fn take_out(object: &Path, to: &Path, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let content = fs::read(object).expect("the compiler wrote it");
    let tables = object::tables(&content);
    let mut objcopy = Command::new(env::var_os("OBJCOPY").unwrap_or_else(|| "objcopy".into()));
    for table in &tables {
        let name = table.name;
        objcopy.arg("--rename-section").arg(format!(".rodata.{name}=.bss.{name},alloc"));
        objcopy.arg("--redefine-sym").arg(format!("{name}={prefix}{name}"));
        objcopy.arg("--globalize-symbol").arg(format!("{prefix}{name}"));
    }
    let done =
        !tables.is_empty() && objcopy.arg(object).arg(to).status().is_ok_and(|status| status.success());
    if !done {
        fs::copy(object, to).expect("the output folder can be written");
        return Vec::new();
    }
    tables.iter().map(|table| (table.name.to_owned(), table.bytes.to_vec())).collect()
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// The grammar in Rust.
fn row(source: &Source, folder: &Path, symbols: &[(String, usize)]) -> String {
    let constant = source.name.to_uppercase();
    let mut text = String::from("unsafe extern \"C\" {\n");
    writeln!(text, "    fn {}() -> *const ();", source.symbol).expect("a string takes everything");
    for (symbol, length) in symbols {
        writeln!(text, "    static mut {symbol}: [u8; {length}];").expect("a string takes everything");
    }
    text.push_str("}\n");
    let folder = folder.display();
    let queries: String =
        (0..source.queries.len()).map(|index| format!("include_str!(r\"{folder}/{index}.scm\"), ")).collect();
    let tables: String = symbols
        .iter()
        .map(|(symbol, length)| format!("(&raw mut {symbol} as *mut u8, {length}), "))
        .collect();
    write!(
        text,
        "/// The grammar `{}`.\npub static {constant}: Grammar = Grammar {{\n    function: {},\n    queries: &[{queries}],\n    \
         packed: include_bytes!(r\"{folder}/tables\"),\n    tables: Tables(&[{tables}]),\n    unpacked: Once::new(),\n}};\n",
        source.package, source.symbol
    )
    .expect("a string takes everything");
    text
}
