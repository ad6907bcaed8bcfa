//! The members of an archive by name.

use std::collections::BTreeMap;

use super::MAX_MEMBERS;
use super::name::{Inner, inner};

/// More names than this, in bytes, are not kept in mind: a hostile archive has nothing but names.
const MAX_NAMES: usize = 64 << 20;

/// One member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The normalised name.
    pub name: String,
    pub kind: MemberKind,
    /// The size that the archive claims.
    pub size: u64,
    pub(super) place: MemberLocation,
}

/// What a member is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberKind {
    File,
    Directory,
    /// A link, with what it leads to where the archive says so.
    Link(Option<String>),
    /// A device, a pipe and the like.
    Special,
}

/// Where the bytes of a member are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberLocation {
    Zip {
        header: u64,
        packed: u64,
        method: u16,
        encrypted: bool,
        checksum: u32,
    },
    /// The position of the data in the unpacked stream.
    Tar {
        data: u64,
    },
}

/// What a path inside an archive means.
#[derive(Debug)]
pub enum Lookup<'a> {
    Member(&'a Member),
    Directory,
    Missing,
}

/// A name directly below a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    pub name: String,
    pub kind: MemberKind,
    pub size: u64,
}

/// Children of a directory, as many as were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub children: Vec<Child>,
    pub total: usize,
    /// Members of the archive whose names lead out of it.
    pub outside: usize,
    /// Why members of the archive may be missing here.
    pub incomplete: Option<Incomplete>,
}

/// Why not all members of an archive are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// Finding the others would take unpacking too much.
    Long,
    /// There are more than can be kept in mind.
    Many,
    /// The archive is damaged behind those that are known.
    Damaged(String),
}

/// All members. A later one of the same name replaces an earlier one, as it does when an archive is unpacked.
#[derive(Debug, Default)]
pub(super) struct Index {
    members: BTreeMap<String, Member>,
    outside: usize,
    /// Bytes of all names.
    names: usize,
    pub(super) incomplete: Option<Incomplete>,
}

impl Index {
    /// Is there no room for another member?
    pub(super) fn is_full(&self) -> bool {
        self.members.len() + self.outside >= MAX_MEMBERS || self.names > MAX_NAMES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn add(&mut self, name: &str, kind: MemberKind, size: u64, place: MemberLocation) {
        match inner(name) {
            Some(inner) if inner.is_root() => {}
            Some(inner) => {
                let name = inner.as_str().to_owned();
                self.names += name.len();
                self.members.insert(name.clone(), Member { name, kind, size, place });
            }
            None => self.outside += 1,
        }
    }

    pub(super) fn look(&self, inner: &Inner) -> Lookup<'_> {
        match self.members.get(inner.as_str()) {
            Some(member) if member.kind != MemberKind::Directory => Lookup::Member(member),
            Some(_) => Lookup::Directory,
            None if inner.is_root() || self.below(inner).next().is_some() => Lookup::Directory,
            None => Lookup::Missing,
        }
    }

    /// Everything below a directory, in the order of the names.
    pub(super) fn below(&self, inner: &Inner) -> impl Iterator<Item = (&str, &Member)> {
        let prefix = if inner.is_root() { String::new() } else { format!("{}/", inner.as_str()) };
        let skip = prefix.len();
        self.members
            .range(prefix.clone()..)
            .take_while(move |(name, _)| name.starts_with(&prefix))
            .map(move |(name, member)| (&name[skip..], member))
    }

    /// Directories need no members of their own: a member below one is enough.
    pub(super) fn list(&self, inner: &Inner, limit: usize) -> Listing {
        let mut children: BTreeMap<&str, Child> = BTreeMap::new();
        for (rest, member) in self.below(inner) {
            let (name, deeper) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            let child = children.entry(name).or_insert_with(|| Child {
                name: name.to_owned(),
                kind: member.kind.clone(),
                size: member.size,
            });
            if deeper {
                (child.kind, child.size) = (MemberKind::Directory, 0);
            }
        }
        let total = children.len();
        let children = children.into_values().take(limit).collect();
        Listing { children, total, outside: self.outside, incomplete: self.incomplete.clone() }
    }
}
