//! Results as files: one line for each vertex.

mod column;
#[cfg(feature = "parquet")]
mod columnar;
mod lines;
mod npy;
mod target;

use std::path::{Path, PathBuf};

use anyhow::Result;
use pregel_core::graph::Ids;

pub use column::{Column, Headings, NO_VERTEX};
pub use npy::{Distances, Npy};
pub use target::{StdoutError, Target, folder_of, print, takes_files};

use crate::usage::UsageError;

/// Where a result goes, and in which form.
#[derive(Debug)]
pub struct Output {
    pub target: Target,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `id<TAB>value`, with a header line only if there are several sources.
    Tabs,
    /// `id,value`, with a header line.
    Commas,
    #[cfg(feature = "parquet")]
    Parquet,
    /// A matrix.
    Npy,
}

/// Suffixes that promise something other than lines of `id<TAB>value`.
const OTHER_FORMS: &[&str] = &[
    "arrow", "feather", "json", "jsonl", "mtx", "npy", "orc", "pregel", "svg", "xls", "xlsx",
    "bz2", "lz4", "zip", "7z",
];

impl Output {
    /// Finds the form by the suffix and checks that the file can be written. A `matrix` is
    /// always written as `.npy`.
    pub fn new(path: &Path, matrix: bool) -> Result<Self> {
        if matrix {
            return Self::of_matrix(path);
        }
        let unpacked = unpacked_name(path);
        let name = unpacked.as_deref().unwrap_or(path).file_name().unwrap_or_default();
        let form = match name.to_string_lossy().to_lowercase().rsplit_once('.') {
            Some((_, "csv")) => Form::Commas,
            Some((stem, "parquet")) if unpacked.is_some() => {
                return Err(UsageError::new(format!(
                    "{}: Parquet files are compressed already; call it {stem}.parquet",
                    path.display()
                ))
                .into());
            }
            Some((_, "parquet")) => parquet(path)?,
            Some((_, suffix)) if OTHER_FORMS.contains(&suffix) => {
                return Err(UsageError::new(format!(
                    "{}: results are not written as .{suffix}; .tsv, .csv and .parquet are, and \
                     the first two with .gz, .xz or .zst after it",
                    path.display()
                ))
                .into());
            }
            _ => Form::Tabs,
        };
        Ok(Self { target: Target::new(path)?, form })
    }

    /// As [`new`](Self::new), for a matrix.
    fn of_matrix(path: &Path) -> Result<Self> {
        let is_npy = path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("npy"));
        if !is_npy && path != Path::new("-") {
            return Err(UsageError::new(format!(
                "{}: distances between all pairs are written as .npy; call it {}",
                path.display(),
                path.with_extension("npy").display()
            ))
            .into());
        }
        Ok(Self { target: Target::new(path)?, form: Form::Npy })
    }

    /// Writes a matrix.
    pub fn write_matrix(&self, matrix: &Npy) -> Result<()> {
        self.target.write(|out| matrix.write(out))
    }

    /// Writes `columns` beside the ids.
    pub fn write(&self, ids: &Ids, headings: &Headings, columns: &[Column]) -> Result<()> {
        self.target.write(|out| match self.form {
            // A matrix is written by `write_matrix`.
            Form::Npy => Ok(()),
            Form::Tabs => lines::write(out, '\t', ids, headings, columns),
            Form::Commas => lines::write(out, ',', ids, headings, columns),
            #[cfg(feature = "parquet")]
            Form::Parquet => columnar::write(out, ids, headings, columns),
        })
    }
}

/// The name without the suffix of a compression, in upper or lower case; `None` if
/// it has none.
pub fn unpacked_name(path: &Path) -> Option<PathBuf> {
    let suffix = path.extension()?;
    let packed = ["gz", "xz", "zst"].iter().any(|known| suffix.eq_ignore_ascii_case(known));
    packed.then(|| path.with_extension(""))
}

#[cfg(feature = "parquet")]
fn parquet(_: &Path) -> Result<Form, UsageError> {
    Ok(Form::Parquet)
}

#[cfg(not(feature = "parquet"))]
fn parquet(path: &Path) -> Result<Form, UsageError> {
    Err(UsageError::new(format!(
        "{}: this pregel was built without Parquet; write .tsv or .csv, or build it with \
         `--features parquet`",
        path.display()
    )))
}
