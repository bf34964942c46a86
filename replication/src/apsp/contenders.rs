//! What is measured.

use std::time::{Duration, Instant};

use pregel_core::engine::Cpu;
use pregel_core::engine::paths::{
    AllPairs, Matrix, Method, PathOptions, Paths, PathsError, PathsReport,
};

use super::{Run, share};
use crate::device::{self, Cuda};
use crate::{ReplicationError, UseGpu};

type Engine = dyn Fn(Matrix<f32>, &PathOptions) -> Result<(Paths<f32>, PathsReport), PathsError>;

/// An engine and a method.
pub struct Contender {
    /// As in tables.
    pub name: &'static str,
    /// The GPU's name, if it runs there.
    pub device: Option<String>,
    /// Whether it squares in tiles whose size can be chosen.
    pub is_tiled: bool,
    /// Whether there is no point in trying it beyond the paper's sizes.
    slow: bool,
    options: PathOptions,
    engine: Box<Engine>,
}

/// All of them; and why those on a GPU are missing, if they are.
///
/// # Errors
/// If threads cannot be started, or the GPU that is named cannot be used.
pub fn contenders(which: UseGpu) -> Result<(Vec<Contender>, Option<String>), ReplicationError> {
    let options = PathOptions::default();
    let squaring = options.clone().with_method(Method::RepeatedSquaring);
    let one = Cpu::with_threads(1)?;
    let on_cpu = |name, engine: Box<Engine>, options: &PathOptions| Contender {
        name,
        device: None,
        is_tiled: false,
        slow: true,
        options: options.clone(),
        engine,
    };
    let all = |engine: Cpu| -> Box<Engine> { Box::new(move |m, o| engine.all_pairs(m, o)) };
    let mut contenders = vec![
        on_cpu("plain loops, squaring", Box::new(|m, _| plain_loops(m)), &squaring),
        on_cpu("one thread, squaring", all(one.clone()), &squaring),
        on_cpu("one thread, Floyd–Warshall", all(one), &options),
        on_cpu("all cores, squaring", all(Cpu::new()), &squaring),
        on_cpu("all cores, Floyd–Warshall", all(Cpu::new()), &options),
    ];
    let why_none = match device::open(which)? {
        Ok(gpu) => {
            contenders.extend(on_gpu(gpu, &options, &squaring));
            None
        }
        Err(why) => Some(why),
    };
    Ok((contenders, why_none))
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn on_gpu(gpu: Cuda, options: &PathOptions, squaring: &PathOptions) -> Vec<Contender> {
    use std::sync::Arc;

    use pregel_core::engine::gpu::Device;

    let gpu = Arc::new(gpu);
    let device = Some(gpu.device().name());
    // The driver compiles a kernel when it is first used, which no run should be charged with.
    for options in [options, squaring] {
        if let Ok(matrix) = Matrix::unconnected(300) {
            let _ = AllPairs::<f32>::all_pairs(&*gpu, matrix, options);
        }
    }
    let engine = |gpu: &Arc<Cuda>| -> Box<Engine> {
        let gpu = Arc::clone(gpu);
        Box::new(move |m, o| gpu.all_pairs(m, o))
    };
    let of = |name, options: &PathOptions, is_tiled, slow| Contender {
        name,
        device: device.clone(),
        is_tiled,
        slow,
        options: options.clone(),
        engine: engine(&gpu),
    };
    vec![
        of("GPU, squaring in tiles of 16", squaring, true, true),
        of("GPU, Floyd–Warshall", options, false, false),
    ]
}

#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
fn on_gpu(none: Cuda, _: &PathOptions, _: &PathOptions) -> Vec<Contender> {
    match none {}
}

impl Contender {
    /// Runs once.
    pub fn run(&self, lengths: Matrix<f32>) -> Result<(Matrix<f32>, Run), PathsError> {
        self.run_with(lengths, &self.options)
    }

    /// Runs once in tiles of this size.
    pub fn run_tiled(
        &self,
        lengths: Matrix<f32>,
        tile: u32,
    ) -> Result<(Matrix<f32>, Run), PathsError> {
        self.run_with(lengths, &self.options.clone().with_tile(tile))
    }

    fn run_with(
        &self,
        lengths: Matrix<f32>,
        options: &PathOptions,
    ) -> Result<(Matrix<f32>, Run), PathsError> {
        let (paths, report) = (self.engine)(lengths, options)?;
        let PathsReport { time, passes, pairs, .. } = report;
        Ok((paths.distances, Run { seconds: time.as_secs_f64(), passes, pairs }))
    }

    /// Why it is not tried with this many vertices, given its last time and the time left.
    pub fn too_slow(&self, n: u32, last: Option<(u32, f64)>, left: Duration) -> Option<String> {
        if self.slow && n > super::SIZES[super::SIZES.len() - 2] {
            return Some("beyond the paper's sizes only the fastest is tried".to_owned());
        }
        let (size, seconds) = last?;
        // Small runs are slower per pair than large ones.
        let expected = seconds * (f64::from(n) / f64::from(size)).powi(3);
        (seconds > 1e-3 && expected > share(left))
            .then(|| format!("expected to take {expected:.0} s"))
    }
}

/// The paper's sequential program: three loops, one value after another, squaring until
/// nothing changes.
fn plain_loops(lengths: Matrix<f32>) -> Result<(Paths<f32>, PathsReport), PathsError> {
    let n = lengths.vertex_count();
    let mut from = lengths;
    let start = Instant::now();
    let mut passes = 0;
    loop {
        let mut to = from.clone();
        let mut changed = false;
        for i in 0..n {
            for j in 0..n {
                let mut shortest = from.row(i)[j as usize];
                for k in 0..n {
                    shortest = shortest.min(from.row(i)[k as usize] + from.row(k)[j as usize]);
                }
                if shortest < from.row(i)[j as usize] {
                    to.shorten(i, j, shortest);
                    changed = true;
                }
            }
        }
        passes += 1;
        from = to;
        if !changed {
            break;
        }
    }
    let pairs = u64::from(n).pow(3) * u64::from(passes);
    let report = PathsReport::new("plain loops", Method::RepeatedSquaring)
        .with_work(passes, pairs)
        .with_time(start.elapsed());
    Ok((Paths::new(from), report))
}
