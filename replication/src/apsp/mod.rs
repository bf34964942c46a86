//! Paths between all pairs of vertices, as in the paper on OCL_SP (Xiao Han and others).
//!
//! The paper squares the matrix of lengths in the min-plus algebra: with plain loops on one
//! core, with OpenMP, and in tiles on GPUs with CUDA and OpenCL. Here the same is measured
//! beside Floyd–Warshall in blocks, which needs a logarithm less. OpenCL on AMD's GPUs is out
//! of scope.

mod contenders;
mod paper;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use pregel_core::engine::paths::{Matrix, PathsError};
use pregel_core::program::VertexId;
use rayon::prelude::*;

use self::contenders::{Contender, contenders};
use crate::report::Report;
use crate::{Options, ReplicationError};

/// The paper's numbers of vertices, and one that only a GPU is expected to manage.
const SIZES: [u32; 10] = [10, 50, 200, 300, 1_400, 2_000, 5_000, 8_920, 10_000, 32_768];
const QUICK_SIZES: [u32; 3] = [10, 50, 200];
/// Where the paper compares tiles.
const SWEEP: u32 = 5_000;
const QUICK_SWEEP: u32 = 128;
const TILES: [u32; 4] = [4, 8, 16, 32];
/// The largest length.
const LONGEST: u64 = 100;
/// Sources whose distances are checked by a search of their own.
const CHECKED: u32 = 8;

/// What was measured.
struct Findings {
    contenders: Vec<Contender>,
    /// For each size, the time of each contender, without copies to and from a device.
    times: Vec<(u32, Vec<Option<Run>>)>,
    /// On a GPU: the tile, and seconds.
    sweep: Vec<(u32, f64)>,
    sweep_size: u32,
    device: Option<String>,
    quick: bool,
    skipped: Vec<String>,
}

/// One run.
#[derive(Clone, Copy)]
struct Run {
    seconds: f64,
    /// Squarings, or blocks of vertices.
    passes: u32,
    /// Pairs of lengths that were added and compared.
    pairs: u64,
}

/// Makes the paper's tables again.
///
/// # Errors
/// If distances are wrong, or an engine fails.
pub fn replicate(options: &Options, progress: &dyn Fn(&str)) -> Result<Report, ReplicationError> {
    let begin = Instant::now();
    let sizes: &[u32] = if options.quick { &QUICK_SIZES } else { &SIZES };
    let (contenders, why_no_gpu) = contenders(options.gpu)?;
    let device = contenders.iter().find_map(|c| c.device.clone());
    let mut findings = Findings {
        times: Vec::new(),
        sweep: Vec::new(),
        sweep_size: if options.quick { QUICK_SWEEP } else { SWEEP },
        device,
        quick: options.quick,
        skipped: why_no_gpu.into_iter().map(|why| format!("everything on a GPU: {why}")).collect(),
        contenders,
    };
    findings.sweep_tiles(progress)?;
    let mut last: Vec<Option<(u32, f64)>> = vec![None; findings.contenders.len()];
    for &n in sizes {
        let mut runs = Vec::new();
        let mut expected: Option<Matrix<f32>> = None;
        let mut lengths = None;
        for (contender, last) in findings.contenders.iter().zip(&mut last) {
            let left = options.budget.saturating_sub(begin.elapsed());
            if let Some(why) = contender.too_slow(n, *last, left) {
                findings.skipped.push(format!("{}, n = {n}: {why}", contender.name));
                runs.push(None);
                continue;
            }
            progress(&format!("n = {n}: {}", contender.name));
            let lengths = match &lengths {
                Some(lengths) => lengths,
                None => lengths.insert(random(n)?),
            };
            let (distances, run) = match contender.run(lengths.clone()) {
                Ok(found) => found,
                Err(why @ PathsError::Memory { .. }) => {
                    findings.skipped.push(format!("{}, n = {n}: {why}", contender.name));
                    runs.push(None);
                    continue;
                }
                Err(why) => return Err(why.into()),
            };
            check(contender.name, lengths, &distances, expected.as_ref())?;
            expected.get_or_insert(distances);
            *last = Some((n, run.seconds));
            runs.push(Some(run));
        }
        findings.times.push((n, runs));
    }
    Ok(findings.report())
}

