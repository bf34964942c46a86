//! The whole way from a crate of programs to a folder of images.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::assemble::Assembler;
use crate::compiler::Compiler;
use crate::device::{self, Device};
use crate::error::{BuildError, Tried};
use crate::facts::{Facts, KernelFacts};
use crate::files;
use crate::kernels::{Kernel, kernels};
use crate::manifest::Manifest;
use crate::ptx::{Module, readable};

/// Name of the image of the kernels that belong to no program.
const GRAPH: &str = "graph";

/// Name of the Rust file that holds the images for a host crate.
pub(crate) const RUST: &str = "programs.rs";

/// Number of the form of the table of facts, so that one of another form is not used again.
const FORMAT: u32 = 2;

/// Name of the table of facts.
pub(crate) const FACTS: &str = "facts.txt";

/// Part of the first line of every image, by which files of this crate are recognised.
const MARK: &str = "made by pregel-build";

/// Compiles one crate of programs to PTX images.
///
/// ```no_run
/// let built = pregel_build::Build::new("programs").output("programs/ptx").run()?;
/// for image in &built.images {
///     println!("{}: {} bytes", image.name, image.text.len());
/// }
/// # Ok::<(), pregel_build::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Build {
    krate: PathBuf,
    output: Option<PathBuf>,
    work: Option<PathBuf>,
    kernels_crate: Option<PathBuf>,
    kernels: Vec<Kernel>,
    rustc: Option<PathBuf>,
    assemble: bool,
}

/// The result of a build.
#[derive(Clone, Debug)]
pub struct Built {
    /// One image per program, sorted by name, and `graph`.
    pub images: Vec<Image>,
    /// What is known about each kernel.
    pub facts: Facts,
    /// The compiler that was used.
    pub compiler: Compiler,
    /// The folder of the images, `programs.rs` and `facts.txt`.
    pub output: PathBuf,
    /// Files that the images depend on. When one changes, build again.
    pub sources: Vec<PathBuf>,
    /// Whether anything in the output folder has changed.
    pub changed: bool,
    /// Functions of the programs that call themselves, one sentence each. The functions of
    /// `core` are left out: it limits their depth.
    pub recursion: Vec<String>,
}

/// The PTX of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Name of the program, or `graph`.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Its text: a PTX module that needs no other module.
    pub text: String,
}

impl Build {
    /// A build of the crate in a folder, with default settings.
    pub fn new(krate: impl Into<PathBuf>) -> Self {
        Self {
            krate: krate.into(),
            output: None,
            work: None,
            kernels_crate: device::neighbour(),
            kernels: kernels(),
            rustc: None,
            assemble: true,
        }
    }

    /// Where to write the images; default: `images` in the folder for
    /// intermediate files. Images there of programs that no longer exist are removed.
    #[must_use]
    pub fn output(mut self, folder: impl Into<PathBuf>) -> Self {
        self.output = Some(folder.into());
        self
    }

    /// Where to keep intermediate files; default: `pregel/CRATE` in cargo's target
    /// folder.
    #[must_use]
    pub fn work(mut self, folder: impl Into<PathBuf>) -> Self {
        self.work = Some(folder.into());
        self
    }

    /// The folder of `pregel-gpu-kernels`; default: next to this crate, otherwise that of
    /// the same version from the registry.
    #[must_use]
    pub fn kernels_crate(mut self, folder: impl Into<PathBuf>) -> Self {
        self.kernels_crate = Some(folder.into());
        self
    }

