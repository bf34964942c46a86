//! Finds the paths between all pairs of vertices on the device, as
//! `engine/solve/paths/` does on the CPU.
//!
//! The matrix is uploaded as it is. Floyd–Warshall queues three kernels per block of 128
//! vertices and waits once; repeated squaring waits after each squaring to learn whether
//! anything has changed.

use std::time::Instant;

use rayon::prelude::*;

use crate::device::kernels::{Kernel, Set, Tools, tools as k};
use crate::device::solve::{Blocks, PATH_TILE, STAGED, Square};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::engine::gpu::{DeviceReport, Gpu};
use crate::engine::paths::{
    AllPairs, Length, Matrix, Method, PathOptions, Paths, PathsError, PathsReport, needs,
};
use crate::engine::solve::paths::{GRANULE, NO_VERTEX, most_squarings, pairs};
use crate::engine::{Needs, RunError};
use crate::graph::Graph;
use crate::program::Value;

/// Bytes of staged memory of `paths_close`: a row and a column, twice.
const CLOSE_STAGED: u32 = 4 * 4 * PATH_TILE;

const _: () = assert!(GRANULE == PATH_TILE, "a matrix is filled up to whole tiles");

/// A type of length that there are kernels for.
#[doc(hidden)]
pub trait DeviceLength: Length {
    type Close: Kernel<Tools, Arguments = Blocks>;
    type Cross: Kernel<Tools, Arguments = Blocks>;
    type Rest: Kernel<Tools, Arguments = Blocks>;
    type CloseBetween: Kernel<Tools, Arguments = Blocks>;
    type CrossBetween: Kernel<Tools, Arguments = Blocks>;
    type RestBetween: Kernel<Tools, Arguments = Blocks>;
    type Square4: Kernel<Tools, Arguments = Square>;
    type Square8: Kernel<Tools, Arguments = Square>;
    type Square16: Kernel<Tools, Arguments = Square>;
    type Square32: Kernel<Tools, Arguments = Square>;
    /// The kernels of Floyd–Warshall, those that also find successors, and those of squaring.
    const SETS: [Set; 3];
}

impl DeviceLength for f32 {
    type Close = k::PathsCloseF32;
    type Cross = k::PathsCrossF32;
    type Rest = k::PathsRestF32;
    type CloseBetween = k::PathsBetweenCloseF32;
    type CrossBetween = k::PathsBetweenCrossF32;
    type RestBetween = k::PathsBetweenRestF32;
    type Square4 = k::PathsSquare4F32;
    type Square8 = k::PathsSquare8F32;
    type Square16 = k::PathsSquare16F32;
    type Square32 = k::PathsSquare32F32;
    const SETS: [Set; 3] = [Set::PathsF32, Set::PathsBetweenF32, Set::SquareF32];
}

impl DeviceLength for i32 {
    type Close = k::PathsCloseI32;
    type Cross = k::PathsCrossI32;
    type Rest = k::PathsRestI32;
    type CloseBetween = k::PathsBetweenCloseI32;
    type CrossBetween = k::PathsBetweenCrossI32;
    type RestBetween = k::PathsBetweenRestI32;
    type Square4 = k::PathsSquare4I32;
    type Square8 = k::PathsSquare8I32;
    type Square16 = k::PathsSquare16I32;
    type Square32 = k::PathsSquare32I32;
    const SETS: [Set; 3] = [Set::PathsI32, Set::PathsBetweenI32, Set::SquareI32];
}

/// The arrays of a run.
struct Memory<D: Device> {
    distances: Array<D, u32>,
    /// As [`Blocks::between`], only to find successors.
    between: Array<D, u32>,
    /// Only to square.
    square: Array<D, u32>,
    /// As [`Square::found`].
    found: Array<D, u32>,
}

impl<D: Device> Memory<D> {
    fn room(arrays: &mut Arrays<D>, options: &PathOptions, side: u64) -> Result<Self, DeviceError> {
        let values = side.saturating_mul(side);
        Ok(Self {
            distances: arrays.array("distances", values)?,
            between: if options.successors {
                arrays.array("vertices between", values)?
            } else {
                Array::none()
            },
            square: match options.method {
                Method::RepeatedSquaring => arrays.array("distances, squared", values)?,
                _ => Array::none(),
            },
            found: arrays.array("what was found", 2)?,
        })
    }
}

