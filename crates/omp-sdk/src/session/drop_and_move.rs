//! Leaving a session for good: deleting it, or taking it to another directory.

use std::path::{Path, PathBuf};

use omp_session::{IfHeld, OpenError, SessionWriter};

use crate::error::SessionError;
use crate::extensions::BeganHow;
use crate::session::Session;
use crate::session::host::{Arrival, Host, SwitchError};
use crate::session::options::Persistence;

impl Host {
    /// Deletes the current session with its artifacts and begins a new one. What runs is stopped.
    pub async fn drop_session(&self) -> Result<Arrival, SwitchError> {
        let _turn = self.turn().await;
        let session = self.session();
        if !session.is_kept() {
            return Err(SwitchError::InMemory);
        }
        session.rest().await;
        let (store, file) = (session.store(), session.file());
        let mut arrival = self.exchange(&session.cwd(), Persistence::New, BeganHow::New).await?;
        let Some(file) = file else { return Ok(arrival) };
        arrival.previous = None;
        let path = file.clone();
        let deleted = tokio::task::spawn_blocking(move || store.delete(&path)).await;
        if let Ok(Err(error)) = deleted {
            arrival.remarks.push(format!("Could not delete {}: {error}", file.display()));
        }
        Ok(arrival)
    }

    /// Takes the session to another directory: its file, and everything that depends on where it works.
    pub async fn move_to(&self, cwd: &Path) -> Result<Arrival, SwitchError> {
        let _turn = self.turn().await;
        let session = self.session();
        if session.control().is_running() {
            return Err(SwitchError::Busy);
        }
        if !session.is_kept() {
            return Err(SwitchError::InMemory);
        }
        let Some(file) = session.file() else {
            return self.exchange(cwd, Persistence::New, BeganHow::New).await;
        };
        // What would go wrong with the new directory goes wrong before anything is moved.
        self.options_for(cwd)?;
        let moved = relocate(&session, &file, cwd).await?;
        let next = Persistence::Resume(moved.to_string_lossy().into_owned());
        match self.exchange(cwd, next, BeganHow::Resume).await {
            Ok(arrival) => Ok(Arrival { previous: None, ..arrival }),
            Err(error) => {
                let back = relocate(&session, &moved, &session.cwd()).await?;
                take_up(&session, &back).await?;
                Err(error)
            }
        }
    }
}

impl Host {
    /// Loads all extensions again. The session is opened as it stands, since they are part of everything in it.
    pub async fn reload_extensions(&self) -> Result<Arrival, SwitchError> {
        let _turn = self.turn().await;
        let session = self.session();
        if session.control().is_running() {
            return Err(SwitchError::Busy);
        }
        let cwd = session.cwd();
        let Some(file) = session.file() else {
            return match session.conversation().await.is_empty() {
                true => self.exchange(&cwd, Persistence::New, BeganHow::Reload).await,
                false => Err(SwitchError::InMemory),
            };
        };
        self.options_for(&cwd)?;
        session.file_history().settled().await;
        session.record.release();
        let next = Persistence::Resume(file.to_string_lossy().into_owned());
        match self.exchange(&cwd, next, BeganHow::Reload).await {
            Ok(arrival) => Ok(Arrival { previous: None, ..arrival }),
            Err(error) => {
                take_up(&session, &file).await?;
                Err(error)
            }
        }
    }
}

/// Lets go of the session's file and moves it. If that fails, the session has its file again.
async fn relocate(session: &Session, file: &Path, cwd: &Path) -> Result<PathBuf, SwitchError> {
    session.file_history().settled().await;
    session.record.release();
    let (store, from, to) = (session.store(), file.to_owned(), cwd.to_owned());
    let moved = tokio::task::spawn_blocking(move || store.move_to(&from, &to)).await;
    match moved.map_err(|_| SessionError::Interrupted)? {
        Ok(path) => Ok(path),
        Err(error) => {
            take_up(session, file).await?;
            Err(SessionError::from(error).into())
        }
    }
}

/// Resumes writing to a file that was let go of.
async fn take_up(session: &Session, file: &Path) -> Result<(), SwitchError> {
    let (store, path, cwd) = (session.store(), file.to_owned(), session.cwd());
    let work = move || Ok::<SessionWriter, OpenError>(store.resume(&path, &cwd, IfHeld::Share)?.writer);
    let opened = tokio::task::spawn_blocking(work).await.map_err(|_| SessionError::Interrupted)?;
    session.record.put(opened.map_err(SessionError::from)?);
    Ok(())
}
