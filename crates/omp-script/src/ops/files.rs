//! Files. Paths come from the script already absolute.

use std::fs::{self, FileTimes, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Arguments, NOTHING, Op, OpError, Outcome, Reply};
use crate::state::State;

/// A script cannot hold more than its memory; more is not even read.
const LARGEST: u64 = 1 << 30;

pub(super) const OPS: &[(&str, Op)] = &[
    ("fs.read", Op::Blocking(read)),
    ("fs.write", Op::Blocking(write)),
    ("fs.stat", Op::Blocking(stat)),
    ("fs.list", Op::Blocking(list)),
    ("fs.mkdir", Op::Blocking(mkdir)),
    ("fs.mkdtemp", Op::Blocking(mkdtemp)),
    ("fs.remove", Op::Blocking(remove)),
    ("fs.rename", Op::Blocking(rename)),
    ("fs.copy", Op::Blocking(copy)),
    ("fs.link", Op::Blocking(link)),
    ("fs.readlink", Op::Blocking(readlink)),
    ("fs.realpath", Op::Blocking(realpath)),
    ("fs.access", Op::Blocking(access)),
    ("fs.chmod", Op::Blocking(chmod)),
    ("fs.utimes", Op::Blocking(utimes)),
    ("fs.truncate", Op::Blocking(truncate)),
    ("fs.open", Op::Now(open)),
    ("fs.close", Op::Now(close)),
    ("fs.readAt", Op::Now(read_at)),
    ("fs.writeAt", Op::Now(write_at)),
    ("fs.fstat", Op::Now(fstat)),
    ("fs.ftruncate", Op::Now(ftruncate)),
];

/// The name of an error of the system, as programs look for it.
fn code(error: &io::Error) -> (&'static str, &'static str) {
    match error.raw_os_error() {
        Some(libc::ENOENT) => ("ENOENT", "no such file or directory"),
        Some(libc::EEXIST) => ("EEXIST", "file already exists"),
        Some(libc::EACCES) => ("EACCES", "permission denied"),
        Some(libc::EPERM) => ("EPERM", "operation not permitted"),
        Some(libc::ENOTDIR) => ("ENOTDIR", "not a directory"),
        Some(libc::EISDIR) => ("EISDIR", "illegal operation on a directory"),
        Some(libc::ENOTEMPTY) => ("ENOTEMPTY", "directory not empty"),
        Some(libc::EINVAL) => ("EINVAL", "invalid argument"),
        Some(libc::ELOOP) => ("ELOOP", "too many symbolic links encountered"),
        Some(libc::EXDEV) => ("EXDEV", "cross-device link not permitted"),
        Some(libc::EMFILE) => ("EMFILE", "too many open files"),
        Some(libc::ENOSPC) => ("ENOSPC", "no space left on device"),
        Some(libc::EROFS) => ("EROFS", "read-only file system"),
        Some(libc::EBADF) => ("EBADF", "bad file descriptor"),
        Some(libc::EPIPE) => ("EPIPE", "broken pipe"),
        Some(libc::ENAMETOOLONG) => ("ENAMETOOLONG", "name too long"),
        Some(libc::ETXTBSY) => ("ETXTBSY", "text file is busy"),
        Some(libc::EBUSY) => ("EBUSY", "resource busy or locked"),
        _ => ("EIO", "i/o error"),
    }
}

/// An error as Node words it.
pub(super) fn failed(error: &io::Error, syscall: &str, path: &str, dest: Option<&str>) -> OpError {
    let (code, words) = code(error);
    let shown = match (path, dest) {
        ("", _) => String::new(),
        (path, None) => format!(" '{path}'"),
        (path, Some(dest)) => format!(" '{path}' -> '{dest}'"),
    };
    let mut made = OpError::new(format!("{code}: {words}, {syscall}{shown}"))
        .with("errno", -error.raw_os_error().unwrap_or(libc::EIO))
        .with("code", code)
        .with("syscall", syscall);
    if !path.is_empty() {
        made = made.with("path", path);
    }
    match dest {
        Some(dest) => made.with("dest", dest),
        None => made,
    }
}

