//! Event streams with a limit for one event.

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt as _};
use sse_stream::{Error, Sse, SseStream};

#[derive(Debug, thiserror::Error)]
enum StreamError {
    #[error("an event is larger than {0} bytes")]
    TooLarge(usize),
    #[error("{0}")]
    Source(reqwest::Error),
}

/// Counts the bytes of the current event.
struct Meter {
    most: usize,
    event: usize,
    /// Line ends in a row, `\r\n` counted as one.
    ends: u8,
}

impl Meter {
    fn admits(&mut self, chunk: &[u8]) -> bool {
        for byte in chunk {
            match byte {
                b'\n' => self.ends += 1,
                b'\r' => {}
                _ => self.ends = 0,
            }
            self.event += 1;
            if self.ends >= 2 {
                (self.event, self.ends) = (0, 1);
            }
            if self.event > self.most {
                return false;
            }
        }
        true
    }
}

/// The events of a body.
pub(super) fn events(
    body: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
    most: usize,
) -> BoxStream<'static, Result<Sse, Error>> {
    let meter = Meter { most, event: 0, ends: 0 };
    let bounded = body.scan(Some(meter), move |meter, chunk| {
        let next = match (meter.as_mut(), chunk) {
            (None, _) => None,
            (Some(_), Err(error)) => Some(Err(StreamError::Source(error))),
            (Some(counting), Ok(chunk)) => match counting.admits(&chunk) {
                true => Some(Ok(chunk)),
                false => Some(Err(StreamError::TooLarge(most))),
            },
        };
        if !matches!(next, Some(Ok(_))) {
            *meter = None;
        }
        std::future::ready(next)
    });
    SseStream::from_bytes_stream(bounded).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &str, size: usize, most: usize) -> (Vec<String>, bool) {
        let chunks: Vec<_> =
            text.as_bytes().chunks(size).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let all: Vec<_> = events(futures_util::stream::iter(chunks), most).collect().await;
        let failed = all.iter().any(Result::is_err);
        (all.into_iter().filter_map(|event| event.ok()?.data).collect(), failed)
    }

    #[tokio::test]
    async fn only_large_events_are_refused() {
        let small = "data: abc\n\n".repeat(50);
        let windows = "data: abc\r\n\r\n".repeat(50);
        for size in [1, 3, 1000] {
            assert_eq!(read(&small, size, 20).await, (vec!["abc".to_owned(); 50], false));
            assert_eq!(read(&windows, size, 20).await, (vec!["abc".to_owned(); 50], false));
            let large = format!("data: abc\n\ndata: {}\n\ndata: abc\n\n", "x".repeat(100));
            let (read, failed) = read(&large, size, 50).await;
            assert!(failed && read.len() <= 1, "{size} {read:?}");
        }
    }
}
