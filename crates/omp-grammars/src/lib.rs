//! The grammars that are part of the program, with compressed tables: 4 MB instead of 74.
//!
//! `build/` compiles them. The tables of a grammar are zeroed memory until its language is used for the first time, and then
//! what the C compiler made of them.

#![allow(unsafe_code, reason = "tables of C code are written before that code reads them")]

use std::io::Read as _;
use std::sync::Once;

use tree_sitter_language::LanguageFn;

/// A grammar.
pub struct Grammar {
    function: unsafe extern "C" fn() -> *const (),
    queries: &'static [&'static str],
    packed: &'static [u8],
    tables: Tables,
    unpacked: Once,
}

/// Where tables are, and how long they are.
struct Tables(&'static [(*mut u8, usize)]);

// SAFETY: the addresses never change; what they point to is written by `Grammar::unpack` only, once.
unsafe impl Sync for Tables {}

impl Grammar {
    /// The language. The first call takes some milliseconds.
    pub fn language(&self) -> LanguageFn {
        self.unpacked.call_once(|| self.unpack().expect("the compressed tables are part of the program"));
        // SAFETY: the function was generated, and its tables are complete.
        unsafe { LanguageFn::from_raw(self.function) }
    }

    /// The highlighting queries that come with the grammar, the more general first.
    pub fn queries(&self) -> &'static [&'static str] {
        self.queries
    }

    fn unpack(&self) -> std::io::Result<()> {
        let mut packed = flate2::read::ZlibDecoder::new(self.packed);
        for (start, length) in self.tables.0 {
            // SAFETY: a table of this length that only the grammar's code knows, and that code has no other way in than
            // `language`, which waits for the end of this.
            let table = unsafe { std::slice::from_raw_parts_mut(*start, *length) };
            packed.read_exact(table)?;
        }
        Ok(())
    }
}

include!(concat!(env!("OUT_DIR"), "/grammars.rs"));
