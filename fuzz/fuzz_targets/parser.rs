//! One of the targets in `crates/omp-fuzz`, chosen by the variable FUZZ_TARGET.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use omp_fuzz::Target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    omp_fuzz::find(&name).unwrap_or_else(|| {
        let names: Vec<&str> = omp_fuzz::TARGETS.iter().map(|target| target.name).collect();
        eprintln!("FUZZ_TARGET must be one of: {}", names.join(", "));
        std::process::exit(2)
    })
});

fuzz_target!(|data: &[u8]| (TARGET.run)(data));
