//! Files whose bytes say nothing to a model: what they are, and what to do about them.

use std::fs::Metadata;

use omp_agent::ToolError;
use omp_workspace::tree::size;

use super::Target;

/// What helps with a kind of file.
enum Help {
    /// It is read under a name that ends so; else with a program.
    Rename(&'static str, &'static str),
    /// Only a program opens it.
    Program(&'static str),
    /// A picture in a format that models do not take, and a program that makes another of it.
    Convert(&'static str),
    Nothing,
}

fn help(name: &str) -> Help {
    match name {
        "PDF document" => Help::Rename(".pdf", "pdftotext"),
        "SQLite database" => Help::Rename(".sqlite or .db", "sqlite3"),
        "ZIP archive" => Help::Rename(".zip", "unzip -l, unzip -p"),
        "tar archive" => Help::Rename(".tar", "tar -tf, tar -xOf"),
        "gzip archive" => Help::Program("zcat, or tar -tzf for a compressed tar file"),
        "bzip2 archive" => Help::Program("bzcat, or tar -tjf for a compressed tar file"),
        "xz archive" => Help::Program("xzcat, or tar -tJf for a compressed tar file"),
        "Zstandard archive" => Help::Program("zstdcat, or tar --zstd -tf for a compressed tar file"),
        "LZ4 archive" => Help::Program("lz4cat"),
        "7-Zip archive" => Help::Program("7z l, 7z x -so"),
        "RAR archive" => Help::Program("unrar l, unrar p"),
        "HEIC image" => Help::Convert("heif-convert"),
        "AVIF image" => Help::Convert("avifdec"),
        "TIFF image" | "Photoshop image" | "JPEG XL image" | "icon" => Help::Convert("magick"),
        _ => Help::Nothing,
    }
}

/// Kinds that can be read in some way get told apart from those that cannot.
pub(super) fn refuse(target: &Target, metadata: &Metadata, name: &str) -> ToolError {
    let what = format!("{} is {} ({})", target.shown(), with_article(name), size(metadata.len()));
    ToolError::new(match help(name) {
        Help::Rename(ending, program) => format!(
            "{what}, but its name does not end in {ending}. Copy it to a file with that extension and read \
             the copy, or use bash, e.g. {program}."
        ),
        Help::Program(program) => format!("{what}, which read does not support. Use bash, e.g. {program}."),
        Help::Convert(program) => format!(
            "{what}, a format that models do not accept. Convert it to PNG or JPEG with bash, e.g. \
             {program}, and read that."
        ),
        Help::Nothing => format!(
            "{} is a binary file ({name}, {}); read shows text and images only. Use bash to inspect it, e.g. file, \
             strings or xxd.",
            target.shown(),
            size(metadata.len())
        ),
    })
}

/// `an xz archive`, `a ZIP archive`.
fn with_article(name: &str) -> String {
    let vowel = ["xz", "LZ4", "RAR", "AVIF", "icon"].iter().any(|start| name.starts_with(start));
    format!("{} {name}", if vowel { "an" } else { "a" })
}