fn on<T>(result: io::Result<T>, syscall: &str, arguments: &Arguments) -> Result<T, OpError> {
    result.map_err(|error| failed(&error, syscall, arguments.text("path"), None))
}

fn both<T>(result: io::Result<T>, syscall: &str, arguments: &Arguments) -> Result<T, OpError> {
    result.map_err(|error| failed(&error, syscall, arguments.text("path"), Some(arguments.text("dest"))))
}

fn refused(words: &str) -> OpError {
    OpError::new(words).with("code", "ERR_FS_FILE_TOO_LARGE")
}

fn read(arguments: &Arguments) -> Outcome {
    let mut file = on(fs::File::open(arguments.text("path")), "open", arguments)?;
    let metadata = on(file.metadata(), "fstat", arguments)?;
    if metadata.is_dir() {
        return Err(failed(&io::Error::from_raw_os_error(libc::EISDIR), "read", "", None));
    }
    if metadata.len() > LARGEST {
        return Err(refused("the file is larger than 1 GB"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // Some files have no length and no end.
    on(Read::by_ref(&mut file).take(LARGEST + 1).read_to_end(&mut bytes), "read", arguments)?;
    if bytes.len() as u64 > LARGEST {
        return Err(refused("the file is larger than 1 GB"));
    }
    if arguments.flag("text") {
        return Ok(Reply::Text(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }));
    }
    Ok(Reply::Bytes(bytes))
}

/// `w`, `a`, `wx`, `r+` and so on, as options.
fn options(flags: &str, mode: Option<u64>) -> OpenOptions {
    let mut options = OpenOptions::new();
    let exclusive = flags.contains('x');
    let plus = flags.contains('+');
    match flags.chars().next() {
        Some('w') => {
            options.write(true).read(plus).create(!exclusive).create_new(exclusive).truncate(!exclusive)
        }
        Some('a') => options.append(true).read(plus).create(!exclusive).create_new(exclusive),
        _ => options.read(true).write(plus),
    };
    options.mode(u32::try_from(mode.unwrap_or(0o666)).unwrap_or(0o666));
    options
}

fn write(arguments: &Arguments) -> Outcome {
    let flags = match arguments.text("flag") {
        "" => "w",
        flags => flags,
    };
    let mut file =
        on(options(flags, arguments.number("mode")).open(arguments.text("path")), "open", arguments)?;
    let text = arguments.text("text").as_bytes();
    on(file.write_all(arguments.bytes.as_deref().unwrap_or(text)), "write", arguments)?;
    NOTHING
}

fn milliseconds(seconds: i64, nanoseconds: i64) -> f64 {
    seconds as f64 * 1000.0 + nanoseconds as f64 / 1e6
}

fn kind(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    match () {
        () if kind.is_symlink() => "link",
        () if kind.is_dir() => "directory",
        () if kind.is_file() => "file",
        () if kind.is_fifo() => "fifo",
        () if kind.is_socket() => "socket",
        () if kind.is_char_device() => "character",
        () => "block",
    }
}

fn described(metadata: &Metadata) -> Value {
    let born = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    json!({
        "kind": kind(metadata), "dev": metadata.dev(), "ino": metadata.ino(), "mode": metadata.mode(), "nlink": metadata.nlink(),
        "uid": metadata.uid(), "gid": metadata.gid(), "rdev": metadata.rdev(), "size": metadata.size(),
        "blksize": metadata.blksize(), "blocks": metadata.blocks(),
        "atimeMs": milliseconds(metadata.atime(), metadata.atime_nsec()),
        "mtimeMs": milliseconds(metadata.mtime(), metadata.mtime_nsec()),
        "ctimeMs": milliseconds(metadata.ctime(), metadata.ctime_nsec()),
        "birthtimeMs": born.map_or(0.0, |time| time.as_secs_f64() * 1000.0),
    })
}

fn stat(arguments: &Arguments) -> Outcome {
    let path = arguments.text("path");
    let (found, syscall) = if arguments.flag("link") {
        (fs::symlink_metadata(path), "lstat")
    } else {
        (fs::metadata(path), "stat")
    };
    match found {
        Ok(metadata) => Ok(Reply::Json(described(&metadata))),
        // `existsSync` and `throwIfNoEntry: false` make no error of it.
        Err(_) if arguments.flag("quiet") => Ok(Reply::Json(Value::Null)),
        Err(error) => Err(failed(&error, syscall, path, None)),
    }
}

fn list(arguments: &Arguments) -> Outcome {
    let mut names = Vec::new();
    for entry in on(fs::read_dir(arguments.text("path")), "scandir", arguments)? {
        let entry = on(entry, "scandir", arguments)?;
        let kind = entry.path().symlink_metadata().map_or("file", |metadata| kind(&metadata));
        names.push((entry.file_name().to_string_lossy().into_owned(), kind));
    }
    names.sort();
    Ok(Reply::Json(names.into_iter().map(|(name, kind)| json!([name, kind])).collect()))
}

fn mkdir(arguments: &Arguments) -> Outcome {
    let path = Path::new(arguments.text("path"));
    if !arguments.flag("recursive") {
        on(fs::create_dir(path), "mkdir", arguments)?;
    } else {
        let first = path.ancestors().take_while(|above| !above.exists()).last().map(Path::to_owned);
        on(fs::create_dir_all(path), "mkdir", arguments)?;
        if let Some(first) = first {
            return Ok(Reply::Json(first.display().to_string().into()));
        }
    }
    NOTHING
}

fn mkdtemp(arguments: &Arguments) -> Outcome {
    const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
    for _ in 0..100 {
        let mut random = [0; 6];
        super::crypto::fill(&mut random)?;
        let end: String =
            random.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
        let path = format!("{}{end}", arguments.text("path"));
        let mut builder = fs::DirBuilder::new();
        match std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return on(made, "mkdtemp", arguments).map(|()| Reply::Text(path)),
        }
    }
    Err(OpError::new("no free name for a directory"))
}

fn remove(arguments: &Arguments) -> Outcome {
    let path = Path::new(arguments.text("path"));
    match arguments.text("what") {
        "file" => on(fs::remove_file(path), "unlink", arguments)?,
        "directory" => on(fs::remove_dir(path), "rmdir", arguments)?,
        _ => {
            let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound && arguments.flag("force");
            let result = path.symlink_metadata().and_then(|metadata| match metadata.is_dir() {
                true if arguments.flag("recursive") => fs::remove_dir_all(path),
                true => Err(io::Error::from_raw_os_error(libc::EISDIR)),
                false => fs::remove_file(path),
            });
            match result {
                Err(error) if gone(&error) => {}
                result => on(result, "rm", arguments)?,
            }
        }
    }
    NOTHING
}

fn rename(arguments: &Arguments) -> Outcome {
    both(fs::rename(arguments.text("path"), arguments.text("dest")), "rename", arguments)?;
    NOTHING
}

fn copy(arguments: &Arguments) -> Outcome {
    if arguments.flag("exclusive") && Path::new(arguments.text("dest")).exists() {
        return Err(failed(
            &io::Error::from_raw_os_error(libc::EEXIST),
            "copyfile",
            arguments.text("path"),
            Some(arguments.text("dest")),
        ));
    }
    both(fs::copy(arguments.text("path"), arguments.text("dest")), "copyfile", arguments)?;
    NOTHING
}

fn link(arguments: &Arguments) -> Outcome {
    let (target, path) = (arguments.text("path"), arguments.text("dest"));
    if arguments.flag("hard") {
        both(fs::hard_link(target, path), "link", arguments)?;
    } else {
        both(std::os::unix::fs::symlink(target, path), "symlink", arguments)?;
    }
    NOTHING
}

fn readlink(arguments: &Arguments) -> Outcome {
    let target = on(fs::read_link(arguments.text("path")), "readlink", arguments)?;
    Ok(Reply::Text(target.to_string_lossy().into_owned()))
}

fn realpath(arguments: &Arguments) -> Outcome {
    let path = on(fs::canonicalize(arguments.text("path")), "realpath", arguments)?;
    Ok(Reply::Text(path.to_string_lossy().into_owned()))
}

fn access(arguments: &Arguments) -> Outcome {
    let mode = rustix::fs::Access::from_bits_truncate(
        u32::try_from(arguments.number("mode").unwrap_or(0)).unwrap_or(0),
    );
    on(rustix::fs::access(arguments.text("path"), mode).map_err(io::Error::from), "access", arguments)?;
    NOTHING
}

fn chmod(arguments: &Arguments) -> Outcome {
    let mode = u32::try_from(arguments.number("mode").unwrap_or(0)).unwrap_or(0);
    on(fs::set_permissions(arguments.text("path"), Permissions::from_mode(mode)), "chmod", arguments)?;
    NOTHING
}

fn utimes(arguments: &Arguments) -> Outcome {
    let time = |key: &str| {
        let seconds = arguments.json.get(key).and_then(Value::as_f64).unwrap_or(0.0).clamp(0.0, 1e11);
        UNIX_EPOCH + Duration::from_secs_f64(seconds)
    };
    let times = FileTimes::new().set_accessed(time("atime")).set_modified(time("mtime"));
    let result = fs::File::open(arguments.text("path")).and_then(|file| file.set_times(times));
    on(result, "utime", arguments)?;
    NOTHING
}

fn truncate(arguments: &Arguments) -> Outcome {
    let file = on(OpenOptions::new().write(true).open(arguments.text("path")), "open", arguments)?;
    on(file.set_len(arguments.number("length").unwrap_or(0)), "ftruncate", arguments)?;
    NOTHING
}

fn open(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let flags = arguments.text("flag");
    let opened = options(flags, arguments.number("mode")).open(arguments.text("path"));
    let file = on(opened, "open", arguments)?;
    Ok(Reply::Json(state.keep(Rc::new(file)).into()))
}

fn opened(state: &State, arguments: &Arguments, syscall: &str) -> Result<Rc<fs::File>, OpError> {
    let bad = || failed(&io::Error::from_raw_os_error(libc::EBADF), syscall, "", None);
    state.resource(arguments.id()).ok_or_else(bad)
}

fn close(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    opened(state, arguments, "close")?;
    state.release(arguments.id());
    NOTHING
}

fn read_at(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let file = opened(state, arguments, "read")?;
    let length = usize::try_from(arguments.number("length").unwrap_or(0).min(64 << 20)).unwrap_or(0);
    let mut bytes = vec![0; length];
    let mut reader = &*file;
    let read = match arguments.number("position") {
        Some(position) => std::os::unix::fs::FileExt::read_at(reader, &mut bytes, position),
        None => reader.read(&mut bytes),
    };
    bytes.truncate(on(read, "read", arguments)?);
    Ok(Reply::Bytes(bytes))
}

fn write_at(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let file = opened(state, arguments, "write")?;
    let bytes = arguments.bytes.as_deref().unwrap_or_default();
    let mut writer = &*file;
    let written = match arguments.number("position") {
        Some(position) => writer.seek(SeekFrom::Start(position)).and_then(|_| writer.write_all(bytes)),
        None => writer.write_all(bytes),
    };
    on(written, "write", arguments)?;
    Ok(Reply::Json(bytes.len().into()))
}

fn fstat(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let file = opened(state, arguments, "fstat")?;
    Ok(Reply::Json(described(&on(file.metadata(), "fstat", arguments)?)))
}

fn ftruncate(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let file = opened(state, arguments, "ftruncate")?;
    on(file.set_len(arguments.number("length").unwrap_or(0)), "ftruncate", arguments)?;
    NOTHING
}
