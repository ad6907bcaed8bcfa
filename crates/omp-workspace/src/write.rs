//! Replaces a file in one step: readers see the old content or the new, never a part.
//!
//! The new content goes to a temporary file in the same directory, is flushed to the disk, gets the mode, owner, access
//! list and extended attributes of the old file and takes its name. If any step fails, or the program is killed, the old
//! file is as it was and the temporary file is gone: until the last moment it has no name, and what a kill in that moment
//! leaves is removed by the next write of the same file. A symbolic link stays; what it points to is replaced. A file
//! with several hard links becomes independent of the others, which is the price of doing it in one step. Only a file that is
//! mounted by itself, as containers do it, cannot lose its name: it is overwritten, after its room on the disk is certain.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::AccessFlags;
use xattr::FileExt;

use crate::held::{Held, Missing};
use crate::open::Special;
use crate::sys;

/// More links than this are a loop.
const MAX_LINKS: usize = 40;
/// A temporary file has its name for a moment; one that is older was left by a program that was killed.
const LEFT_OVER: Duration = Duration::from_secs(60);

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub outcome: Outcome,
    /// The file itself, behind all symbolic links.
    pub target: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Replaced,
}

/// The permission bits of the written file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Those of the old file, or what the umask leaves of a new one.
    Keep,
    /// The same, and whoever may read it may execute it.
    Executable,
    /// Those of the old file; a new one is for its owner only, from its first byte on, and so are new directories.
    Private,
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{} is a directory", .0.display())]
    Directory(PathBuf),
    #[error("{} is {}", path.display(), kind.name())]
    Special { path: PathBuf, kind: Special },
    #[error("{} is write-protected", .0.display())]
    Protected(PathBuf),
    #[error("cannot follow {}: too many levels of symbolic links", .0.display())]
    LinkLoop(PathBuf),
    #[error("{} was changed by something else in the meantime", .0.display())]
    Changed(PathBuf),
    #[error("{} no longer leads to the same file: {reason}; nothing was written", path.display())]
    Moved { path: PathBuf, reason: String },
    #[error("no space left on the device for {}; the file is unchanged", .0.display())]
    NoSpace(PathBuf),
    #[error("cannot create the directory {}: {source}", path.display())]
    Parent { path: PathBuf, source: io::Error },
    #[error(
        "cannot write {}: atomic writes need to create a file in its directory, which failed ({source}); the \
         file is unchanged",
        path.display()
    )]
    ClosedDirectory { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}; the file is unchanged", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Writes `content` to `path`, creating missing directories.
pub fn write(path: &Path, content: &[u8], mode: Mode) -> Result<Written, WriteError> {
    write_with(path, mode, |file| file.write_all(content))
}

/// Like [`write`], if the file is `still` as it should be. That is asked in the last moment, when the content is on the
/// disk, which may take its time.
pub fn write_if(
    path: &Path,
    content: &[u8],
    mode: Mode,
    still: impl FnOnce() -> bool,
) -> Result<Written, WriteError> {
    put(WriteTarget::behind_links(path, mode)?, mode, |file| file.write_all(content), still)
}

/// Like [`write_if`], to a path that was found to have no links ([`crate::path::real_path`]). If one is on the way by
/// now, nothing is written, and what happens to the directories meanwhile does not matter.
pub fn write_exactly(
    path: &Path,
    content: &[u8],
    mode: Mode,
    still: impl FnOnce() -> bool,
) -> Result<Written, WriteError> {
    put(WriteTarget::exactly(path)?, mode, |file| file.write_all(content), still)
}