impl<D: Device> Gpu<D> {
    /// What it takes to find the paths between all pairs of vertices of a graph, in addition to
    /// it, whatever the memory of the device. No device is needed.
    ///
    /// # Errors
    /// [`PathsError::NeedsGraph`] for [`Method::Search`], which only all cores can do.
    pub fn needs_of_paths<E: Value>(
        graph: &Graph<E>,
        options: &PathOptions,
    ) -> Result<Needs, PathsError> {
        if options.method == Method::Search {
            return Err(PathsError::NeedsGraph);
        }
        // Whatever the device does, the host has the distances and perhaps what leads along them.
        let host = needs(graph, &options.clone().with_method(Method::FloydWarshall));
        let side = u64::from(graph.vertex_count()).next_multiple_of(GRANULE.into());
        let mut planned = Arrays::planned();
        Memory::<D>::room(&mut planned, options, side).map_err(RunError::from)?;
        Ok(Needs { device: planned.into_needs(), ..host })
    }
}

impl<T: DeviceLength, D: Device> AllPairs<T> for Gpu<D> {
    fn all_pairs(
        &self,
        lengths: Matrix<T>,
        options: &PathOptions,
    ) -> Result<(Paths<T>, PathsReport), PathsError> {
        let start = Instant::now();
        let set = match options.method {
            Method::FloydWarshall => T::SETS[usize::from(options.successors)],
            Method::RepeatedSquaring if options.successors => return Err(PathsError::NoSuccessors),
            Method::RepeatedSquaring => T::SETS[2],
            Method::Search => return Err(PathsError::NeedsGraph),
        };
        options.check(0)?;
        let mut matrix = lengths.checked()?;
        options.check(0)?;
        let (n, side) = (matrix.vertex_count(), matrix.side() as u32);
        let tools = self.tools()?;
        let device = &self.device;
        let _part = device.part(|| "paths between all pairs".into());
        let mut planned = Arrays::planned();
        Memory::<D>::room(&mut planned, options, side.into()).map_err(RunError::from)?;
        fits(&planned, &**device, n)?;
        if device.shared() < STAGED {
            let reason = "its blocks have less shared memory than the tiles of a matrix take";
            return Err(RunError::DeviceLimit(reason).into());
        }

        let loading = Instant::now();
        tools.load(&[set]).map_err(RunError::from)?;
        let load_time = loading.elapsed();

        let uploading = Instant::now();
        let signed = matrix.values().par_iter().any(|length| *length < T::ZERO);
        let run = Run { tools, side, n, signed };
        let upload = || -> Result<Memory<D>, DeviceError> {
            let memory = Memory::room(&mut Arrays::on(device), options, side.into())?;
            memory.distances.write(bytemuck::cast_slice(matrix.values()))?;
            memory.found.fill(0)?;
            // `NO_VERTEX`.
            memory.between.fill(0xff)?;
            device.wait()?;
            Ok(memory)
        };
        options.check(0)?;
        let memory = upload().map_err(RunError::from)?;
        let (upload_time, prepare_time) = (uploading.elapsed(), start.elapsed());

        let start = Instant::now();
        let (distances, passes) = match options.method {
            Method::RepeatedSquaring => run.square_until_done::<T>(&memory, options)?,
            _ => run.floyd_warshall::<T>(&memory, options)?,
        };
        let time = start.elapsed();

        let start = Instant::now();
        let found = memory.found.get(1).map_err(RunError::from)?;
        if let Some(vertex) = found.checked_sub(1) {
            return Err(PathsError::NegativeCycle { vertex });
        }
        let values = bytemuck::cast_slice_mut(matrix.values_mut());
        distances.read(0, values).map_err(RunError::from)?;
        let mut paths = Paths::new(matrix);
        if options.successors {
            let mut between = Matrix::filled(n, NO_VERTEX)?;
            memory.between.read(0, between.values_mut()).map_err(RunError::from)?;
            paths = paths.with_between(between);
        }
        let report = DeviceReport {
            load_time,
            upload_time,
            download_time: start.elapsed(),
            launches: run.tools.launches(),
            ..DeviceReport::of(&**device, planned.into_needs())
        };
        let report = PathsReport {
            engine: "cuda",
            method: options.method,
            passes,
            pairs: pairs(options.method, n, passes),
            time,
            prepare_time,
            device: Some(report.into()),
        };
        Ok((paths, report))
    }
}

/// Checks that a plan fits the device, as [`Arrays::check`], with the error that says how much
/// a matrix of this size needs.
fn fits<D: Device>(planned: &Arrays<D>, device: &D, vertices: u32) -> Result<(), PathsError> {
    let available = device.memory().map_err(RunError::from)?.free;
    let needed = planned.bytes();
    if needed <= available {
        return Ok(());
    }
    Err(PathsError::Memory { vertices, needed, available })
}

