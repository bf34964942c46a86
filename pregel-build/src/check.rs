//! Compares committed images with those that the sources give now.

use std::collections::BTreeMap;
use std::path::Path;

use crate::assemble::{ARCHITECTURES, Assembler};
use crate::build::{Build, Built, FACTS, RUST, images_in};
use crate::error::BuildError;
use crate::facts::{Facts, KernelFacts};
use crate::files;

/// What a comparison with committed images found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What was compared, and what could not be; one sentence each.
    pub notes: Vec<String>,
    /// What differs, one sentence each; empty if the committed files are right.
    pub differences: Vec<String>,
}

impl Build {
    /// Builds and compares with a folder of committed images.
    ///
    /// If the same version of the compiler made them, they must be equal byte for byte.
    /// Otherwise they must have the same kernels with the same block sizes and numbers of
    /// barriers, and `ptxas`, if there is one, must assemble them.
    ///
    /// # Errors
    ///
    /// Whatever [`Build::run`] may return, committed files that cannot be read,
    /// and committed images that `ptxas` refuses.
    pub fn compare(&self, committed: &Path) -> Result<Comparison, BuildError> {
        let built = self.beside()?;
        let mut result = Comparison::default();
        let kept: Facts = files::read(&committed.join(FACTS))?.parse()?;
        if kept.compiler == built.compiler.version {
            result.notes.push(format!("same compiler, {}: bytes are compared", kept.compiler));
            result.compare_bytes(&built, committed)?;
        } else {
            result.notes.push(format!(
                "the committed images are by {}, this compiler is {}: bytes are not compared",
                kept.compiler, built.compiler.version
            ));
            result.compare_names(&built, committed)?;
        }
        result.compare_facts(&built.facts, &kept);
        let rust = files::read(&committed.join(RUST))?;
        if rust != files::read(&built.output.join(RUST))? {
            result.differences.push(format!("`{RUST}` differs"));
        }
        result.assemble(&built, committed)?;
        Ok(result)
    }
}

impl Comparison {
    fn compare_bytes(&mut self, built: &Built, committed: &Path) -> Result<(), BuildError> {
        self.compare_names(built, committed)?;
        for image in &built.images {
            let path = committed.join(format!("{}.ptx", image.name));
            if !path.is_file() {
                continue;
            }
            let old = files::read(&path)?;
            if old != image.text {
                let same = old.lines().zip(image.text.lines()).take_while(|(a, b)| a == b).count();
                let name = &image.name;
                self.differences.push(format!("`{name}.ptx` differs from line {} on", same + 1));
            }
        }
        Ok(())
    }

    /// Compares which images there are.
    fn compare_names(&mut self, built: &Built, committed: &Path) -> Result<(), BuildError> {
        let stem =
            |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let old: Vec<String> = images_in(committed)?.iter().map(|path| stem(path)).collect();
        let new: Vec<&String> = built.images.iter().map(|image| &image.name).collect();
        for name in new.iter().filter(|name| !old.contains(name)) {
            self.differences.push(format!("`{name}.ptx` is not committed"));
        }
        for name in old.iter().filter(|name| !new.contains(name)) {
            self.differences
                .push(format!("`{name}.ptx` is committed, but there is no such program"));
        }
        Ok(())
    }

    fn compare_facts(&mut self, new: &Facts, old: &Facts) {
        let by_name = |facts: &Facts| -> BTreeMap<String, KernelFacts> {
            facts.kernels.iter().map(|kernel| (kernel.name.clone(), kernel.clone())).collect()
        };
        let (new_kernels, old_kernels) = (by_name(new), by_name(old));
        let same_compiler = new.compiler == old.compiler;
        let same_assembler = new.assembler == old.assembler && new.assembler.is_some();
        if !(same_compiler && same_assembler) {
            self.notes.push(format!(
                "registers and spills are not compared: committed by {}, now {}",
                old.assembler.as_deref().unwrap_or("no ptxas"),
                new.assembler.as_deref().unwrap_or("no ptxas"),
            ));
        }
        for (name, kernel) in &new_kernels {
            let Some(kept) = old_kernels.get(name) else {
                self.differences.push(format!("kernel `{name}` is not in the committed `{FACTS}`"));
                continue;
            };
            let mut numbers = |what: &str, old: u32, new: u32| {
                if old != new {
                    self.differences.push(format!("kernel `{name}`: {what} was {old}, is {new}"));
                }
            };
            numbers("barriers", kept.barriers, kernel.barriers);
            numbers("block size", kept.block, kernel.block);
            if same_compiler {
                numbers("local memory", kept.local, kernel.local);
                numbers("functions", kept.functions, kernel.functions);
            }
            if same_compiler && same_assembler {
                let pairs = kept.resources.iter().zip(&kernel.resources);
                for ((old, new), architecture) in pairs.zip(ARCHITECTURES) {
                    numbers(&format!("registers on {architecture}"), old.registers, new.registers);
                    numbers(&format!("spills on {architecture}"), old.spills, new.spills);
                    numbers(&format!("stack on {architecture}"), old.stack, new.stack);
                    numbers(&format!("shared memory on {architecture}"), old.shared, new.shared);
                }
            }
        }
        for name in old_kernels.keys().filter(|name| !new_kernels.contains_key(*name)) {
            self.differences.push(format!("kernel `{name}` is in the committed `{FACTS}` only"));
        }
    }

    /// Assembles the committed images themselves, if those that were built and assembled just
    /// now differ.
    fn assemble(&mut self, built: &Built, committed: &Path) -> Result<(), BuildError> {
        let Some(assembler) = Assembler::find()? else {
            self.notes.push("not assembled: no ptxas (name one in PREGEL_PTXAS)".to_owned());
            return Ok(());
        };
        let images = images_in(committed)?;
        let mut others = Vec::new();
        for path in &images {
            let text = files::read(path)?;
            let same = built.images.iter().any(|image| image.text == text);
            if !same || built.facts.assembler.as_ref() != Some(&assembler.version) {
                others.push(&**path);
            }
        }
        for found in assembler.run_all(&others) {
            match found {
                Ok(_) => {}
                Err(error @ BuildError::Assemble { .. }) => {
                    self.differences.push(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        let (count, list) = (images.len(), ARCHITECTURES.join(", "));
        self.notes.push(format!("{}: assembled {count} images for {list}", assembler.version));
        Ok(())
    }
}
