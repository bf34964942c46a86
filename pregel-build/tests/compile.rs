//! Compiles a small crate from end to end, if there is a compiler for PTX.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::fs;
use std::process::Command;

use common::{Copy, compiler};
use pregel_build::{Build, BuildError, Built, Kernel};

fn text(built: &Built, name: &str) -> String {
    built.images.iter().find(|image| image.name == name).unwrap().text.clone()
}

#[test]
fn a_crate_becomes_images() {
    if !compiler() {
        return;
    }
    let copy = Copy::new("first");
    let built = copy.build().run().unwrap();
    let names: Vec<&str> = built.images.iter().map(|image| image.name.as_str()).collect();
    assert_eq!(names, ["graph", "one", "two"]);

    let facts: Vec<(&str, u32, u32)> = built
        .facts
        .kernels
        .iter()
        .map(|kernel| (kernel.name.as_str(), kernel.block, kernel.barriers))
        .collect();
    let expected = [
        ("graph__fill", 256, 0),
        ("one__init", 256, 0),
        ("one__pull", 256, 1),
        ("two__init", 256, 0),
        ("two__pull", 256, 1),
    ];
    assert_eq!(facts, expected, "a number of barriers other than the source's: see the book");

    assert!(text(&built, "graph").contains("\n// contract of graph: 0000000000000abc\n"));
    let one = text(&built, "one");
    assert!(one.contains("\n// contract of one: 0000000000000001\n"), "{one}");
    assert_eq!(one.matches(".entry").count(), 2);
    assert_eq!(one.matches(".maxntid 256, 1, 1").count(), 2);
    assert!(one.contains("TILE[1024]") && one.contains("TABLE"), "{one}");
    assert!(!one.contains("3Two"), "a function of another program:\n{one}");
    assert!(!text(&built, "graph").contains("TILE"));

    let rust = fs::read_to_string(copy.root.join("images/programs.rs")).unwrap();
    for line in [
        ".program::<::tiny_programs::One>(\"one\", include_str!(\"one.ptx\"))",
        ".program::<::tiny_programs::inner::Two<f32>>(\"two\", include_str!(\"two.ptx\"))",
        ".graph(include_str!(\"graph.ptx\"))",
    ] {
        assert!(rust.contains(line), "{line} is not in:\n{rust}");
    }
    let lib = copy.root.canonicalize().unwrap().join("programs/src/lib.rs");
    assert!(built.sources.contains(&lib), "{:?}", built.sources);

    // Nothing to do: nothing written.
    assert!(built.changed);
    let written =
        |name: &str| fs::metadata(copy.root.join("images").join(name)).unwrap().modified();
    let before = written("one.ptx").unwrap();
    assert!(!copy.build().run().unwrap().changed);
    assert_eq!(written("one.ptx").unwrap(), before);

    // A program that is gone takes its image with it; the others stay as they were.
    copy.change("programs/Cargo.toml", "two = \"inner::Two<f32>\"", "");
    fs::write(copy.root.join("images/other.ptx"), "// a user's own").unwrap();
    let fewer = copy.build().run().unwrap();
    assert!(fewer.changed);
    assert!(!copy.root.join("images/two.ptx").exists());
    assert!(copy.root.join("images/other.ptx").exists());
    assert_eq!(text(&fewer, "one"), one);

    // A compiler that went and came back.
    without_a_compiler(&copy.build());
    assert!(!copy.root.join("images/one.ptx").exists());
    let again = copy.build().run_or_none().unwrap().unwrap();
    assert_eq!(text(&again, "one"), one);
    let rust = fs::read_to_string(copy.root.join("images/programs.rs")).unwrap();
    assert!(rust.contains("include_str!(\"one.ptx\")"), "{rust}");
}

