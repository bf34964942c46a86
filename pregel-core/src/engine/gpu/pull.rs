//! On how many blocks a superstep is pulled, and which signals they copy.

use super::device::{Device, DeviceError, Grid};
use super::prepare::Prepared;
use super::queue::Kernels;
use crate::device::{BLOCK, WARP, columns};

/// Blocks of 1,024 threads of a deterministic run, or so many more of fewer: the
/// aggregate is added up block by block, and two devices shall have the same.
const BLOCKS: u32 = 128;

/// The most blocks of a launch; no device of today holds as many.
pub(super) const MOST_BLOCKS: u32 = 2048;

/// Threads of a block with a copy: as many as can share one.
const SHARING: u32 = 1024;

/// A copy of the hot signals pays if it serves so large a part of the edges.
const SHARE: u64 = 4;

/// And if there are so many edges for each of them: in a smaller graph what is read
/// often stays in the first caches by itself.
const READS: u64 = 32;

/// Bytes that are copied at a time.
const COPY: u32 = 16;

/// How `pull` is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pulling {
    /// Without copies.
    plain: Grid,
    /// Where every vertex scattered: how many signals are hot, and with them.
    hot: Option<(u32, Grid)>,
}

impl Pulling {
    /// For a graph on a device, and a program with signals of `size` bytes, of which
    /// so many are hot.
    pub(super) fn of<D: Device, E>(
        (device, kernels): (&D, &Kernels<D>),
        prepared: &Prepared<D, E>,
        (hot, size): (u32, usize),
        deterministic: bool,
    ) -> Result<Self, DeviceError> {
        let groups = columns::groups(prepared.vertices, WARP.trailing_zeros());
        let chunks = prepared.columns.as_ref().map(|columns| &columns.chunks);
        let items = chunks.map_or(groups, |chunks| chunks.count + (groups - chunks.heavy));
        let grid = |kernel, (threads, shared)| -> Result<Grid, DeviceError> {
            let kernel = kernels.kernel(device, kernel)?;
            let most = match deterministic {
                true => BLOCKS * SHARING / threads,
                false => device.together(&kernel, threads, shared)?.min(MOST_BLOCKS),
            };
            let blocks = items.div_ceil(threads / WARP).min(most);
            Ok(Grid { blocks, threads, shared, together: false })
        };
        let plain = grid("pull", (BLOCK, 0))?;
        let hot = match hot {
            0 => None,
            _ => Some((hot, grid("pull_hot", (SHARING, hot * size as u32))?)),
        };
        Ok(Self { plain, hot })
    }

    /// The grid of a superstep into which all vertices scattered, or not, and how
    /// many signals are hot in it.
    pub(super) fn grid(&self, everyone: bool) -> (u32, Grid) {
        self.hot.filter(|_| everyone).unwrap_or((0, self.plain))
    }
}

/// How many signals of type `S` blocks copy where every vertex scattered; 0 if it
/// does not pay.
pub(super) fn hot<D: Device, E, S>(
    device: &D,
    prepared: &Prepared<D, E>,
) -> Result<u32, DeviceError> {
    let (hot, edges) = (fitting::<S>(device.shared(), prepared.vertices), prepared.edges);
    if hot == 0 || edges < u64::from(hot) * READS {
        return Ok(0);
    }
    let sent = prepared.send_degrees.first(device, hot.into())?;
    let pays = sent.into_iter().map(u64::from).sum::<u64>() * SHARE >= edges;
    Ok(if pays { hot } else { 0 })
}

/// How many signals of `n` fit so many bytes; 0 if they are not made of whole words.
fn fitting<S>(bytes: u32, n: u32) -> u32 {
    let size = size_of::<S>() as u32;
    if size == 0 || align_of::<S>() < 4 {
        return 0;
    }
    let fits = n.min(bytes / size);
    // A signal is a multiple of 4 bytes: 4 of them are whole copies.
    fits - fits % (COPY / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_signals_are_whole_copies() {
        assert_eq!(fitting::<f32>(227 << 10, 1 << 20), 58_112);
        assert_eq!(fitting::<f64>(227 << 10, 1 << 20), 29_056);
        assert_eq!(fitting::<[u32; 3]>(64, 100), 4);
        assert_eq!(fitting::<f32>(64, 7), 4);
        assert_eq!(fitting::<f32>(64, 3), 0);
        assert_eq!(fitting::<()>(64, 100), 0);
        assert_eq!(fitting::<[u8; 4]>(64, 100), 0);
    }
}
