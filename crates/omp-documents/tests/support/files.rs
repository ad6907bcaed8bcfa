//! Archives and documents made for tests. Those of `omp-tools` use them, too.
#![allow(dead_code, reason = "each test file uses its share")]

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

pub(crate) fn zip_with(members: &[(&str, &[u8])], options: SimpleFileOptions) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn tar_with(members: &[(&str, &[u8])], mode: u32, modified: u64) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        header.set_mtime(modified);
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

/// A PDF file of these objects, of which the first is the catalogue.
pub(crate) fn pdf_of(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(objects) {
        places.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").as_bytes());
    }
    let (start, size) = (bytes.len(), objects.len() + 1);
    bytes.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").as_bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").as_bytes());
    }
    let trailer = format!("trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    bytes.extend(trailer.as_bytes());
    bytes
}