    /// Says how a kernel is launched, in place of what [`kernels`](crate::kernels()) says.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernels.push(kernel);
        self
    }

    /// The compiler; default: [`Compiler::find`].
    #[must_use]
    pub fn rustc(mut self, rustc: impl Into<PathBuf>) -> Self {
        self.rustc = Some(rustc.into());
        self
    }

    /// Whether to assemble the images, if there is a `ptxas`, to see which registers and
    /// memory they need; default: yes. The environment variable `PREGEL_PTXAS` names it;
    /// otherwise it is found in `PATH`.
    #[must_use]
    pub fn assemble(mut self, yes: bool) -> Self {
        self.assemble = yes;
        self
    }

    /// Compiles, checks and writes the images. If nothing has changed, this takes about
    /// half a second and writes nothing.
    ///
    /// # Errors
    ///
    /// If there is no compiler, the list of programs is wrong, a program does not compile,
    /// the PTX is not fit for use, or a file cannot be read or written. No image is left
    /// half written.
    pub fn run(&self) -> Result<Built, BuildError> {
        let manifest = Manifest::read(&self.krate)?;
        let compiler = self.compiler()?;
        let (work, output) = self.folders(&manifest)?;

        let kernels = match &self.kernels_crate {
            Some(folder) => Some(folder.canonicalize().map_err(BuildError::io("find", folder))?),
            None => None,
        };
        let device = Device { work: &work, manifest: &manifest, kernels: kernels.as_deref() };
        let compiled = device.compile(&compiler)?;
        let unfit = |problem| BuildError::Ptx { krate: manifest.package.clone(), problem };
        let mut module = Module::parse(&compiled.ptx).map_err(unfit)?;
        check(&module, &manifest, &self.kernels).map_err(unfit)?;
        module.bound(&self.kernels);

        let mut changed = false;
        let mut images = Vec::new();
        for name in module.programs() {
            let head = format!("{name}.ptx, {MARK} from the crate {}", manifest.package);
            let text = module.image(name, &head);
            no_paths(&text, &[&work, &manifest.workspace]).map_err(unfit)?;
            let path = output.join(format!("{name}.ptx"));
            changed |= files::write(&path, &text)?;
            images.push(Image { name: name.to_owned(), path, text });
        }
        let facts = self.facts(&module, &images, &compiler, &work)?;
        changed |= files::write(&output.join(FACTS), &facts.to_string())?;
        changed |= files::write(&output.join(RUST), &rust(&manifest, &images))?;
        changed |= remove_others(&output, &images)?;

        let mut sources = compiled.sources;
        sources.push(manifest.folder.join("Cargo.toml"));
        sources.push(manifest.workspace.join("Cargo.toml"));
        sources.extend(kernels.iter().map(|folder| folder.join("Cargo.toml")));
        sources.push(manifest.workspace.join("Cargo.lock"));
        sources.retain(|source| source.is_file());
        sources.sort();
        sources.dedup();
        let recursion = recursion(&module);
        Ok(Built { images, facts, compiler, output, sources, changed, recursion })
    }

    /// As [`run`](Self::run), except where no compiler can translate Rust to PTX. Then
    /// `programs.rs` has no images, so that a crate that includes it still builds, images
    /// of earlier builds are removed, and the compilers that were tried are returned.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), except for [`BuildError::NoCompiler`].
    pub fn run_or_none(&self) -> Result<Result<Built, Vec<Tried>>, BuildError> {
        let tried = match self.run() {
            Err(BuildError::NoCompiler(tried)) => tried,
            built => return built.map(Ok),
        };
        let manifest = Manifest::read(&self.krate)?;
        let (_, output) = self.folders(&manifest)?;
        let none = Manifest { programs: Vec::new(), ..manifest };
        files::write(&output.join(RUST), &rust(&none, &[]))?;
        remove_others(&output, &[])?;
        Ok(Err(tried))
    }

    /// The folder for intermediate files, which is created, and that for the images.
    fn folders(&self, manifest: &Manifest) -> Result<(PathBuf, PathBuf), BuildError> {
        let work = match &self.work {
            Some(folder) => folder.clone(),
            None => manifest.target.join("pregel").join(&manifest.package),
        };
        files::make_folder(&work)?;
        let work = work.canonicalize().map_err(BuildError::io("find", &work))?;
        let output = self.output.clone().unwrap_or_else(|| work.join("images"));
        Ok((work, output))
    }

    /// A build whose output is among the intermediate files.
    pub(crate) fn beside(&self) -> Result<Built, BuildError> {
        Self { output: None, ..self.clone() }.run()
    }

    fn compiler(&self) -> Result<Compiler, BuildError> {
        let Some(rustc) = &self.rustc else { return Compiler::find() };
        Compiler::probe(rustc).map_err(|reason| {
            let place = rustc.display().to_string();
            BuildError::NoCompiler(vec![Tried { place, reason }])
        })
    }

    /// The table of facts. Assembling takes seconds, so the last one is kept, with a hash of
    /// what it was made from.
    fn facts(
        &self,
        module: &Module,
        images: &[Image],
        compiler: &Compiler,
        work: &Path,
    ) -> Result<Facts, BuildError> {
        let assembler = if self.assemble { Assembler::find()? } else { None };
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), FORMAT, &compiler.version).hash(&mut hasher);
        assembler.as_ref().map(|assembler| &assembler.version).hash(&mut hasher);
        for image in images {
            (&image.name, &image.text).hash(&mut hasher);
        }
        let key = format!("{:016x}\n", hasher.finish());
        let (kept, kept_key) = (work.join(FACTS), work.join("facts.key"));
        if fs::read_to_string(&kept_key).is_ok_and(|old| old == key)
            && let Ok(facts) = files::read(&kept).and_then(|text| text.parse())
        {
            return Ok(facts);
        }
        let mut facts = Facts {
            compiler: compiler.version.clone(),
            assembler: assembler.as_ref().map(|assembler| assembler.version.clone()),
            kernels: Vec::new(),
        };
        for counts in module.counts(&self.kernels) {
            let (name, block) = (counts.name, counts.block);
            let (barriers, local, functions) = (counts.barriers, counts.local, counts.functions);
            let resources = Vec::new();
            facts.kernels.push(KernelFacts { name, block, barriers, local, functions, resources });
        }
        if let Some(assembler) = assembler {
            let paths: Vec<&Path> = images.iter().map(|image| &*image.path).collect();
            for found in assembler.run_all(&paths) {
                let mut found = found?;
                for kernel in &mut facts.kernels {
                    kernel.resources.extend(found.remove(&kernel.name));
                }
            }
        }
        files::write(&kept, &facts.to_string())?;
        files::write(&kept_key, &key)?;
        Ok(facts)
    }
}

