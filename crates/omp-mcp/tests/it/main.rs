//! Servers of all kinds: well-behaved, broken, hostile.

mod definitions;
mod http;
mod life;
mod logins;
mod stdio;
mod world;
