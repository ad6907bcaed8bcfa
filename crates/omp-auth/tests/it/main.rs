//! Credentials against an authorization server that honours no refresh token twice.

mod login;
mod refresh;
mod rotation;
mod support;