/// Like [`write_with`], under the condition of [`write_exactly`].
pub fn write_exactly_with(
    path: &Path,
    mode: Mode,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<Written, WriteError> {
    put(WriteTarget::exactly(path)?, mode, fill, || true)
}

/// Like [`write`], with content that `fill` writes.
pub fn write_with(
    path: &Path,
    mode: Mode,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<Written, WriteError> {
    put(WriteTarget::behind_links(path, mode)?, mode, fill, || true)
}

/// Looks whether [`write`] would be refused, as far as that can be known before: whoever changes several files does not
/// want to find out at the last.
pub fn check(path: &Path) -> Result<(), WriteError> {
    let target = follow_links(path)?;
    examine(&target, &target)?;
    let directory = directory_of(&target);
    let allowed = nix::unistd::access(directory, AccessFlags::W_OK | AccessFlags::X_OK);
    match allowed {
        Err(error) if directory.is_dir() => Err(failed(&target, error.into())),
        // What is missing is made.
        _ => Ok(()),
    }
}

/// Where a file is written.
struct WriteTarget {
    /// The file, for the system.
    target: PathBuf,
    /// The same file, for people.
    named: PathBuf,
    /// Keeps `target` meaning what it means.
    held: Option<Held>,
}

impl WriteTarget {
    fn behind_links(path: &Path, mode: Mode) -> Result<Self, WriteError> {
        let target = follow_links(path)?;
        let directory = directory_of(&target);
        // What is wrong with the file itself is told first.
        examine(&target, &target)?;
        create_directory(directory, mode)
            .map_err(|source| WriteError::Parent { path: directory.to_owned(), source })?;
        Ok(Self { named: target.clone(), target, held: None })
    }

    fn exactly(path: &Path) -> Result<Self, WriteError> {
        let moved = |reason: String| WriteError::Moved { path: path.to_owned(), reason };
        let Some(name) = path.file_name() else { return Err(moved("it has no file name".to_owned())) };
        let directory = directory_of(path);
        let held = Held::open(directory, Missing::Make).map_err(|source| match source.raw_os_error() {
            Some(libc::ENOTDIR) => WriteError::Io { path: path.to_owned(), source },
            Some(_) => WriteError::Parent { path: directory.to_owned(), source },
            None => moved(source.to_string()),
        })?;
        // Without /proc a descriptor has no path, and the name is all there is.
        let directory = Some(held.path()).filter(|directory| directory.is_dir());
        let target = directory.as_deref().unwrap_or(directory_of(path)).join(name);
        if target.is_symlink() {
            return Err(moved("it has become a symbolic link".to_owned()));
        }
        Ok(Self { target, named: path.to_owned(), held: Some(held) })
    }
}

fn put(
    place: WriteTarget,
    mode: Mode,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
    still: impl FnOnce() -> bool,
) -> Result<Written, WriteError> {
    let WriteTarget { target, named, held } = place;
    let old = examine(&target, &named)?;
    let fail = |source| failed(&named, source);
    let new = Temporary::filled(&target, old.as_ref(), mode, fill).map_err(fail)?;
    if !still() {
        return Err(WriteError::Changed(named));
    }
    if held.as_ref().is_some_and(|held| !held.is_in_place()) {
        return Err(WriteError::Moved { path: named, reason: "its directory was replaced".to_owned() });
    }
    replace(&target, old.as_ref(), new).map_err(fail)?;
    let outcome = if old.is_some() { Outcome::Replaced } else { Outcome::Created };
    Ok(Written { outcome, target: named })
}

/// What is private is not to be listed either.
fn create_directory(directory: &Path, mode: Mode) -> io::Result<()> {
    match mode {
        Mode::Private => private_directory(directory),
        Mode::Keep | Mode::Executable => std::fs::create_dir_all(directory),
    }
}

/// Makes a directory for its owner only, whatever the umask, with the missing ones above it. One that exists stays as it
/// is.
pub fn private_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Opens a new or empty file for its owner only, whatever the umask. An old one keeps its permissions.
pub fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

fn failed(target: &Path, source: io::Error) -> WriteError {
    let path = target.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => WriteError::NoSpace(path),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            WriteError::ClosedDirectory { path, source }
        }
        _ => WriteError::Io { path, source },
    }
}

/// The path that the links at `path` lead to; it need not exist.
fn follow_links(path: &Path) -> Result<PathBuf, WriteError> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&target) {
            Ok(link) => target = target.parent().unwrap_or(Path::new("/")).join(link),
            Err(_) => return Ok(target), // Not a link, or nothing there.
        }
    }
    Err(WriteError::LinkLoop(path.to_owned()))
}

/// The old file, if there is one and it may be replaced. Errors call it `named`.
fn examine(target: &Path, named: &Path) -> Result<Option<Metadata>, WriteError> {
    let metadata = match std::fs::symlink_metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(WriteError::Io { path: named.to_owned(), source }),
    };
    if metadata.is_dir() {
        return Err(WriteError::Directory(named.to_owned()));
    }
    if !metadata.is_file() {
        return Err(WriteError::Special { path: named.to_owned(), kind: Special::of(metadata.file_type()) });
    }
    // Taking over the name needs no right to the old file, so its protection must be asked for.
    if nix::unistd::access(target, AccessFlags::W_OK).is_err() {
        return Err(WriteError::Protected(named.to_owned()));
    }
    Ok(Some(metadata))
}

/// Gives the new content the name of the old.
fn replace(target: &Path, old: Option<&Metadata>, mut new: Temporary) -> io::Result<()> {
    match new.rename(target) {
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy && old.is_some() => {
            return new.overwrite(target);
        }
        renamed => renamed?,
    }
    if old.is_none() {
        // The new name itself. Not every file system can, and the content is safe without it. Behind a name that was
        // there already, a crash leaves the old content or the new, which is all that is promised.
        let _ = File::open(directory_of(target)).and_then(|directory| directory.sync_all());
    }
    Ok(())
}

fn adopt_attributes(file: &File, target: &Path, old: Option<&Metadata>, mode: Mode) -> io::Result<()> {
    let bits = match old {
        Some(old) => {
            let kept = adopt_owner(file, old);
            adopt_extended(file, target);
            old.permissions().mode() & !kept.lost_bits()
        }
        None => file.metadata()?.permissions().mode(),
    };
    let bits = match mode {
        Mode::Keep | Mode::Private => bits,
        Mode::Executable => bits | ((bits & 0o444) >> 2),
    };
    file.set_permissions(Permissions::from_mode(bits & 0o7777))
}

