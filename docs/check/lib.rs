//! Only documentation tests: the Rust blocks of README and book.

/// Compiles and runs the Rust blocks of a page.
macro_rules! page {
    ($name:ident, $path:literal) => {
        #[cfg(doctest)]
        #[doc = include_str!($path)]
        struct $name;
    };
}

page!(Readme, "../../README.md");
page!(Tutorial, "../src/tutorial.md");
page!(Concepts, "../src/concepts.md");
page!(EngineGuide, "../src/engine.md");
page!(LongRuns, "../src/long-runs.md");
page!(GpuEngine, "../src/gpu-engine.md");
page!(Planner, "../src/planner.md");
page!(FastPrograms, "../src/fast-programs.md");
page!(Algorithms, "../src/algorithms.md");
page!(Gallery, "../src/gallery.md");
page!(Cookbook, "../src/cookbook.md");