impl Findings {
    /// The paper's Table 1: one squaring after another in tiles of each size.
    fn sweep_tiles(&mut self, progress: &dyn Fn(&str)) -> Result<(), ReplicationError> {
        let Some(gpu) = self.contenders.iter().find(|contender| contender.is_tiled) else {
            return Ok(());
        };
        let lengths = random(self.sweep_size)?;
        let mut expected: Option<Matrix<f32>> = None;
        for tile in TILES {
            progress(&format!("n = {}: tiles of {tile} × {tile}", self.sweep_size));
            // The first run compiles the kernel.
            gpu.run_tiled(lengths.clone(), tile)?;
            let (distances, run) = gpu.run_tiled(lengths.clone(), tile)?;
            check(gpu.name, &lengths, &distances, expected.as_ref())?;
            expected.get_or_insert(distances);
            self.sweep.push((tile, run.seconds));
        }
        Ok(())
    }
}

/// A dense graph: the length of every edge is a random whole number from 1 to 100. The seed is
/// `n`, as in the paper. Sums of whole numbers are exact, so all contenders must agree bit for
/// bit.
fn random(n: u32) -> Result<Matrix<f32>, ReplicationError> {
    let mut lengths = Matrix::unconnected(n)?;
    lengths.for_each_row(|v, row| {
        let mut state = (u64::from(n) << 32 | u64::from(v)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (u, length) in (0..).zip(row) {
            // Xorshift* (Vigna, *An experimental exploration of Marsaglia's xorshift
            // generators, scrambled*, 2016).
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
            if u != v {
                *length = (1 + ((bits * LONGEST) >> 32)) as f32;
            }
        }
    });
    Ok(lengths)
}

/// Checks the distances from some vertices by a search that knows no matrix products, and all
/// of them against those of another contender.
fn check(
    contender: &str,
    lengths: &Matrix<f32>,
    found: &Matrix<f32>,
    expected: Option<&Matrix<f32>>,
) -> Result<(), ReplicationError> {
    let n = lengths.vertex_count();
    let wrong = |from, to| ReplicationError::Distance {
        vertices: n,
        contender: contender.to_owned(),
        from,
        to,
    };
    let differs = |v: VertexId, row: &[f32]| {
        (0..n).find(|to| found.row(v)[*to as usize] != row[*to as usize])
    };
    if let Some(expected) = expected {
        let bad =
            (0..n).into_par_iter().find_map_first(|v| Some((v, differs(v, expected.row(v))?)));
        return bad.map_or(Ok(()), |(from, to)| Err(wrong(from, to)));
    }
    let step = n.div_ceil(CHECKED).max(1);
    let bad = (0..n)
        .into_par_iter()
        .step_by(step as usize)
        .find_map_first(|from| Some((from, differs(from, &search(lengths, from))?)));
    bad.map_or(Ok(()), |(from, to)| Err(wrong(from, to)))
}

/// Dijkstra's search without a heap: in a dense graph, looking for the nearest vertex costs no
/// more than its edges.
fn search(lengths: &Matrix<f32>, from: VertexId) -> Vec<f32> {
    let n = lengths.vertex_count() as usize;
    let (mut distances, mut done) = (vec![f32::INFINITY; n], vec![false; n]);
    distances[from as usize] = 0.0;
    for _ in 0..n {
        let open = (0..n).filter(|v| !done[*v]);
        let Some(nearest) = open.min_by(|a, b| distances[*a].total_cmp(&distances[*b])) else {
            break;
        };
        done[nearest] = true;
        for (to, length) in lengths.row(nearest as VertexId).iter().enumerate() {
            distances[to] = distances[to].min(distances[nearest] + length);
        }
    }
    distances
}

/// How much of the budget one run may take.
fn share(left: Duration) -> f64 {
    left.as_secs_f64() / 4.0
}
