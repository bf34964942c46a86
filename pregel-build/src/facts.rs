//! The table of facts about each kernel, as text that is committed and compared.

use std::fmt;
use std::str::FromStr;

use crate::assemble::{ARCHITECTURES, Resources};
use crate::error::BuildError;

/// Facts about every kernel of a crate of programs.
///
/// As text it is a table with one line per kernel, sorted; `FromStr` reads it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The compiler, as in [`crate::Compiler::version`].
    pub compiler: String,
    /// The assembler, `None` if there was none.
    pub assembler: Option<String>,
    /// The kernels, sorted by name.
    pub kernels: Vec<KernelFacts>,
}

/// Facts about one kernel of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    /// Name of its entry, such as `bfs__pull`.
    pub name: String,
    /// The most threads per block.
    pub block: u32,
    /// Block barriers in its PTX, those of functions it calls included.
    pub barriers: u32,
    /// Bytes of local memory per thread that its PTX declares.
    pub local: u32,
    /// Functions that it calls, itself or through others, instead of having their code inlined.
    pub functions: u32,
    /// What it needs on sm_80, sm_90 and sm_120; empty without an assembler.
    pub resources: Vec<Resources>,
}

impl Facts {
    /// Remarks on kernels that are likely to be slow: local memory and spills.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for kernel in &self.kernels {
            if kernel.local > 0 {
                notes.push(format!("{}: {} bytes of local memory", kernel.name, kernel.local));
            }
            for (resources, architecture) in kernel.resources.iter().zip(ARCHITECTURES) {
                if resources.spills > 0 {
                    let Resources { spills, .. } = resources;
                    notes
                        .push(format!("{}: {spills} bytes spilled on {architecture}", kernel.name));
                }
            }
        }
        notes
    }
}

const COMPILER: &str = "# compiler: ";
const ASSEMBLER: &str = "# assembler: ";

impl fmt::Display for Facts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "# Made by pregel-build; do not edit.")?;
        writeln!(out, "{COMPILER}{}", self.compiler)?;
        writeln!(out, "{ASSEMBLER}{}", self.assembler.as_deref().unwrap_or("none"))?;
        writeln!(out, "# block: threads; local, spills, stack, shared: bytes")?;
        let names = self.kernels.iter().map(|kernel| kernel.name.len());
        let width = names.max().unwrap_or(0).max("# kernel".len());
        write!(out, "{:width$} block barriers local functions", "# kernel")?;
        if self.assembler.is_some() {
            for architecture in ARCHITECTURES {
                write!(out, " | {architecture:>6}: registers spills stack shared")?;
            }
        }
        writeln!(out)?;
        for kernel in &self.kernels {
            let KernelFacts { name, block, barriers, local, functions, resources } = kernel;
            write!(out, "{name:width$} {block:5} {barriers:8} {local:5} {functions:9}")?;
            for Resources { registers, spills, stack, shared } in resources {
                write!(out, " | {registers:17} {spills:6} {stack:5} {shared:6}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

impl FromStr for Facts {
    type Err = BuildError;

    fn from_str(text: &str) -> Result<Self, BuildError> {
        let mut facts = Self { compiler: String::new(), assembler: None, kernels: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            if let Some(compiler) = line.strip_prefix(COMPILER) {
                facts.compiler = compiler.to_owned();
            } else if let Some(assembler) = line.strip_prefix(ASSEMBLER) {
                facts.assembler = (assembler != "none").then(|| assembler.to_owned());
            } else if !line.starts_with('#') && !line.trim().is_empty() {
                let wrong = |problem| BuildError::Facts { line: index + 1, problem };
                facts.kernels.push(row(line).map_err(wrong)?);
            }
        }
        Ok(facts)
    }
}

/// One line of the table.
fn row(line: &str) -> Result<KernelFacts, String> {
    let mut cells = line.split_whitespace().filter(|cell| *cell != "|");
    let name = cells.next().unwrap_or_default().to_owned();
    let numbers: Vec<u32> = cells
        .map(|cell| cell.parse().map_err(|_| format!("`{cell}` is not a number")))
        .collect::<Result<_, _>>()?;
    let (&[block, barriers, local, functions], rest) =
        numbers.split_first_chunk().ok_or_else(|| format!("too few numbers for `{name}`"))?;
    if !rest.is_empty() && rest.len() != 4 * ARCHITECTURES.len() {
        return Err(format!("{} numbers for `{name}`", numbers.len()));
    }
    let resources = rest.chunks_exact(4).map(|four| Resources {
        registers: four[0],
        spills: four[1],
        stack: four[2],
        shared: four[3],
    });
    Ok(KernelFacts { name, block, barriers, local, functions, resources: resources.collect() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn sample(assembled: bool) -> Facts {
        let resources = Resources { registers: 40, spills: 8, stack: 16, shared: 1024 };
        let kernel = |name: &str, local| KernelFacts {
            name: name.to_owned(),
            block: 256,
            barriers: 2,
            local,
            functions: 3,
            resources: if assembled { vec![resources; 3] } else { Vec::new() },
        };
        Facts {
            compiler: "rustc 1.96.0 (ac68faa20), LLVM 22.1.8".to_owned(),
            assembler: assembled.then(|| "ptxas 13.0.88".to_owned()),
            kernels: vec![kernel("bfs__init", 0), kernel("bfs__pull_of_long_name", 24)],
        }
    }

    #[test]
    fn the_table_is_read_back() {
        for facts in [sample(true), sample(false)] {
            assert_eq!(facts.to_string().parse::<Facts>().unwrap(), facts);
        }
    }

    #[test]
    fn columns_stand_under_their_names() {
        let text = sample(true).to_string();
        let lines: Vec<&str> = text.lines().skip(4).collect();
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
    }

    #[test]
    fn a_damaged_table_names_the_line() {
        let error = "# x\nbfs__init 256 two 0 0\n".parse::<Facts>().unwrap_err().to_string();
        assert_eq!(error, "line 2 of the facts table: `two` is not a number");
        let error = "bfs__init 256\n".parse::<Facts>().unwrap_err().to_string();
        assert!(error.contains("too few numbers"), "{error}");
        let error = "bfs__init 256 0 0 0 7\n".parse::<Facts>().unwrap_err().to_string();
        assert!(error.contains("5 numbers"), "{error}");
    }

    #[test]
    fn notes_name_what_is_likely_to_be_slow() {
        let notes = sample(true).notes();
        assert_eq!(notes.len(), 7);
        assert_eq!(notes[0], "bfs__init: 8 bytes spilled on sm_80");
        assert_eq!(notes[3], "bfs__pull_of_long_name: 24 bytes of local memory");
    }
}
