//! The contenders.

use pregel_core::engine::Strategy;
use pregel_core::engine::gpu::{GpuOptions, Sort};

use super::super::REGIONS;

/// How a device runs a program.
#[derive(Clone, Debug)]
pub struct Way {
    /// For messages.
    pub name: String,
    pub strategy: Strategy,
    pub options: GpuOptions,
}

/// The contenders of Figures 5.1 to 5.3.
pub const WAYS: [&str; 5] = ["medusa-thread", "medusa", "pipeline", "mailbox", "auto"];

/// Medusa as the thesis has it, in [`WAYS`].
pub const MEDUSA_THREAD: usize = 0;
/// Medusa with a segmented combine.
pub const MEDUSA: usize = 1;
/// The pipeline of the thesis.
pub const PIPELINE: usize = 2;

/// Each of [`WAYS`].
pub fn all() -> [Way; WAYS.len()] {
    let of = [
        (Strategy::Mailbox, GpuOptions::medusa_thread()),
        (Strategy::Mailbox, GpuOptions::medusa()),
        (Strategy::Mailbox, GpuOptions::thesis(REGIONS)),
        (Strategy::Mailbox, GpuOptions::default()),
        (Strategy::Auto, GpuOptions::default()),
    ];
    let mut named = WAYS.into_iter().zip(of);
    std::array::from_fn(|_| {
        // Both arrays have this length.
        let (name, (strategy, options)) = named.next().unwrap_or_default();
        Way { name: name.to_owned(), strategy, options }
    })
}

/// The pipeline with this many regions, or without a sort if there are none, and with groups
/// of a warp or of single vertices.
pub fn pipeline(name: &str, regions: u32, remap: bool) -> Way {
    let options = GpuOptions::thesis(regions.max(1));
    let options = if regions == 0 { options.with_sort(Sort::None) } else { options };
    let options = if remap { options } else { options.with_group(1) };
    Way { name: format!("pipeline, {name}"), strategy: Strategy::Mailbox, options }
}
