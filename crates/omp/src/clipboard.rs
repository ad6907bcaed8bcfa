//! The clipboard of the machine, through the programs that every desktop has for it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_interactive::Clipboard;
use omp_sdk::{Environment as _, ProcessEnvironment};
use omp_shell::{Environment, Exit, Program, Scope, Stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