/// Checks the module; the error lists everything that is wrong.
fn check(module: &Module, manifest: &Manifest, kernels: &[Kernel]) -> Result<(), String> {
    let mut problems = module.problems(kernels);
    let found = module.programs();
    let listed = || manifest.programs.iter().map(|program| program.name.as_str());
    for missing in listed().filter(|name| !found.contains(name)) {
        problems.push(format!("program `{missing}` has no kernels"));
    }
    for name in found.iter().filter(|name| **name != GRAPH && !listed().any(|one| one == **name)) {
        problems.push(format!("there are kernels of `{name}`, which is not in the list"));
    }
    for name in found.iter().filter(|name| module.contract(name).is_none()) {
        problems.push(format!("the kernels of `{name}` do not say what they were compiled from"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Says which functions call themselves.
fn recursion(module: &Module) -> Vec<String> {
    let mut notes = Vec::new();
    for (function, kernels) in module.recursive() {
        let function = readable(function);
        if function.starts_with("core::") {
            continue;
        }
        let others = match kernels.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        notes.push(format!(
            "`{function}` calls itself (in `{}`{others}): a thread of a GPU has a small stack, which \
             nothing guards. Use a loop",
            kernels[0]
        ));
    }
    notes
}

/// Checks that no path of this machine is in an image.
fn no_paths(text: &str, folders: &[&Path]) -> Result<(), String> {
    let home = std::env::home_dir();
    let folders = folders.iter().copied().chain(home.as_deref());
    for folder in folders.filter(|folder| folder.components().count() > 1) {
        if text.contains(&*folder.to_string_lossy()) {
            return Err(format!("the path `{}` is in it", folder.display()));
        }
    }
    Ok(())
}

/// The Rust file that a host crate includes.
fn rust(manifest: &Manifest, images: &[Image]) -> String {
    let Manifest { package, library, programs, .. } = manifest;
    let mut text = format!(
        "// Made by pregel-build from the crate {package}; do not edit.\n\n\
         /// The compiled programs of the crate `{library}`, for the GPU engine.\n\
         #[must_use]\n\
         pub fn images() -> ::pregel_core::engine::gpu::Images {{\n\
         \x20   ::pregel_core::engine::gpu::Images::new()\n"
    );
    for program in programs {
        let (name, path) = (&program.name, &program.path);
        text += &format!("        .program::<{path}>(\"{name}\", include_str!(\"{name}.ptx\"))\n");
    }
    if images.iter().any(|image| image.name == GRAPH) {
        text += &format!("        .graph(include_str!(\"{GRAPH}.ptx\"))\n");
    }
    text + "}\n"
}

/// Removes images of earlier builds; returns whether there were any.
fn remove_others(folder: &Path, images: &[Image]) -> Result<bool, BuildError> {
    let mut removed = false;
    for path in images_in(folder)? {
        if images.iter().all(|image| image.path.file_name() != path.file_name()) {
            fs::remove_file(&path).map_err(BuildError::io("remove", &path))?;
            removed = true;
        }
    }
    Ok(removed)
}

/// The images of this crate in a folder, sorted.
pub(crate) fn images_in(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(BuildError::io("list", folder))? {
        let path = entry.map_err(BuildError::io("list", folder))?.path();
        let is_ptx = path.extension().is_some_and(|suffix| suffix == "ptx");
        if is_ptx && files::read(&path)?.lines().next().is_some_and(|line| line.contains(MARK)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
