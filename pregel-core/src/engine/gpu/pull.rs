//! On how many blocks a superstep is pulled, and which signals they copy.

use super::costs::Costs;
use super::device::{Device, DeviceError, Grid};
use super::explain::{HotSignals, WhyNot};
use super::options::Choice;
use super::prepare::Prepared;
use super::queue::Kernels;
use crate::device::{BLOCK, WARP, columns, in_words};

/// Blocks of 1,024 threads of a deterministic run, or so many more of fewer: the
/// aggregate is added up block by block, and two devices shall have the same.
const BLOCKS: u32 = 128;

/// The most blocks of a launch; no device of today holds as many.
pub(super) const MOST_BLOCKS: u32 = 2048;

/// Threads of a block with a copy: as many as can share one.
const SHARING: u32 = 1024;

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

/// Which signals of type `S` blocks copy where every vertex scattered.
pub(super) fn hot<D: Device, E, S>(
    device: &D,
    prepared: &Prepared<D, E>,
    choice: Choice,
    costs: &Costs,
) -> Result<HotSignals, DeviceError> {
    let none = |why| Ok(HotSignals::None(why));
    if choice == Choice::Never {
        return none(WhyNot::Off);
    }
    if !in_words::<S>() {
        return none(WhyNot::Words);
    }
    let (signals, edges) = (fitting::<S>(device.shared(), prepared.vertices), prepared.edges);
    let (auto, needed) = (choice == Choice::Auto, costs.hot_reads);
    if signals == 0 {
        return none(WhyNot::Room);
    }
    if auto && edges < u64::from(signals).saturating_mul(needed) {
        return none(WhyNot::FewReads { signals, edges, needed });
    }
    let sent = prepared.send_degrees.first(device, signals.into())?;
    let served = sent.into_iter().map(u64::from).sum::<u64>();
    let needed = costs.hot_share;
    if auto && (served as f64) < edges as f64 * needed {
        return none(WhyNot::FewServed { signals, served, edges, needed });
    }
    Ok(HotSignals::Kept { signals, served, edges })
}

/// How many signals of `n` fit so many bytes; 0 if they are not made of whole words.
fn fitting<S>(bytes: u32, n: u32) -> u32 {
    let size = size_of::<S>() as u32;
    if !in_words::<S>() {
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
