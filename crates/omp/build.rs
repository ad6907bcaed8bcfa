//! Links the program at a fixed address on Linux.
//!
//! A position-independent program has some 16,000 pointers corrected by the dynamic linker before `main`, which
//! doubles the time of `omp --version` and touches half a megabyte. Stack, heap and libraries stay randomised.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