#[test]
fn neither_the_folder_nor_the_environment_shows() {
    if !compiler() {
        return;
    }
    let (first, second) = (Copy::new("a"), Copy::new("some where/else"));
    let built = first.build().run().unwrap();
    let output = second.command(&["build", "--output", "images"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for image in &built.images {
        let name = image.path.file_name().unwrap();
        let other = fs::read_to_string(second.root.join("images").join(name)).unwrap();
        assert_eq!(image.text, other, "{name:?}");
        let folder = first.folder.path().to_str().unwrap();
        assert!(!image.text.contains(folder), "{}", image.text);
    }

    // The same binary agrees with what it committed, and sees a change.
    let check = |copy: &Copy| {
        let output = copy.command(&["check", "--committed", "images"]);
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.code(), text.into_owned())
    };
    let (code, said) = check(&second);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the committed images are right"), "{said}");

    let one = fs::read_to_string(second.root.join("images/one.ptx")).unwrap();
    second.change("images/one.ptx", "st.global", "ld.global");
    let (code, said) = check(&second);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("`one.ptx` differs from line"), "{said}");

    // By another compiler: bytes may differ, barriers may not.
    second.change("images/facts.txt", "# compiler: rustc", "# compiler: another rustc");
    fs::write(second.root.join("images/one.ptx"), one).unwrap();
    let (code, said) = check(&second);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("bytes are not compared"), "{said}");
    let facts = fs::read_to_string(second.root.join("images/facts.txt")).unwrap();
    let pull = facts.lines().find(|line| line.starts_with("one__pull")).unwrap();
    let cells: Vec<&str> = pull.split_whitespace().collect();
    assert_eq!(cells[2], "1");
    second.change("images/facts.txt", pull, &pull.replacen("        1", "        2", 1));
    let (code, said) = check(&second);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("kernel `one__pull`: barriers was 2, is 1"), "{said}");
}

#[test]
fn what_is_wrong_is_said() {
    if !compiler() {
        return;
    }
    let copy = Copy::new("wrong");
    let pull = Kernel { max_barriers: Some(0), ..Kernel::new("pull") };
    let error = copy.build().kernel(pull).run().unwrap_err();
    assert!(matches!(error, BuildError::Ptx { .. }), "{error}");
    assert!(
        error.to_string().contains("`one__pull` has 1 block barriers, its source has at most 0")
    );
    assert!(!copy.root.join("images/one.ptx").exists());

    copy.change("programs/Cargo.toml", "\"One\"", "\"Missing\"");
    let error = copy.build().run().unwrap_err();
    assert!(matches!(error, BuildError::Compile { .. }), "{error}");
    assert!(error.to_string().contains("Missing"), "{error}");

    copy.change("programs/Cargo.toml", "one = ", "graph = ");
    let error = copy.build().run().unwrap_err();
    assert!(matches!(error, BuildError::Programs { .. }), "{error}");

    copy.change("programs/Cargo.toml", "[package.metadata.pregel.programs]", "[[");
    let error = copy.build().run().unwrap_err();
    assert!(matches!(error, BuildError::Manifest { .. }), "{error}");
}

#[test]
fn without_a_compiler_the_command_says_what_to_install() {
    let copy = Copy::new("none");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pregel-build"));
    command.current_dir(&copy.root).args(["build", "programs", "--output", "images"]);
    let output = command.env("PREGEL_RUSTC", "/no/such/rustc").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("PREGEL_RUSTC=/no/such/rustc: cannot be started"), "{said}");
    assert!(said.contains("apt-get install"), "{said}");
    assert!(!copy.root.join("images").exists());
}

/// `programs.rs` of a build with a compiler that is not there.
fn without_a_compiler(build: &Build) -> Vec<String> {
    let tried = build.clone().rustc("/no/such/rustc").run_or_none().unwrap().unwrap_err();
    tried.iter().map(ToString::to_string).collect()
}

#[test]
fn without_a_compiler_there_is_a_list_of_no_images() {
    let copy = Copy::new("none");
    let images = copy.root.join("images");
    fs::create_dir(&images).unwrap();
    fs::write(images.join("one.ptx"), "// one.ptx, made by pregel-build from an old one").unwrap();
    fs::write(images.join("other.ptx"), "// a user's own").unwrap();
    let tried = without_a_compiler(&copy.build());
    assert_eq!(tried.len(), 1);
    assert!(tried[0].starts_with("/no/such/rustc: cannot be started"), "{tried:?}");
    assert!(!images.join("one.ptx").exists(), "an image that no list names");
    assert!(images.join("other.ptx").exists());
    let rust = fs::read_to_string(images.join("programs.rs")).unwrap();
    assert!(rust.contains("pub fn images() -> ::pregel_core::engine::gpu::Images {"), "{rust}");
    assert!(!rust.contains(".program::<") && !rust.contains("include_str!"), "{rust}");

    // What is wrong with the crate is an error all the same.
    copy.change("programs/Cargo.toml", "one = ", "graph = ");
    let error = copy.build().rustc("/no/such/rustc").run_or_none().unwrap_err();
    assert!(matches!(error, BuildError::Programs { .. }), "{error}");
}

#[test]
fn kernels_that_do_not_say_what_they_are_for_are_refused() {
    if !compiler() {
        return;
    }
    let copy = Copy::new("contract");
    copy.change("kernels/src/lib.rs", "\"__contract\"", "\"__promise\"");
    let refused = copy.build().run().unwrap_err().to_string();
    let expected = "the kernels of `one` do not say what they were compiled from";
    assert!(refused.contains(expected), "{refused}");
}
