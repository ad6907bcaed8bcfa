//! Links the program so that it starts quickly on Linux with glibc.
//!
//! - At a fixed address: a position-independent program has some 16,000 pointers corrected by the dynamic linker
//!   before `main`, which doubles the time of `omp --version`. Stack, heap and libraries stay randomised.
//! - With the unwinder inside: one shared library less to find and map. The standard library asks for `libgcc_s`,
//!   so a linker script of that name points to the static archive every GCC has.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") != "linux" || variable("CARGO_CFG_TARGET_ENV") != "gnu" {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    let directory = variable("OUT_DIR");
    let script = Path::new(&directory).join("libgcc_s.so");
    if std::fs::write(script, "INPUT(-l:libgcc_eh.a -lc)\n").is_ok() {
        println!("cargo:rustc-link-search=native={directory}");
    }
}
