//! Results as files: one line a vertex.

mod column;
#[cfg(feature = "parquet")]
mod columnar;
mod lines;
mod target;

use std::path::Path;

use anyhow::Result;
use pregel_core::graph::Ids;
use pregel_core::io::SaveError;

pub use column::{Column, NO_VERTEX};
pub use target::Target;

use crate::plan::UsageError;

/// Where a result goes, and in which form.
#[derive(Debug)]
pub struct Output {
    pub target: Target,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `id<TAB>value`.
    Tabs,
    /// `id,value`, with a header line.
    Commas,
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Output {
    /// Finds the form by the suffix and checks that the place can be written.
    pub fn new(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let packed = [".gz", ".xz", ".zst"].iter().find_map(|suffix| name.strip_suffix(suffix));
        let form = match packed.unwrap_or(&name).rsplit_once('.') {
            Some((_, "csv")) => Form::Commas,
            Some((_, "parquet")) if packed.is_some() => {
                let text = "Parquet compresses by itself; leave the second suffix away";
                return Err(UsageError(text.into()).into());
            }
            Some((_, "parquet")) => parquet()?,
            _ => Form::Tabs,
        };
        Ok(Self { target: Target::new(path)?, form })
    }

    /// Writes `columns` beside the ids.
    pub fn write(&self, ids: &Ids, columns: &[Column]) -> Result<(), SaveError> {
        self.target.write(|out| match self.form {
            Form::Tabs => lines::write(out, '\t', ids, columns),
            Form::Commas => lines::write(out, ',', ids, columns),
            #[cfg(feature = "parquet")]
            Form::Parquet => columnar::write(out, ids, columns),
        })
    }
}

#[cfg(feature = "parquet")]
fn parquet() -> Result<Form, UsageError> {
    Ok(Form::Parquet)
}

#[cfg(not(feature = "parquet"))]
fn parquet() -> Result<Form, UsageError> {
    Err(UsageError(
        "this pregel was built without Parquet; build it with `--features parquet`, or write .tsv \
         or .csv"
            .into(),
    ))
}
