//! Generates the crate that exports the kernels of all programs, and compiles it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::compiler::{Compiler, TARGET};
use crate::error::BuildError;
use crate::files;
use crate::hints;
use crate::manifest::{Manifest, cargo};

/// Version of `pregel-gpu-kernels` that goes with this crate.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Flags of the compiler; the book says why.
const FLAGS: [&str; 7] = [
    // The oldest device and the oldest PTX that the kernels need.
    "-Ctarget-cpu=sm_80",
    "-Ctarget-feature=+ptx78",
    // This pass duplicates barriers into branches (rust-lang/rust#137086).
    "-Zmir-enable-passes=-JumpThreading",
    // A panic is a trap: no message and no path.
    "-Zunstable-options",
    "-Cpanic=immediate-abort",
    "-Zlocation-detail=none",
    // Fat LTO has merged everything: there is nothing to link.
    "-Clinker=true",
];

/// The generated crate.
#[derive(Debug)]
pub(crate) struct Device<'a> {
    /// The folder for it and for cargo's output.
    pub(crate) work: &'a Path,
    /// The crate of programs.
    pub(crate) manifest: &'a Manifest,
    /// Folder of `pregel-gpu-kernels`; `None` takes it from the registry.
    pub(crate) kernels: Option<&'a Path>,
}

/// The result of compiling.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The PTX of all programs together.
    pub(crate) ptx: String,
    /// Source files that it depends on, those of registries apart.
    pub(crate) sources: Vec<PathBuf>,
}

/// The folder of `pregel-gpu-kernels`, if it is next to this crate.
pub(crate) fn neighbour() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.join("pregel-gpu-kernels");
    folder.join("Cargo.toml").is_file().then_some(folder)
}

