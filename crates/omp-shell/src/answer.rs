//! What a short program prints, whole: for programs that are asked something.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::scope::{Child, Exit, GRACE};

/// What a program said and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<Output = String> {
    pub exit: Exit,
    /// What it printed, as far as wanted.
    pub output: Output,
    /// What it printed on the side, as far as wanted.
    pub complaint: String,
}

/// Reads a program to its end. At most so many bytes of both streams are kept; the rest is read and forgotten, so that the
/// program can end. Dropping the future ends the program.
pub async fn answer(child: Child, most_output: usize, most_complaint: usize) -> Answer {
    let Answer { exit, output, complaint } = answer_bytes(child, most_output, most_complaint).await;
    Answer { exit, output: text(&output), complaint }
}

/// The same for a program whose output need not be text.
pub async fn answer_bytes(child: Child, most_output: usize, most_complaint: usize) -> Answer<Vec<u8>> {
    let mut running = Running(child);
    let (stdout, stderr) = (running.0.stdout.take(), running.0.stderr.take());
    let (output, complaint) = tokio::join!(read(stdout, most_output), read(stderr, most_complaint));
    Answer { exit: running.0.wait().await, output, complaint: text(&complaint) }
}

/// A process that ends when nobody waits for it any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.terminate(GRACE);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

async fn read(source: Option<impl AsyncRead + Unpin>, most: usize) -> Vec<u8> {
    let Some(mut source) = source else { return Vec::new() };
    let (mut kept, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
    while let Ok(length @ 1..) = source.read(&mut chunk).await {
        let room = most - kept.len();
        kept.extend_from_slice(&chunk[..length.min(room)]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, Program, Scope, Stdio};

    /// Bytes come as they are, a text is made readable; of both only the wanted part is kept, and the program still ends.
    #[tokio::test]
    async fn an_answer_is_bytes_or_text() {
        let scope = Scope::new();
        let spawn = || {
            let line = r"printf 'a\377\0b'; head -c 1000000 /dev/zero; echo why >&2; exit 3";
            let program = Program {
                path: "/bin/sh".into(),
                arguments: vec!["-c".into(), line.into()],
                cwd: "/".into(),
                environment: Environment::inherited(),
                stdin: Stdio::Null,
                stdout: Stdio::Piped,
                stderr: Stdio::Piped,
            };
            scope.spawn(program).unwrap()
        };
        let said = answer_bytes(spawn(), 4, 2).await;
        assert_eq!(
            (said.exit, said.output, said.complaint),
            (Exit::Exited(3), b"a\xff\0b".to_vec(), "wh".into())
        );
        let said = answer(spawn(), 4, 100).await;
        assert_eq!((said.output.as_str(), said.complaint.as_str()), ("a\u{fffd}\0b", "why\n"));
        scope.end().await;
    }
}
