//! Puts the pages of `docs/` into the program, where `omp://` reads them.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let docs = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../docs").canonicalize()?;
    println!("cargo:rerun-if-changed={}", docs.display());
    let mut names = Vec::new();
    for entry in docs.read_dir()? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(Some(name).filter(|name| name.ends_with(".md")));
    }
    names.sort_unstable();
    let mut table = String::from("const PAGES: &[(&str, &str)] = &[\n");
    for name in names {
        writeln!(table, "    ({name:?}, include_str!({:?})),", docs.join(&name))?;
    }
    table.push_str("];\n");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("pages.rs"), table)?;
    Ok(())
}
