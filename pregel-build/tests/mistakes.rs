//! What those make who have never compiled for a GPU: each is told what to do instead.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::fs;

use common::{Copy, compiler};

/// Writes the programs of the fixture with another first step.
fn write(copy: &Copy, head: &str, step: &str) {
    let text = format!(
        "{head}\nuse pregel_gpu_kernels::Step;\n\
         pub struct One;\nimpl Step for One {{ fn step(x: u32) -> u32 {{ {step} }} }}\n\
         pub mod inner {{ pub struct Two<T>(T);\n\
         impl pregel_gpu_kernels::Step for Two<f32> {{ fn step(x: u32) -> u32 {{ x }} }} }}\n"
    );
    fs::write(copy.root.join("programs/src/lib.rs"), text).unwrap();
}

/// One copy for all of them, since compiling `core` takes longest.
#[test]
fn each_has_a_remedy() {
    if !compiler() {
        return;
    }
    let copy = Copy::new("mistakes");
    // A warning of a crate that the user did not write.
    copy.change("kernels/src/lib.rs", "/// A program.\n", "fn unused() {}\n\n/// A program.\n");
    let refused = |head: &str, step: &str| {
        write(&copy, head, step);
        let said = copy.build().run().unwrap_err().to_string();
        assert!(!said.contains("warning:") && !said.contains("Compiling"), "{said}");
        said
    };
    const NO_STD: &str = "#![no_std]\n";
    for (head, step, remedy) in [
        ("#![no_std]\nextern crate alloc;", "x", "help: device code cannot allocate"),
        (NO_STD, "Vec::<u32>::new().len() as u32", "help: device code cannot allocate"),
        (NO_STD, "let all = vec![x]; all[0]", "help: device code cannot allocate"),
        (NO_STD, "(x as f32).sin() as u32", "`libm::sinf`"),
        (NO_STD, "(x as f64).sqrt() as u32", "`libm::sqrt`"),
        (NO_STD, "(x as f64).mul_add(2.0, 1.0) as u32", "`libm::fma`"),
        (NO_STD, "println!(\"{x}\"); x", "help: device code cannot print"),
        (
            NO_STD,
            "const { assert!(false, \"the aggregate is too large\") }; x",
            "at most 128 bytes",
        ),
    ] {
        let said = refused(head, step);
        assert!(said.contains(remedy), "{step}: {remedy:?} is not in\n{said}");
        assert!(said.contains("error"), "the compiler's own words are missing: {said}");
    }

    let said = refused("", "println!(\"{x}\"); String::new().len() as u32 + x");
    assert!(said.contains("the crate `tiny-programs` needs the standard library"), "{said}");
    assert!(said.contains("begin its `src/lib.rs` with `#![no_std]`"), "{said}");
    assert!(said.lines().count() < 5, "more than one message:\n{said}");

    // This is no mistake: LLVM makes a loop of it, where it once called a function that no GPU has.
    let wide = "let (a, b) = (i128::from(x) << 77 | 99, !i128::from(x) << 54 | 1);";
    write(&copy, NO_STD, &format!("{wide} (a / b ^ a % b) as u32"));
    copy.build().run().unwrap();

    // This compiles, and is no error, since it may be right.
    write(
        &copy,
        "#![no_std]\n#[inline(never)]\nfn ackermann(m: u32, n: u32) -> u32 {\n\
         if m == 0 { n + 1 } else if n == 0 { ackermann(m - 1, 1) } else { ackermann(m - 1, ackermann(m, n - 1)) } }",
        "ackermann(x & 3, x)",
    );
    let built = copy.build().run().unwrap();
    assert_eq!(built.recursion.len(), 1, "{:?}", built.recursion);
    let note = &built.recursion[0];
    assert!(
        note.starts_with("`tiny_programs::ackermann` calls itself (in `one__init` and"),
        "{note}"
    );
    let functions = |name: &str| {
        built.facts.kernels.iter().find(|kernel| kernel.name == name).unwrap().functions
    };
    assert!(functions("one__init") >= 1 && functions("one__init") > functions("two__init"));
}
