//! A shell inside our own binary: what runs commands on a machine without bash, or where a user prefers it.
//!
//! It runs in a helper process, so that any command can be killed whole: the interpreter cannot be interrupted from
//! within. The process is started by `omp_shell::session` and speaks its protocol on standard input.

mod builtins;
mod engine;
mod line;
mod messages;
mod printf;

use engine::Engine;
use line::Line;

/// Serves requests on standard input until they end or a command ends the shell. Returns the exit code.
pub fn serve() -> u8 {
    let thread = std::thread::Builder::new().stack_size(LARGE_STACK).spawn(serve_here);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(1)
}

/// Functions of a script that call themselves do so on our stack. Memory is only used as far as they go.
const LARGE_STACK: usize = 256 * 1024 * 1024;
const STACK: usize = 64 * 1024 * 1024;
/// Substitutions and members of pipelines have a thread each, as they have processes in other shells.
const THREADS: usize = 4096;

fn serve_here() -> u8 {
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(THREADS)
        .thread_stack_size(STACK)
        .enable_all()
        .build()
    else {
        return 1;
    };
    let status = runtime.block_on(requests());
    // Background tasks of the shell end with it, as processes of a shell in the background do not; those live on.
    runtime.shutdown_background();
    status
}

async fn requests() -> u8 {
    let Ok(mut line) = Line::take_standard_input() else { return 1 };
    let Ok(mut engine) = Engine::new().await else { return 1 };
    while let Some(request) = line.next() {
        match engine.run(&request).await {
            engine::Outcome::Goes(report) => {
                if line.send(&report).is_err() {
                    return 0;
                }
            }
            engine::Outcome::Ends(status) => return status,
        }
    }
    0
}
