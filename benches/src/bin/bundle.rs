//! `cargo bundle [DIR]` builds everything that a machine with an NVIDIA driver, but
//! without cargo, needs to run the GPU suite, the sanitizers and the benchmarks, by
//! default in `target/gpu-bundle`. `./run` there runs all of it and prints a table.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

/// The script for the other machine.
const RUN: &str = include_str!("../../bundle/run");

/// An executable of the bundle.
struct Part {
    /// Its name in the bundle.
    name: &'static str,
    /// Its name among cargo's targets.
    target: &'static str,
    /// The arguments of cargo, separated by spaces.
    arguments: &'static str,
}

const PARTS: [Part; 6] = [
    Part {
        name: "suite",
        target: "gpu",
        arguments: "test --no-run -p pregel-tests --features gpu --test gpu",
    },
    Part { name: "bench", target: "gpu", arguments: "build -p pregel-benches --bin gpu" },
    Part { name: "sorts", target: "sorts", arguments: "build -p pregel-benches --bin sorts" },
    Part { name: "costs", target: "costs", arguments: "build -p pregel-benches --bin costs" },
    Part { name: "pregel", target: "pregel", arguments: "build -p pregel-cli" },
    Part {
        name: "widest-path",
        target: "widest-path",
        arguments: "build --manifest-path examples/widest-path/Cargo.toml \
                    --target-dir target/examples",
    },
];

fn main() -> ExitCode {
    let folder =
        env::args_os().nth(1).map_or_else(|| root().join("target/gpu-bundle"), PathBuf::from);
    match bundle(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Empties the folder, then fills it.
fn bundle(folder: &Path) -> Result<(), Box<dyn Error>> {
    let executables: Vec<(PathBuf, &str)> = PARTS
        .iter()
        .map(|part| Ok((build(part)?, part.name)))
        .collect::<Result<_, Box<dyn Error>>>()?;
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(folder)?,
    }
    for (file, name) in executables {
        fs::copy(&file, folder.join(name)).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    let run = folder.join("run");
    fs::write(&run, RUN)?;
    executable(&run)?;
    let data =
        env::var_os("PREGEL_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if data.exists() {
        copy(&data, &folder.join("data"))?;
    } else {
        eprintln!("no real graphs at {} (PREGEL_DATA): the suite skips them", data.display());
    }
    println!("{}: {} MiB", folder.display(), size(folder)? >> 20);
    Ok(())
}

/// Builds a part and returns its executable.
fn build(part: &Part) -> Result<PathBuf, Box<dyn Error>> {
    let Part { target, arguments, .. } = part;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(arguments.split_whitespace());
    command.args(["--profile", "bundle", "--message-format=json-render-diagnostics"]);
    PROFILE.iter().for_each(|setting| {
        command.args(["--config", setting]);
    });
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("cargo {arguments} failed").into());
    }
    let artifact = |line: &str| -> Option<PathBuf> {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let matches = message["target"]["name"] == *target;
        let file = message["executable"].as_str().filter(|_| matches)?;
        Some(file.into())
    };
    let text = String::from_utf8(output.stdout)?;
    let found = text.lines().filter_map(artifact).next_back();
    found.ok_or_else(|| format!("cargo {arguments} made no executable").into())
}

/// The release profile without what makes builds slow and files large, defined here
/// so that crates outside the workspace have it too. The CPU engine is up to three
/// times slower in it; benchmarks of the CPU engine must use `--release`.
const PROFILE: [&str; 4] = [
    "profile.bundle.inherits='release'",
    "profile.bundle.lto='off'",
    "profile.bundle.codegen-units=16",
    "profile.bundle.strip=true",
];

/// Copies a folder; the copies are writable.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::write(target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// Bytes of all files in a folder.
fn size(folder: &Path) -> std::io::Result<u64> {
    fs::read_dir(folder)?.try_fold(0, |sum, entry| {
        let path = entry?.path();
        Ok(sum + if path.is_dir() { size(&path)? } else { fs::metadata(path)?.len() })
    })
}

#[cfg(unix)]
fn executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
