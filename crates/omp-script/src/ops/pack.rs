//! gzip, deflate and their opposites.

use std::io::{Read, Write as _};

use flate2::Compression;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::{Arguments, Op, OpError, Outcome, Reply};

pub(super) const OPS: &[(&str, Op)] =
    &[("zlib.pack", Op::Blocking(pack)), ("zlib.unpack", Op::Blocking(unpack))];

/// A bomb ends here.
const LARGEST: u64 = 512 << 20;

fn pack(arguments: &Arguments) -> Outcome {
    let bytes = arguments.bytes.as_deref().unwrap_or_default();
    let level = arguments.number("level").and_then(|level| u32::try_from(level.min(9)).ok()).unwrap_or(6);
    let level = Compression::new(level);
    let packed = match arguments.text("format") {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
        "raw" => {
            let mut encoder = DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
        _ => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
    };
    packed.map(Reply::Bytes).map_err(|error| OpError::new(error.to_string()))
}

fn unpack(arguments: &Arguments) -> Outcome {
    let bytes = arguments.bytes.as_deref().unwrap_or_default();
    let format = match (arguments.text("format"), bytes) {
        // Either of the two that say what they are.
        ("auto", [0x1f, 0x8b, ..]) => "gzip",
        ("auto", _) => "zlib",
        (format, _) => format,
    };
    let mut reader: Box<dyn Read + '_> = match format {
        "gzip" => Box::new(MultiGzDecoder::new(bytes)),
        "raw" => Box::new(DeflateDecoder::new(bytes)),
        _ => Box::new(ZlibDecoder::new(bytes)),
    };
    let mut unpacked = Vec::new();
    let most = arguments.number("most").unwrap_or(LARGEST).min(LARGEST);
    match reader.by_ref().take(most + 1).read_to_end(&mut unpacked) {
        Ok(_) if unpacked.len() as u64 > most => {
            Err(OpError::new(format!("Cannot create a Buffer larger than {most} bytes"))
                .with("code", "ERR_BUFFER_TOO_LARGE"))
        }
        Ok(_) => Ok(Reply::Bytes(unpacked)),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Err(OpError::new("unexpected end of file").with("code", "Z_BUF_ERROR").with("errno", -5))
        }
        Err(_) => Err(OpError::new("incorrect header check").with("code", "Z_DATA_ERROR").with("errno", -3)),
    }
}
