//! Frames: what is on them, how many there are, and that they never change by themselves.

mod archive;
mod frames;
mod scripts;
mod shapes;

use omp_snapcompact::Archive;
use omp_types::{Message, UserBlock};
use serde_json::json;

/// A message of a user.
pub(crate) fn user(text: &str) -> Message {
    Message::user(text, 0)
}

/// An answer with one call, and its result.
pub(crate) fn called(id: &str, arguments: &serde_json::Value, result: &str, useless: bool) -> [Message; 2] {
    let call = json!({ "role": "assistant", "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse",
        "content": [{ "type": "toolCall", "id": id, "name": "bash", "arguments": arguments }] });
    let answer = json!({ "role": "toolResult", "toolCallId": id, "toolName": "bash", "isError": false,
        "details": { "useless": useless }, "content": [{ "type": "text", "text": result }] });
    [call, answer].map(|value| serde_json::from_value(value).expect("a message"))
}

/// A frame's pixels: width, height and a byte for each pixel.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

/// Reads a PNG with the library's decoder.
pub(crate) fn read(bytes: &[u8]) -> Picture {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    Picture { width: info.width as usize, height: info.height as usize, pixels }
}

/// The pictures of an archive.
pub(crate) fn pictures(archive: &Archive) -> Vec<Picture> {
    use base64::Engine;
    let picture = |block: &UserBlock| {
        let UserBlock::Image(image) = block else { panic!("a picture") };
        let bytes = base64::engine::general_purpose::STANDARD.decode(&image.data).expect("base64");
        read(&bytes)
    };
    archive.content.iter().map(picture).collect()
}