/// How much of the owner of the old file the new one has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptOwner {
    Both,
    Group,
    Nothing,
}

impl KeptOwner {
    /// Running as its owner means nothing good under another one.
    fn lost_bits(self) -> u32 {
        match self {
            Self::Both => 0,
            Self::Group => 0o4000,
            Self::Nothing => 0o6000,
        }
    }
}

/// Only root may give a file away; others keep the group, where they belong to it.
fn adopt_owner(file: &File, old: &Metadata) -> KeptOwner {
    use std::os::unix::fs::fchown;
    if fchown(file, Some(old.uid()), Some(old.gid())).is_ok() {
        KeptOwner::Both
    } else if fchown(file, None, Some(old.gid())).is_ok() {
        KeptOwner::Group
    } else {
        KeptOwner::Nothing
    }
}

/// Extended attributes and access lists of the old file, before the mode, which is a part of an access list. File
/// systems without them, and attributes that only the system may set, are skipped.
fn adopt_extended(file: &File, target: &Path) {
    let Ok(names) = xattr::list(target) else { return };
    let ours = |name: &OsString| sys::is_own_attribute(&name.to_string_lossy());
    for name in names.filter(ours) {
        if let Ok(Some(value)) = xattr::get(target, &name) {
            let _ = file.set_xattr(&name, &value);
        }
    }
}

/// The new content until it takes its place. Where the system can, it has no name until the last moment, so that a
/// program killed in the middle leaves nothing behind; elsewhere a name that nobody else uses, removed unless the
/// file was renamed.
struct Temporary {
    file: File,
    path: Option<PathBuf>,
}

impl Temporary {
    /// What replaces a file is for its owner only until it gets the bits of that file, which may be as few.
    fn create(target: &Path, old: Option<&Metadata>, mode: Mode) -> io::Result<Self> {
        let bits = if mode == Mode::Private || old.is_some() { 0o600 } else { 0o666 };
        match sys::nameless(directory_of(target), bits) {
            Ok(file) => Ok(Self { file, path: None }),
            Err(_) => Self::named(target, bits),
        }
    }

    /// All that the file will be, on the disk.
    fn filled(
        target: &Path,
        old: Option<&Metadata>,
        mode: Mode,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut temporary = Self::create(target, old, mode)?;
        fill(&mut temporary.file)?;
        adopt_attributes(&temporary.file, target, old, mode)?;
        temporary.file.sync_all()?;
        Ok(temporary)
    }

    fn named(target: &Path, bits: u32) -> io::Result<Self> {
        let options = || OpenOptions::new().write(true).create_new(true).mode(bits).to_owned();
        let (file, path) = with_free_name(target, |path| options().open(path))?;
        Ok(Self { file, path: Some(path) })
    }

    fn rename(&mut self, target: &Path) -> io::Result<()> {
        if self.path.is_none() {
            let (_, path) = with_free_name(target, |path| sys::give_name(&self.file, path))?;
            self.path = Some(path);
        }
        if let Some(path) = &self.path {
            std::fs::rename(path, target)?;
        }
        self.path = None;
        Ok(())
    }

    /// Copies the content into a file that cannot be replaced. Room for it is asked for first.
    fn overwrite(&self, target: &Path) -> io::Result<()> {
        let named = self.path.as_deref().ok_or(io::ErrorKind::NotFound)?;
        let to = OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(target);
        let (mut from, mut to) = (File::open(named)?, to?);
        let length = from.metadata()?.len();
        sys::make_room(&to, length)?;
        io::copy(&mut from, &mut to)?;
        to.set_len(length)?;
        to.set_permissions(from.metadata()?.permissions())?;
        to.sync_all()
    }
}

fn directory_of(target: &Path) -> &Path {
    target.parent().unwrap_or(Path::new("/"))
}

/// Tries names until one is free. Short ones: the name of the target may be as long as names can be. The first is the
/// same for every write of one file, so that what a program left there when it was killed is found.
fn with_free_name<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    let mut hasher = DefaultHasher::new();
    target.file_name().hash(&mut hasher);
    let directory = directory_of(target);
    let mut path = directory.join(format!(".omp-{:016x}.tmp", hasher.finish()));
    loop {
        match make(&path) {
            Ok(made) => return Ok((made, path)),
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) if is_left_over(&path) && std::fs::remove_file(&path).is_ok() => {}
            Err(_) => {
                path = directory.join(format!(".omp-{}-{:08x}.tmp", std::process::id(), fastrand::u32(..)));
            }
        }
    }
}

/// Was the file left by a program that was killed?
fn is_left_over(path: &Path) -> bool {
    let metadata = std::fs::symlink_metadata(path).ok().filter(Metadata::is_file);
    let modified = metadata.and_then(|metadata| metadata.modified().ok());
    modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > LEFT_OVER)
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}