impl Device<'_> {
    fn cargo_toml(&self) -> String {
        let quoted = |path: &Path| format!("{:?}", path.display().to_string());
        let kernels = match self.kernels {
            Some(path) => format!("path = {}", quoted(path)),
            None => format!("version = \"{VERSION}\""),
        };
        let Manifest { package, folder, .. } = self.manifest;
        let folder = quoted(folder);
        format!(
            "# Made by pregel-build.\n\
             [workspace]\n\n\
             [package]\nname = \"pregel-device\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             publish = false\n\n\
             [lib]\ncrate-type = [\"cdylib\"]\n\n\
             [dependencies]\n\
             pregel-gpu-kernels = {{ {kernels}, default-features = false }}\n\
             {package} = {{ path = {folder}, default-features = false }}\n\n\
             # A profile of its own, which no configuration of the user changes.\n\
             [profile.device]\ninherits = \"release\"\nopt-level = 3\nlto = \"fat\"\n\
             codegen-units = 1\npanic = \"abort\"\ndebug = 0\nstrip = \"none\"\n\
             overflow-checks = false\ndebug-assertions = false\n"
        )
    }

    fn lib_rs(&self) -> String {
        let mut text = String::from(
            "//! Made by pregel-build.\n\
             #![no_std]\n\
             #![allow(warnings)]\n\
             #![feature(abi_ptx, asm_experimental_arch, core_intrinsics)]\n\
             #![feature(link_llvm_intrinsics, stdarch_nvptx)]\n\n\
             pregel_gpu_kernels::runtime!();\n",
        );
        for program in &self.manifest.programs {
            text += &format!("pregel_gpu_kernels::export!({}: {});\n", program.name, program.path);
        }
        text
    }

    /// Writes the crate. Its dependencies have the versions that the workspace of the
    /// programs has locked.
    fn write(&self) -> Result<(), BuildError> {
        files::write(&self.work.join("Cargo.toml"), &self.cargo_toml())?;
        files::write(&self.work.join("src/lib.rs"), &self.lib_rs())?;
        if cfg!(unix) {
            files::write(&self.work.join("rustc.sh"), WRAPPER)?;
            files::make_executable(&self.work.join("rustc.sh"))?;
        }
        let locked = self.manifest.workspace.join("Cargo.lock");
        if locked.is_file() {
            let text = files::read(&locked)?;
            let copy = self.work.join("workspace.lock");
            // Cargo adapts the lock file to the crate; start again only if that of the
            // workspace has changed.
            if !copy.is_file() || files::read(&copy)? != text {
                files::write(&self.work.join("Cargo.lock"), &text)?;
                files::write(&copy, &text)?;
            }
        }
        Ok(())
    }

    /// Compiles the programs; cargo skips what is fresh.
    pub(crate) fn compile(&self, compiler: &Compiler) -> Result<Compiled, BuildError> {
        self.write()?;
        let ptx = self.work.join("device.ptx");
        if !ptx.is_file() {
            // Cargo does not know this file: make it see a change.
            files::touch(&self.work.join("src/lib.rs"))?;
        }
        let mut output = self.run(compiler, &ptx, false)?;
        if !output.status.success() && is_offline(&output) {
            output = self.run(compiler, &ptx, true)?;
        }
        if !output.status.success() {
            let krate = self.manifest.package.clone();
            let output = hints::explain(&String::from_utf8_lossy(&output.stderr));
            return Err(BuildError::Compile { krate, output });
        }
        let listed = self.work.join("target").join(TARGET).join("device/pregel_device.d");
        let mut sources = sources(&files::read(&listed)?);
        sources.retain(|source| !source.starts_with(self.work));
        Ok(Compiled { ptx: files::read(&ptx)?, sources })
    }

    fn run(&self, compiler: &Compiler, ptx: &Path, offline: bool) -> Result<Output, BuildError> {
        let mut flags: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
        let roots = [Some(self.work), Some(&*self.manifest.workspace), self.kernels];
        for root in roots.into_iter().flatten() {
            let mut flag = OsString::from("--remap-path-prefix=");
            flag.push(root);
            flag.push("=.");
            flags.push(flag);
        }
        let mut emit = OsString::from("--emit=asm=");
        emit.push(ptx);

        let cargo = cargo();
        let mut command = Command::new(&cargo);
        for (name, _) in std::env::vars_os() {
            if disturbs(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        command
            .env("RUSTC", &compiler.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTC_WORKSPACE_WRAPPER", "")
            .env("RUSTC_WRAPPER", if cfg!(unix) { self.work.join("rustc.sh") } else { "".into() })
            // Overrides every other source of flags, configuration files included.
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join(std::ffi::OsStr::new("\u{1f}")))
            .current_dir(self.work)
            .args(["rustc", "--lib", "--profile", "device", "--target", TARGET])
            .args(["-Zbuild-std=core", "--color=never", "--target-dir"])
            .arg(self.work.join("target"));
        if offline {
            command.arg("--offline");
        }
        command.arg("--").arg(emit);
        command.output().map_err(|source| BuildError::Start { command: cargo, source })
    }
}

/// Runs between cargo and rustc. Cargo gives every crate a number derived from its absolute
/// path, and this number is part of all symbols; name and version instead make the output
/// independent of folders.
const WRAPPER: &str = "#!/bin/sh\n\
    # Made by pregel-build: symbols must not depend on the folder of a crate.\n\
    for argument do\n\
    \x20   shift\n\
    \x20   case \"$argument\" in\n\
    \x20       metadata=*) set -- \"$@\" \"metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION\" ;;\n\
    \x20       *) set -- \"$@\" \"$argument\" ;;\n\
    \x20   esac\n\
    done\n\
    exec \"$@\"\n";

/// Whether an environment variable could change how the kernels are compiled; cargo sets
/// some of these for build scripts.
fn disturbs(name: &str) -> bool {
    const KEPT: [&str; 5] =
        ["CARGO_HOME", "CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_"];
    const OTHERS: [&str; 10] = [
        "DEBUG",
        "HOST",
        "NUM_JOBS",
        "OPT_LEVEL",
        "OUT_DIR",
        "PROFILE",
        "RUSTC",
        "RUSTDOC",
        "RUSTFLAGS",
        "TARGET",
    ];
    let foreign = ["CARGO_", "DEP_", "RUSTC_", "RUSTDOCFLAGS"];
    let kept = KEPT.iter().any(|prefix| name.starts_with(prefix));
    !kept && (OTHERS.contains(&name) || foreign.iter().any(|prefix| name.starts_with(prefix)))
}

/// Whether cargo failed because it could not reach a registry.
fn is_offline(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    ["network", "failed to download", "Could not resolve host", "failed to query replaced source"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// The files on the right of a dependency file of cargo.
fn sources(text: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in text.lines() {
        let Some((_, list)) = line.split_once(": ") else { continue };
        // A space in a path is written with a backslash before it.
        let list = list.replace("\\ ", "\u{0}");
        files.extend(list.split_whitespace().map(|file| file.replace('\u{0}', " ").into()));
    }
    files.sort();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_build_scripts_are_cleared() {
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "TARGET",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_CFG_TARGET_OS",
            "CARGO_MAKEFLAGS",
            "OUT_DIR",
            "OPT_LEVEL",
            "DEP_Z_ROOT",
        ] {
            assert!(disturbs(name), "{name}");
        }
        for name in ["PATH", "HOME", "CARGO_HOME", "CARGO_NET_OFFLINE", "RUSTUP_TOOLCHAIN", "CARGO"]
        {
            assert!(!disturbs(name), "{name}");
        }
    }

    #[test]
    fn dependency_files_may_have_spaces() {
        let text = "/t/x.ptx: /a/lib.rs /my\\ code/b.rs\n";
        assert_eq!(sources(text), [Path::new("/a/lib.rs"), Path::new("/my code/b.rs")]);
    }
}
