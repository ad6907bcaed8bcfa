//! The helper process alone, for the tests of this package. Users get it as `omp __shell`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(omp_embedded_shell::serve())
}
