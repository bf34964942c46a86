//! Command lines that make no sense.

use thiserror::Error;

/// The user's mistake, in words for the user; the command exits with 2.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct UsageError(String);

impl UsageError {
    /// A mistake, described by what was found, expected and can be done.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
