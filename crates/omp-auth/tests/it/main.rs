//! Credentials against an authorization server that honours no refresh token twice.

mod finish;
mod login;
mod puppet;
mod refresh;
mod rotation;
mod support;
