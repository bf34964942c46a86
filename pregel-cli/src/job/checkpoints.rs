//! Where a run is saved and resumed from.

use anyhow::Result;
use pregel_core::checkpoint::{CheckpointOptions, Checkpoints, Interval};

use crate::args::ExecuteArgs;
use crate::facts::Facts;
use crate::usage::UsageError;

/// Opens the folders that the user named, if any.
///
/// # Errors
/// When the options contradict each other or the algorithm, or when a folder cannot be used.
pub fn open_checkpoints(args: &ExecuteArgs, algorithm: &Facts) -> Result<Option<Checkpoints>> {
    check(args, algorithm)?;
    if args.checkpoint.is_none() && args.resume.is_none() {
        return Ok(None);
    }
    let mut options = CheckpointOptions::default().with_fact("algorithm", algorithm.name);
    if let Some(folder) = &args.checkpoint {
        options = options.with_directory(folder);
    }
    if let Some(folder) = &args.resume {
        options = options.with_resume(folder);
    }
    let interval = args.every.map(Interval::Supersteps);
    if let Some(interval) = interval.or(args.every_seconds.map(Interval::Time)) {
        options = options.with_interval(interval);
    }
    Ok(Some(Checkpoints::open(&options)?))
}

fn check(args: &ExecuteArgs, algorithm: &Facts) -> Result<(), UsageError> {
    let given = [
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
        ("--every", args.every.is_some()),
        ("--every-seconds", args.every_seconds.is_some()),
    ];
    let Some((option, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
    let refused = |text: String| Err(UsageError::new(text));
    if !algorithm.vertex_program {
        return refused(format!(
            "{option} means nothing to {}, which is not a vertex program and cannot be saved \
             between supersteps{}",
            algorithm.name,
            algorithm.counterpart.map_or(String::new(), |program| format!(
                "; {program} computes the same and can be"
            ))
        ));
    }
    if !algorithm.one_run {
        return refused(format!(
            "{option} is for a single run, but {} consists of several",
            algorithm.name
        ));
    }
    if args.trials.get() > 1 {
        return refused(format!("{option} is for a single run, not for --trials {}", args.trials));
    }
    if args.every.is_some() && args.every_seconds.is_some() {
        return refused("--every and --every-seconds exclude each other".into());
    }
    if args.checkpoint.is_none() && args.resume.is_none() {
        return refused(format!("{option} needs --checkpoint DIR, where the run is saved"));
    }
    if args.checkpoint.is_none() && (args.every.is_some() || args.every_seconds.is_some()) {
        let text = "a resumed run is saved only with --checkpoint DIR; it may be the same folder";
        return refused(text.into());
    }
    Ok(())
}
