//! Errors as Python exceptions.

use pregel_core::engine::RunError;
use pregel_core::graph::generate::SpecError;
use pregel_core::graph::{BuildError, CsrError, IdError, NormalizeError};
use pregel_core::io::LoadError;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    pregel,
    EngineError,
    PyRuntimeError,
    "An engine cannot run this: there is no such GPU, it failed, or it has no kernels."
);

/// Why a call failed, before it is a Python exception: worker threads cannot make one.
#[derive(Debug)]
pub enum Failure {
    Run(RunError),
    Memory(String),
    Engine(String),
    Value(String),
    Os(std::io::Error),
    Python(PyErr),
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<CsrError> for Failure {
    fn from(error: CsrError) -> Self {
        match error {
            CsrError::Asymmetric { .. } => {
                Self::Value(format!("{error}; pass directed=True if edges have a direction"))
            }
            error => Self::Value(error.to_string()),
        }
    }
}

impl From<IdError> for Failure {
    fn from(error: IdError) -> Self {
        Self::Value(error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Memory { .. } => Self::Memory(error.to_string()),
            error => Self::Value(error.to_string()),
        }
    }
}

impl From<NormalizeError> for Failure {
    fn from(error: NormalizeError) -> Self {
        Self::Value(error.to_string())
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::Value(error.to_string())
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Io { path, source } => {
                let text = format!("cannot read {}: {source}", path.display());
                Self::Os(std::io::Error::new(source.kind(), text))
            }
            error => Self::Value(with_sources(&error)),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Run(error) => of_run(&error),
            Failure::Memory(text) => PyMemoryError::new_err(text),
            Failure::Engine(text) => EngineError::new_err(text),
            Failure::Value(text) => PyValueError::new_err(text),
            Failure::Os(error) => error.into(),
            Failure::Python(error) => error,
        }
    }
}

/// The message of an error and of what caused it.
fn with_sources(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn of_run(error: &RunError) -> PyErr {
    let text = error.to_string();
    match error {
        RunError::TooLarge { .. } => PyMemoryError::new_err(text),
        RunError::NoKernels { .. } | RunError::OtherKernels { .. } => EngineError::new_err(
            format!("{text} (engine=\"cpu\", or \"auto\" to use a GPU only where one can be used)"),
        ),
        RunError::DeviceLimit(_) | RunError::Device(_) | RunError::Threads { .. } => {
            EngineError::new_err(text)
        }
        _ => PyValueError::new_err(text),
    }
}

/// A value that cannot be used, and what could be.
pub fn value(text: impl Into<String>) -> PyErr {
    PyValueError::new_err(text.into())
}

/// A type that cannot be used, and what could be.
pub fn wrong_type(text: impl Into<String>) -> PyErr {
    PyTypeError::new_err(text.into())
}
