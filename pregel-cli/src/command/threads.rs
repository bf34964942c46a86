//! `--threads`

use std::num::NonZeroUsize;

use anyhow::{Context, Result};

/// Makes everything that follows use this many threads.
pub fn use_threads(threads: Option<NonZeroUsize>) -> Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build_global()
        .with_context(|| format!("cannot start {threads} threads"))
}