/// Pairs of lengths that are queued before the host looks whether the run is cancelled: a quarter
/// of a second's on a small GPU, a hundredth's on a large one.
const PAIRS_AT_A_TIME: u64 = 1 << 37;

/// What stays the same from launch to launch.
struct Run<D: Device> {
    tools: Kernels<D, Tools>,
    side: u32,
    n: u32,
    signed: bool,
}

impl<D: Device> Run<D> {
    /// Queues all blocks of vertices, and waits: for some at a time if the run may be cancelled.
    fn floyd_warshall<T: DeviceLength>(
        &self,
        memory: &Memory<D>,
        options: &PathOptions,
    ) -> Result<(Array<D, u32>, u32), RunError> {
        let blocks = self.side / PATH_TILE;
        let pairs = u64::from(self.side).pow(2) * u64::from(PATH_TILE);
        let pace = (PAIRS_AT_A_TIME / pairs.max(1)).max(1);
        for block in 0..blocks {
            if options.cancel.is_some() && u64::from(block) % pace == 0 {
                self.tools.device().wait()?;
                options.check(block)?;
            }
            let a = Blocks {
                side: self.side,
                block,
                signed: self.signed.into(),
                distances: memory.distances.global(),
                negative: crate::device::Global::at(memory.found.global().element(1)),
                between: memory.between.global(),
            };
            let others = blocks - 1;
            // SAFETY: `Memory::room` made the arrays, and `all_pairs` has filled them. Each
            // launch has one block per tile that it computes, and waits for the one before.
            unsafe {
                if options.successors {
                    self.tools.shared::<T::CloseBetween>(1, CLOSE_STAGED, &a)?;
                    self.tools.shared::<T::CrossBetween>(2 * others, STAGED, &a)?;
                    self.tools.shared::<T::RestBetween>(others * others, STAGED, &a)?;
                } else {
                    self.tools.shared::<T::Close>(1, CLOSE_STAGED, &a)?;
                    self.tools.shared::<T::Cross>(2 * others, STAGED, &a)?;
                    self.tools.shared::<T::Rest>(others * others, STAGED, &a)?;
                }
            }
        }
        self.tools.device().wait()?;
        Ok((memory.distances.clone(), blocks))
    }

    /// Squares until nothing changes; returns where the distances are then.
    fn square_until_done<T: DeviceLength>(
        &self,
        memory: &Memory<D>,
        options: &PathOptions,
    ) -> Result<(Array<D, u32>, u32), PathsError> {
        let (mut from, mut to) = (memory.distances.clone(), memory.square.clone());
        let mut squarings = 0;
        while squarings < most_squarings(self.n) {
            options.check(squarings)?;
            memory.found.fill_range(0..1, 0).map_err(RunError::from)?;
            let found = self.square::<T>(options.tile, &from, &to, memory)?;
            squarings += 1;
            (from, to) = (to, from);
            let [changed, negative] = found;
            if changed == 0 || negative != 0 {
                break;
            }
        }
        Ok((from, squarings))
    }

    /// Squares once; returns what was found.
    fn square<T: DeviceLength>(
        &self,
        tile: u32,
        from: &Array<D, u32>,
        to: &Array<D, u32>,
        memory: &Memory<D>,
    ) -> Result<[u32; 2], PathsError> {
        // Vertices that fill up the last tile are computed too, and cannot be reached; what
        // lies beyond it is never read.
        let tiles = self.n.div_ceil(tile.max(1));
        let a = Square {
            side: self.side,
            tiles,
            from: from.global(),
            to: to.global(),
            found: memory.found.global(),
        };
        let blocks = tiles.saturating_mul(tiles);
        let shared = 2 * 4 * tile.saturating_mul(tile);
        // SAFETY: `Memory::room` made the arrays, and `all_pairs` or the squaring before has
        // filled them; one block per tile.
        let queued = unsafe {
            match tile {
                4 => self.tools.shared::<T::Square4>(blocks, shared, &a),
                8 => self.tools.shared::<T::Square8>(blocks, shared, &a),
                16 => self.tools.shared::<T::Square16>(blocks, shared, &a),
                32 => self.tools.shared::<T::Square32>(blocks, shared, &a),
                found => return Err(PathsError::Tile { found }),
            }
        };
        let found = queued.and_then(|()| memory.found.to_vec()).map_err(RunError::from)?;
        Ok([found[0], found[1]])
    }
}
