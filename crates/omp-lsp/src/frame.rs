//! Messages on a stream of bytes: a header that says how long the body is, an empty line, the body.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The longest header. What a server prints by mistake before one counts, too.
const MAX_HEADER: usize = 8 * 1024;
/// The longest body. Servers send symbols of whole projects, but not more than this.
const MAX_BODY: u64 = 32 * 1024 * 1024;

/// Why no further message can be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("closed its output")]
    Closed,
    #[error("failed to send output: {0}")]
    Io(#[from] io::Error),
    #[error("sent an invalid message header: {0:?}")]
    Header(String),
    #[error("announced a message of {0} bytes, over the limit of {MAX_BODY}")]
    TooLong(u64),
}

/// The body as it is sent.
pub(crate) fn encode(body: &[u8]) -> Vec<u8> {
    let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    message.extend_from_slice(body);
    message
}

/// The next body.
pub(crate) async fn read(source: &mut (impl AsyncBufRead + Unpin)) -> Result<Vec<u8>, FrameError> {
    let length = header(source).await?;
    if length > MAX_BODY {
        return Err(FrameError::TooLong(length));
    }
    let mut body = Vec::new();
    // Grows with what arrives, whatever was announced.
    let arrived = source.take(length).read_to_end(&mut body).await?;
    match arrived as u64 == length {
        true => Ok(body),
        false => Err(FrameError::Closed),
    }
}

async fn header(source: &mut (impl AsyncBufRead + Unpin)) -> Result<u64, FrameError> {
    let mut left = MAX_HEADER;
    let mut length = None;
    loop {
        let line = line(source, &mut left).await?;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            match length {
                Some(length) => return Ok(length),
                // An empty line between two messages.
                None => continue,
            }
        }
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| FrameError::Header(text.to_owned()))?);
        }
    }
}

async fn line(source: &mut (impl AsyncBufRead + Unpin), left: &mut usize) -> Result<Vec<u8>, FrameError> {
    let mut line = Vec::new();
    source.take(*left as u64).read_until(b'\n', &mut line).await?;
    *left -= line.len();
    match line.last() {
        Some(b'\n') => Ok(line),
        _ if *left == 0 => {
            line.truncate(200);
            Err(FrameError::Header(String::from_utf8_lossy(&line).into_owned()))
        }
        _ => Err(FrameError::Closed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn bodies(bytes: &[u8]) -> (Vec<String>, FrameError) {
        let mut source = bytes;
        let mut found = Vec::new();
        loop {
            match read(&mut source).await {
                Ok(body) => found.push(String::from_utf8(body).unwrap()),
                Err(error) => return (found, error),
            }
        }
    }

    #[tokio::test]
    async fn messages_follow_each_other() {
        let mut bytes = encode(b"{}");
        bytes.extend_from_slice(b"Content-Type: x\r\ncontent-length: 3\r\n\r\n[1]");
        let (found, error) = bodies(&bytes).await;
        assert_eq!(found, ["{}", "[1]"]);
        assert!(matches!(error, FrameError::Closed), "{error}");
    }

    #[tokio::test]
    async fn lines_that_a_program_prints_by_mistake_are_passed_over() {
        let (found, _) = bodies(b"Starting...\nContent-Length: 2\n\n{}").await;
        assert_eq!(found, ["{}"]);
    }

    #[tokio::test]
    async fn nothing_is_read_without_end() {
        let (_, error) = bodies("x".repeat(100_000).as_bytes()).await;
        assert!(matches!(error, FrameError::Header(_)), "{error}");
        let (_, error) = bodies("a: b\r\n".repeat(100_000).as_bytes()).await;
        assert!(matches!(error, FrameError::Header(_)), "{error}");
        let (_, error) = bodies(b"Content-Length: 99999999999\r\n\r\n{}").await;
        assert!(matches!(error, FrameError::TooLong(99_999_999_999)), "{error}");
        let (_, error) = bodies(b"Content-Length: -4\r\n\r\n{}").await;
        assert!(matches!(error, FrameError::Header(_)), "{error}");
        let (_, error) = bodies(b"Content-Length: 20\r\n\r\n{}").await;
        assert!(matches!(error, FrameError::Closed), "{error}");
    }
}
