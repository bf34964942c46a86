//! Figure 5.5: the approximate sort beside others, on keys with values.

use std::time::{Duration, Instant};

use pregel_core::engine::RunError;
use pregel_core::engine::gpu::{DegreeSort, Device, DeviceError, Mapping, Sort, SortedOrder};

use super::super::{REGIONS, median_of};
use super::Bench;
use crate::ReplicationError;

/// Numbers of keys, in millions (10^6), as in the thesis.
const MILLIONS: [u64; 3] = [1, 2, 4];

/// The sorts of a device.
const ON_DEVICE: [(&str, Sort); 4] = [
    ("approximate, one atomic per key (as written)", APPROXIMATE),
    ("approximate, one atomic per region of a warp", APPROXIMATE),
    ("approximate, stable", Sort::Stable { mapping: Mapping::Linear, regions: REGIONS }),
    ("radix (exact)", Sort::Exact),
];

/// The sort of the pipeline.
const APPROXIMATE: Sort = Sort::Approximate { mapping: Mapping::Linear, regions: REGIONS };

/// The names of [`ON_DEVICE`] and, after them, of those on the CPU.
pub const SORTS: [&str; ON_DEVICE.len() + 2] = [
    ON_DEVICE[0].0,
    ON_DEVICE[1].0,
    ON_DEVICE[2].0,
    ON_DEVICE[3].0,
    "merge, one CPU thread (std's stable sort)",
    "quick, one CPU thread (std's unstable sort)",
];

/// The place of the sort that the thesis proposes, in [`SORTS`].
pub const PROPOSED: usize = 0;
/// The place of the radix sort.
pub const RADIX: usize = 3;
/// The place of the merge sort on the CPU.
pub const MERGE_ON_CPU: usize = 4;

/// The times of one set of keys.
pub struct Sorted {
    /// What they are distributed like.
    pub keys: &'static str,
    /// How many there are.
    pub count: u64,
    /// Seconds for each of [`SORTS`].
    pub seconds: [f64; SORTS.len()],
}

/// Numbers that look random, the same in every run.
fn random(i: u64) -> u64 {
    // SplitMix64.
    let mut x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Above 0, up to 1.
fn unit(i: u64) -> f64 {
    ((random(i) >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// Normally distributed around the middle of 32 bits, with a standard deviation of an eighth
/// of their range (Box and Muller).
pub fn normal(i: u64) -> u32 {
    let radius = (-2.0 * unit(2 * i).ln()).sqrt();
    let deviate = radius * (std::f64::consts::TAU * unit(2 * i + 1)).cos();
    // A cast saturates.
    (f64::from(u32::MAX) * (0.5 + deviate / 8.0)) as u32
}

/// A power law with exponent 2.1, as in-degrees have.
pub fn power_law(i: u64) -> u32 {
    unit(i).powf(-1.0 / 1.1) as u32
}

/// What is wrong with an order, if anything is: places are the inverse of vertices, and ranks
/// ascend; a stable order keeps that of equal ranks.
pub fn wrong(keys: &[u32], sort: Sort, order: &SortedOrder) -> bool {
    let SortedOrder { vertex_at, place_of } = order;
    let (Some(&least), Some(&most)) = (keys.iter().min(), keys.iter().max()) else {
        return !vertex_at.is_empty();
    };
    let rank = |vertex: &u32| {
        let key = keys[*vertex as usize];
        match sort {
            Sort::Approximate { mapping, regions } | Sort::Stable { mapping, regions } => {
                mapping.region(key, least, most, regions)
            }
            _ => most - key,
        }
    };
    let inverse = |(place, vertex): (u32, &u32)| place_of.get(*vertex as usize) == Some(&place);
    let permutation = vertex_at.len() == keys.len() && (0..).zip(vertex_at).all(inverse);
    let sorted = if matches!(sort, Sort::Approximate { .. }) {
        permutation && vertex_at.is_sorted_by_key(rank)
    } else {
        permutation && vertex_at.is_sorted_by_key(|vertex| (rank(vertex), *vertex))
    };
    !sorted
}

/// Keys with the places that they come from.
fn pairs(keys: &[u32]) -> Vec<(u32, u32)> {
    keys.iter().copied().zip(0..).collect()
}

impl<D: Device> Bench<'_, D> {
    /// Sorts normally distributed keys, then those of a power law.
    pub(super) fn sort_keys(&mut self, until: Instant) -> Result<Vec<Sorted>, ReplicationError> {
        /// The key at a place.
        type Key = fn(u64) -> u32;
        let mut found = Vec::new();
        for (kind, key) in [("normal distribution", normal as Key), ("power law", power_law)] {
            for millions in MILLIONS {
                let count = self.scaled(millions * 1_000_000);
                let what = format!("{count} keys of a {kind}");
                (self.progress)(&what);
                if until.saturating_duration_since(Instant::now()).is_zero() {
                    self.left_out.push(format!("sorting {what}: no time was left"));
                    continue;
                }
                let keys: Vec<u32> = (0..count).map(key).collect();
                found.push(Sorted { keys: kind, count, seconds: self.sort(&what, &keys)? });
            }
        }
        Ok(found)
    }

    fn sort(&self, what: &str, keys: &[u32]) -> Result<[f64; SORTS.len()], ReplicationError> {
        let mut seconds = [0.0; SORTS.len()];
        for (i, (name, sort)) in ON_DEVICE.into_iter().enumerate() {
            let on_device = self.gpu.degree_sort(keys, sort)?;
            let on_device =
                if i == PROPOSED { on_device.with_single_additions() } else { on_device };
            on_device.queue().map_err(RunError::from)?;
            let order = on_device.order().map_err(RunError::from)?;
            if wrong(keys, sort, &order) {
                return Err(ReplicationError::Unsorted { keys: what.to_owned(), sort: name });
            }
            let times: Result<Vec<f64>, DeviceError> =
                (0..self.extent.repeats.runs).map(|_| once(&on_device)).collect();
            seconds[i] = crate::statistics::Statistics::of(&times.map_err(RunError::from)?).median;
        }
        let runs = self.extent.repeats.runs;
        let sorted = |sort: fn(&mut Vec<(u32, u32)>)| {
            median_of(
                runs,
                || pairs(keys),
                |mut pairs| {
                    sort(&mut pairs);
                    pairs
                },
            )
        };
        seconds[ON_DEVICE.len()] = sorted(|pairs| pairs.sort_by_key(|pair| pair.0));
        seconds[ON_DEVICE.len() + 1] = sorted(|pairs| pairs.sort_unstable_by_key(|pair| pair.0));
        Ok(seconds)
    }
}

/// Seconds of one sort, until it has ended.
fn once<D: Device>(sort: &DegreeSort<D>) -> Result<f64, DeviceError> {
    let begin = Instant::now();
    sort.queue()?;
    sort.wait()?;
    Ok(begin.elapsed().max(Duration::from_nanos(1)).as_secs_f64())
}
