//! Long calls: without the interpreter, and ended by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pregel_core::engine::Cancel;
use pyo3::prelude::*;

use crate::errors::{EngineError, Failure};

/// How often the interpreter is asked whether a signal has arrived.
const ASK: Duration = Duration::from_millis(20);

/// The process that imported the module.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Remembers in which process the module was imported.
pub fn note_process() {
    PROCESS.get_or_init(std::process::id);
}

/// Runs `work` in a thread of its own, while other Python threads run. This thread waits, and
/// handles signals: if a handler raises an exception, as that of Ctrl-C does, `work` is
/// cancelled and the exception is raised here.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    if PROCESS.get() != Some(&std::process::id()) {
        // The threads that would do the work were not copied.
        return Err(EngineError::new_err(
            "pregel was imported before this process was forked, so that it has no threads here; \
             start processes by multiprocessing.get_context(\"spawn\") or \"forkserver\"",
        ));
    }
    let cancel = Cancel::new();
    let (result, raised) = py.detach(|| wait_for(&cancel, work));
    match raised {
        Some(error) => Err(error),
        None => result.map_err(PyErr::from),
    }
}

fn wait_for<T: Send>(
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T, Failure> + Send,
) -> (Result<T, Failure>, Option<PyErr>) {
    thread::scope(|scope| {
        let (done, finished) = channel::<()>();
        let worker = thread::Builder::new().name("pregel".into()).spawn_scoped(scope, move || {
            let result = work(cancel);
            drop(done);
            result
        });
        let worker = match worker {
            Ok(worker) => worker,
            Err(error) => {
                return (Err(Failure::Engine(format!("cannot start a thread: {error}"))), None);
            }
        };
        let mut raised = None;
        while finished.recv_timeout(ASK) == Err(RecvTimeoutError::Timeout) {
            if raised.is_none() {
                raised = Python::attach(|py| py.check_signals()).err();
                if raised.is_some() {
                    cancel.cancel();
                }
            }
        }
        let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        (result, raised)
    })
}
