//! Which engine runs a call.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use pregel_core::engine::gpu::{Cuda, CudaDevice, GpuKept};
use pregel_core::engine::{
    ConnectedComponents, CountTriangles, Cpu, Engine, Fastest, FastestKept, LocalClustering,
    RunError, Solve,
};
use pregel_core::program::Value;
use pyo3::prelude::*;

use crate::data::Left;
use crate::errors::{Failure, value};

/// What the user asks for by `engine=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// All cores or a GPU, whichever is done sooner.
    Auto,
    /// All cores.
    Cpu,
    /// The GPU of this number.
    Cuda(u32),
}

impl Choice {
    /// Reads `auto`, `cpu`, `cuda` or `cuda:N`.
    pub fn parse(name: &str) -> PyResult<Self> {
        match name {
            "auto" => return Ok(Self::Auto),
            "cpu" => return Ok(Self::Cpu),
            "cuda" => return Ok(Self::Cuda(0)),
            _ => {}
        }
        let ordinal = name.strip_prefix("cuda:").and_then(|number| number.parse().ok());
        ordinal.map(Self::Cuda).ok_or_else(|| {
            value(format!(
                "there is no engine «{name}»; engines are \"auto\", \"cpu\", \"cuda\" and \
                 \"cuda:1\" for the second GPU"
            ))
        })
    }

    /// Does the job on this engine.
    pub fn run<J: Job>(self, job: J) -> Result<J::Output, Failure> {
        Ok(match self {
            Self::Auto => job.run(fastest())?,
            Self::Cpu => job.run(&Cpu::new())?,
            Self::Cuda(ordinal) => job.run(&cuda(ordinal)?)?,
        })
    }
}

impl Choice {
    /// The GPU for a problem that is no program, unless a CPU takes it: `auto` takes a GPU if
    /// there is one and the problem is not `small`.
    pub fn gpu(self, small: bool) -> Result<Option<Cuda>, Failure> {
        match self {
            Self::Cuda(ordinal) => cuda(ordinal).map(Some),
            Self::Auto if !small => Ok(cuda(0).ok()),
            _ => Ok(None),
        }
    }
}

/// All that the bundled algorithms need of an engine.
pub trait Able:
    Engine + Solve<ConnectedComponents> + Solve<LocalClustering> + Solve<CountTriangles>
{
    /// Where the engine has kept states.
    fn left<T: Value>(kept: Self::Kept<T>) -> Left<T>;
}

impl Able for Cpu {
    fn left<T: Value>(kept: Vec<T>) -> Left<T> {
        Left::Host(kept)
    }
}

impl Able for Cuda {
    fn left<T: Value>(kept: GpuKept<CudaDevice, T>) -> Left<T> {
        Left::Gpu(kept)
    }
}

impl Able for Fastest<CudaDevice> {
    fn left<T: Value>(kept: FastestKept<CudaDevice, T>) -> Left<T> {
        kept.into_gpu().map_or_else(Left::Host, Left::Gpu)
    }
}

/// Something that any engine does.
pub trait Job {
    /// What comes of it.
    type Output;

    /// Does it on this engine.
    fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError>;
}

/// The engine that chooses. It opens the GPU when it needs it first, and keeps it.
fn fastest() -> &'static Fastest<CudaDevice> {
    static FASTEST: OnceLock<Fastest<CudaDevice>> = OnceLock::new();
    FASTEST.get_or_init(|| Fastest::find(pregel_algos::images()))
}

/// The engine on this GPU, which stays open.
fn cuda(ordinal: u32) -> Result<Cuda, Failure> {
    static OPEN: Mutex<Option<HashMap<u32, Cuda>>> = Mutex::new(None);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    if let Some(engine) = open.get(&ordinal) {
        return Ok(engine.clone());
    }
    let engine = Cuda::open(ordinal, pregel_algos::images()).map_err(|error| {
        Failure::Engine(format!("engine=\"cuda:{ordinal}\": {error}; engine=\"cpu\" needs no GPU"))
    })?;
    open.insert(ordinal, engine.clone());
    Ok(engine)
}

/// The names of the NVIDIA GPUs of this machine, in the order of `cuda:0`, `cuda:1` and so on.
#[pyfunction]
pub fn gpus(py: Python<'_>) -> Vec<String> {
    py.detach(|| {
        let name = |ordinal| cuda(ordinal).ok().map(|engine| device_name(&engine));
        (0..).map_while(name).collect()
    })
}

fn device_name(engine: &Cuda) -> String {
    use pregel_core::engine::gpu::Device;
    engine.device().name().to_string()
}
