//! Compares the emulated GPU's triangles with those of the oracle and of the CPU.

use pregel_core::engine::gpu::Gpu;
use pregel_core::engine::{
    CountTriangles, Cpu, LocalClustering, RunError, Solve, SolveOptions, SolveReport, Solver,
    StopReason,
};
use pregel_emulator::Emulator;

use crate::short_cuts::{judge_clustering, judge_triangles};
use crate::zoo::Case;

/// What a run visited.
fn seen(report: &SolveReport) -> (u64, u64) {
    (report.passes.iter().map(|pass| pass.vertices).sum(), report.edges())
}

/// Compares both solvers with the oracle and with the CPU, in as many runs.
///
/// # Panics
/// If a result is wrong, or there is none.
pub fn compare(engine: &Gpu<Emulator>, case: &Case, runs: u32) {
    try_to_compare(engine, case, runs).unwrap_or_else(|e| panic!("{}: {e}", case.name));
}

fn try_to_compare(engine: &Gpu<Emulator>, case: &Case, runs: u32) -> Result<(), RunError> {
    let (graph, options) = (&case.graph, SolveOptions::default());
    let cpu = Cpu::with_threads(2)?;
    let expected = cpu.solve(LocalClustering, graph, &options)?;
    let mut solver = engine.prepare_solver(LocalClustering, graph, &options)?;
    for _ in 0..runs {
        let found = solver.run()?;
        judge_clustering(case, &found);
        assert_eq!(found.answer, expected.answer, "{}", case.name);
        assert_eq!(seen(&found.report), seen(&expected.report), "{}", case.name);
        assert_eq!((found.report.engine, found.report.stop), ("cuda", StopReason::Halted));
    }
    let expected = cpu.solve(CountTriangles, graph, &options)?.answer;
    let mut solver = engine.prepare_solver(CountTriangles, graph, &options)?;
    for _ in 0..runs {
        let found = solver.run()?.answer;
        judge_triangles(case, &found);
        assert_eq!(found, expected, "{}", case.name);
    }
    Ok(())
}
