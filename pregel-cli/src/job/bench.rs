//! The work of `pregel bench`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use pregel_replication::{Paper, UseGpu};

use crate::args::{BenchArgs, EngineArg};
use crate::output::{folder_of, takes_files};
use crate::usage::UsageError;

/// A paper to replicate.
#[derive(Debug)]
pub struct BenchJob {
    pub paper: Paper,
    pub quick: bool,
    /// How long it may take.
    pub budget: Duration,
    /// Whether what takes a GPU is measured.
    pub gpu: UseGpu,
    /// The folder of real graphs, or of data sets.
    pub data: Option<PathBuf>,
    /// The folder of the report; printed if there is none.
    pub out: Option<PathBuf>,
}

impl BenchJob {
    /// Checks that the report can be written, before minutes of work.
    pub fn new(args: &BenchArgs) -> Result<Self> {
        if let Some(folder) = &args.out {
            check_folder(folder)?;
        }
        let paper = args.paper.into();
        let data = data(paper, args)?;
        Ok(Self {
            gpu: use_gpu(args.engine)?,
            paper,
            quick: args.quick,
            budget: Duration::from_secs(60 * u64::from(args.minutes)),
            data,
            out: args.out.clone(),
        })
    }
}

/// The folder of graphs, which graphalytics takes as its argument and others as an option.
fn data(paper: Paper, args: &BenchArgs) -> Result<Option<PathBuf>, UsageError> {
    let name = paper.name();
    let (folder, option) = match (paper, &args.folder, &args.data) {
        (Paper::Graphalytics, Some(folder), None) => (folder, ""),
        (Paper::Graphalytics, None, None) => {
            let text = "name the folder of the data sets: bench graphalytics DIR";
            return Err(UsageError::new(text));
        }
        (Paper::Graphalytics, _, Some(_)) => {
            let text = "--data is not for bench graphalytics; name the folder without it";
            return Err(UsageError::new(text));
        }
        (_, Some(folder), _) => {
            let folder = folder.display();
            return Err(UsageError::new(format!("bench {name} takes no folder, found «{folder}»")));
        }
        (Paper::Graph500 | Paper::Apsp, None, Some(_)) => {
            let text = format!("--data is not for bench {name}, whose graphs are generated");
            return Err(UsageError::new(text));
        }
        (_, None, Some(folder)) => (folder, "--data "),
        (_, None, None) => return Ok(None),
    };
    if !folder.is_dir() {
        let text = format!("{option}{}: there is no such folder", folder.display());
        return Err(UsageError::new(text));
    }
    Ok(Some(folder.clone()))
}

/// What the engine says about GPUs.
fn use_gpu(engine: EngineArg) -> Result<UseGpu, UsageError> {
    match engine {
        EngineArg::Auto => Ok(UseGpu::IfAny),
        EngineArg::Cpu => Ok(UseGpu::Never),
        EngineArg::Cuda(number) => Ok(UseGpu::Number(number)),
        EngineArg::Reference => {
            Err(UsageError::new("--engine reference is not for bench; use auto, cpu or cuda"))
        }
    }
}

/// Whether `folder`, or the one that it will be made in, takes new files.
fn check_folder(folder: &Path) -> Result<()> {
    let place = match fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => folder,
        Ok(_) => {
            let text = format!("--out {}: it is a file; name a folder", folder.display());
            return Err(UsageError::new(text).into());
        }
        Err(_) => folder_of(folder),
    };
    takes_files(place).with_context(|| format!("cannot write to {}", place.display()))
}
