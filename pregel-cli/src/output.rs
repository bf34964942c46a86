//! Results as files: one line a vertex.

mod column;
#[cfg(feature = "parquet")]
mod columnar;
mod lines;
mod target;

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use pregel_core::graph::Ids;

pub use column::{Column, NO_VERTEX};
pub use target::{Target, TargetError};

use crate::plan::UsageError;

/// Where a result goes, and in which form.
#[derive(Debug)]
pub struct Output {
    pub target: Target,
    form: Form,
    packing: Packing,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Xz,
    Zstd,
}

impl Output {
    /// Finds the form by the suffix and checks that the place can be written.
    pub fn new(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let (stem, packing) =
            [(".gz", Packing::Gzip), (".xz", Packing::Xz), (".zst", Packing::Zstd)]
                .iter()
                .find_map(|(suffix, packing)| Some((name.strip_suffix(suffix)?, *packing)))
                .unwrap_or((&name, Packing::None));
        let form = match stem.rsplit_once('.').map_or("", |(_, suffix)| suffix) {
            "csv" => Form::Commas,
            "parquet" => parquet(packing)?,
            _ => Form::Tabs,
        };
        Ok(Self { target: Target::new(path)?, form, packing })
    }

    /// Writes `columns` beside the ids.
    pub fn write(&self, ids: &Ids, columns: &[Column]) -> Result<(), TargetError> {
        self.target.write(|out| match self.form {
            Form::Tabs => self.packed(out, |out| lines::write(out, '\t', ids, columns)),
            Form::Commas => self.packed(out, |out| lines::write(out, ',', ids, columns)),
            #[cfg(feature = "parquet")]
            Form::Parquet => columnar::write(out, ids, columns),
        })
    }

    fn packed(
        &self,
        out: &mut (dyn Write + Send),
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.packing {
            Packing::None => write(out),
            Packing::Gzip => {
                let mut packer = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                write(&mut packer)?;
                packer.finish().map(drop)
            }
            Packing::Xz => {
                let mut packer = liblzma::write::XzEncoder::new(out, 6);
                write(&mut packer)?;
                packer.finish().map(drop)
            }
            Packing::Zstd => {
                let mut packer = zstd::Encoder::new(out, 0)?;
                write(&mut packer)?;
                packer.finish().map(drop)
            }
        }
    }
}

fn parquet(packing: Packing) -> Result<Form, UsageError> {
    if packing != Packing::None {
        return Err(UsageError(
            "Parquet compresses by itself; leave the second suffix away".into(),
        ));
    }
    #[cfg(feature = "parquet")]
    return Ok(Form::Parquet);
    #[cfg(not(feature = "parquet"))]
    Err(UsageError(
        "this pregel was built without Parquet; build it with `--features parquet`, or write .tsv \
         or .csv"
            .into(),
    ))
}
