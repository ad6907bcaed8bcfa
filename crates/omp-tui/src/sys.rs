//! What Linux does differently from other systems of the POSIX family: waiting for a terminal. `poll` refuses terminals on
//! macOS, so everything but Linux uses `select`. `--cfg omp_portable` forces that on Linux.

use std::io;
use std::os::fd::BorrowedFd;

/// What a descriptor is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Read,
    Write,
}

/// Waits until one of the descriptors is ready, and tells which are. An interruption by a signal is an error.
#[cfg(all(target_os = "linux", not(omp_portable)))]
pub(crate) fn wait(fds: &[BorrowedFd<'_>], wish: Wish) -> io::Result<Vec<bool>> {
    use rustix::event::{PollFd, PollFlags, poll};
    let flags = if wish == Wish::Read { PollFlags::IN } else { PollFlags::OUT };
    let mut polled: Vec<PollFd> = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, flags)).collect();
    poll(&mut polled, None)?;
    Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect())
}

/// Waits until one of the descriptors is ready, and tells which are. An interruption by a signal is an error.
#[cfg(not(all(target_os = "linux", not(omp_portable))))]
#[allow(unsafe_code, reason = "`select` takes bare descriptors")]
pub(crate) fn wait(fds: &[BorrowedFd<'_>], wish: Wish) -> io::Result<Vec<bool>> {
    use std::os::fd::AsRawFd;

    use rustix::event::{FdSetElement, FdSetIter, fd_set_insert, fd_set_num_elements, select};
    let bound = fds.iter().map(|fd| fd.as_raw_fd() + 1).max().unwrap_or(0);
    let mut set = vec![FdSetElement::default(); fd_set_num_elements(fds.len(), bound)];
    fds.iter().for_each(|fd| fd_set_insert(&mut set, fd.as_raw_fd()));
    let (read, write) = match wish {
        Wish::Read => (Some(set.as_mut_slice()), None),
        Wish::Write => (None, Some(set.as_mut_slice())),
    };
    // SAFETY: the descriptors are borrowed, so they are open; the set has room for the highest of them.
    unsafe { select(bound, read, write, None, None) }?;
    let ready: Vec<i32> = FdSetIter::new(&set).collect();
    Ok(fds.iter().map(|fd| ready.contains(&fd.as_raw_fd())).collect())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn the_ready_ones_are_told_from_the_others() {
        let pipes: Vec<_> = (0..70).map(|_| io::pipe().unwrap()).collect();
        let readers: Vec<_> = pipes.iter().map(|(reader, _)| reader.as_fd()).collect();
        (&pipes[3].1).write_all(b"x").unwrap();
        (&pipes[69].1).write_all(b"x").unwrap();
        let ready = wait(&readers, Wish::Read).unwrap();
        let which: Vec<usize> = (0..70).filter(|index| ready[*index]).collect();
        assert_eq!(which, [3, 69]);
        assert_eq!(wait(&[pipes[0].1.as_fd()], Wish::Write).unwrap(), [true]);
    }

    #[test]
    fn an_end_of_file_is_ready() {
        let (reader, writer) = io::pipe().unwrap();
        drop(writer);
        assert_eq!(wait(&[reader.as_fd()], Wish::Read).unwrap(), [true]);
    }
}
