//! Reads the compiler's PTX, bounds its kernels and cuts it into images.
//!
//! It understands only as much of the language as this needs: a module is a header and a
//! list of items (entries, functions, variables), and an item needs those whose names are
//! among its words.

mod body;
mod scan;

use std::collections::{BTreeMap, BTreeSet};

use crate::hints;
use crate::kernels::{DEFAULT_BLOCK, Kernel, lookup};

/// What an item of a module is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A kernel.
    Entry,
    /// A function with a body.
    Function,
    /// A function without a body.
    Prototype,
    /// A variable of the global, constant or shared space.
    Variable,
    /// Anything else, which no image keeps.
    Other,
}

/// One declaration or definition at the top of a module.
#[derive(Debug)]
struct Item {
    kind: Kind,
    name: String,
    text: String,
}

/// A whole module, as the compiler writes it.
#[derive(Debug)]
pub(crate) struct Module {
    /// Version, target and address size, one line each.
    header: Vec<String>,
    items: Vec<Item>,
}

/// What is counted in the text of one kernel and of the functions that it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Name of the entry.
    pub(crate) name: String,
    /// The most threads per block.
    pub(crate) block: u32,
    /// Block barriers; those of a called function count once.
    pub(crate) barriers: u32,
    /// Bytes of local memory per thread.
    pub(crate) local: u32,
    /// Functions that it calls, itself or through others: those that are not inlined.
    pub(crate) functions: u32,
}

/// The name of the program in the name of an entry, and that of the kernel.
fn parts(entry: &str) -> Option<(&str, &str)> {
    entry.split_once("__")
}

/// The name of a function as in Rust.
pub(crate) fn readable(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

impl Module {
    /// Reads the text of a module, without comments and debug sections. The error says what
    /// is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = scan::without_comments(text);
        let mut module = Self { header: Vec::new(), items: Vec::new() };
        for raw in scan::items(&text)? {
            let directive = raw.split_whitespace().next().unwrap_or_default();
            match directive {
                ".version" | ".address_size" => module.header.push(raw.trim().to_owned()),
                ".target" => module.header.push(raw.trim().replace(", debug", "")),
                ".file" | ".loc" | ".section" => {}
                _ => {
                    let (kind, name) = scan::classify(raw)?;
                    module.items.push(Item { kind, name, text: body::tidy(raw) });
                }
            }
        }
        if module.header.len() != 3 {
            return Err("the header has not exactly a version, a target, an address size".into());
        }
        Ok(module)
    }

    fn entries(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.kind == Kind::Entry)
    }

    /// Programs that have entries, `graph` among them, sorted.
    pub(crate) fn programs(&self) -> BTreeSet<&str> {
        self.entries().filter_map(|item| parts(&item.name)).map(|(program, _)| program).collect()
    }

    /// Indices of an entry and all items that it needs, in a chain of any length.
    fn closure(&self, roots: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, item) in self.items.iter().enumerate() {
            places.entry(&item.name).or_default().push(place);
        }
        let mut open: Vec<usize> = roots.collect();
        let mut found: BTreeSet<usize> = open.iter().copied().collect();
        while let Some(place) = open.pop() {
            for word in scan::words(&self.items[place].text) {
                for &needed in places.get(word).into_iter().flatten() {
                    if found.insert(needed) {
                        open.push(needed);
                    }
                }
            }
        }
        found
    }

    fn needed_by(&self, entry: &Item) -> BTreeSet<usize> {
        let place = self.items.iter().position(|item| std::ptr::eq(item, entry));
        self.closure(place.into_iter())
    }

    /// Writes launch bounds into every entry.
    pub(crate) fn bound(&mut self, kernels: &[Kernel]) {
        for item in self.items.iter_mut().filter(|item| item.kind == Kind::Entry) {
            let kernel = parts(&item.name).and_then(|(_, name)| lookup(kernels, name));
            let block = kernel.map_or(DEFAULT_BLOCK, |kernel| kernel.block);
            let mut bounds = format!(".maxntid {block}, 1, 1\n");
            let in_f64 = body::calculates_in_f64(&item.text);
            if let Some(blocks) = kernel.and_then(|kernel| kernel.blocks(in_f64)) {
                bounds += &format!(".minnctapersm {blocks}\n");
            }
            if let Some(place) = item.text.find('{') {
                item.text.insert_str(place, &bounds);
            }
        }
    }

    /// The number by which the host knows the program: the value of the variable
    /// `PROGRAM__contract`, which is not part of the image.
    pub(crate) fn contract(&self, program: &str) -> Option<u64> {
        let name = format!("{program}__contract");
        let variables = self.items.iter().filter(|item| item.kind == Kind::Variable);
        let item = variables.into_iter().find(|item| item.name == name)?;
        let (_, value) = item.text.split_once('=')?;
        let value = value.trim().trim_end_matches(';').trim();
        // The compiler writes a number or its bytes, the lowest first.
        let Some(bytes) = value.strip_prefix('{').and_then(|bytes| bytes.strip_suffix('}')) else {
            return value.parse().ok();
        };
        let bytes: Option<Vec<u8>> =
            bytes.split(',').map(|byte| byte.trim().parse().ok()).collect();
        // Trailing zeroes are left out.
        let mut all = [0; 8];
        let bytes = bytes.filter(|bytes| bytes.len() <= all.len())?;
        all[..bytes.len()].copy_from_slice(&bytes);
        Some(u64::from_le_bytes(all))
    }

    /// The image of one program: its entries and all that they need, and the number by
    /// which the host knows it.
    pub(crate) fn image(&self, program: &str, first_line: &str) -> String {
        let mine = |item: &Item| {
            item.kind == Kind::Entry && parts(&item.name).is_some_and(|(name, _)| name == program)
        };
        let all = self.items.iter().enumerate();
        let roots = all.filter(|(_, item)| mine(item)).map(|(place, _)| place);
        let contract = self.contract(program).map_or(String::new(), |contract| {
            format!("// contract of {program}: {contract:016x}\n")
        });
        let mut text = format!("// {first_line}\n{contract}{}\n", self.header.join("\n"));
        for place in self.closure(roots) {
            text.push('\n');
            text += &self.items[place].text;
        }
        text
    }

    /// Counts for every kernel, sorted by name.
    pub(crate) fn counts(&self, kernels: &[Kernel]) -> Vec<Counts> {
        let mut all: Vec<Counts> = self
            .entries()
            .map(|entry| {
                let needed = self.needed_by(entry);
                let called = needed.iter().filter(|&&item| self.items[item].kind == Kind::Function);
                let texts = || needed.iter().map(|&place| self.items[place].text.as_str());
                let kernel = parts(&entry.name).and_then(|(_, name)| lookup(kernels, name));
                Counts {
                    name: entry.name.clone(),
                    block: kernel.map_or(DEFAULT_BLOCK, |kernel| kernel.block),
                    barriers: texts().map(body::barriers).sum(),
                    local: texts().map(body::local_bytes).sum(),
                    functions: called.count() as u32,
                }
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Functions that call themselves, directly or through others, each with the kernels that
    /// need it.
    pub(crate) fn recursive(&self) -> Vec<(&str, Vec<&str>)> {
        let functions = || self.items.iter().filter(|item| item.kind == Kind::Function);
        let names: BTreeSet<&str> = functions().map(|item| item.name.as_str()).collect();
        let callees: BTreeMap<&str, BTreeSet<&str>> = functions()
            .map(|item| {
                let body = item.text.split_once('{').map_or("", |(_, body)| body);
                let called = scan::words(body).filter_map(|word| names.get(word).copied());
                (item.name.as_str(), called.collect())
            })
            .collect();
        let reaches_itself = |name: &str| {
            let mut open: Vec<&str> = callees[name].iter().copied().collect();
            let mut seen = BTreeSet::new();
            while let Some(called) = open.pop() {
                if called == name {
                    return true;
                }
                if seen.insert(called) {
                    open.extend(&callees[called]);
                }
            }
            false
        };
        let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for &name in names.iter().filter(|name| reaches_itself(name)) {
            found.insert(name, Vec::new());
        }
        if !found.is_empty() {
            for entry in self.entries() {
                for place in self.needed_by(entry) {
                    if let Some(kernels) = found.get_mut(self.items[place].name.as_str())
                        && self.items[place].kind == Kind::Function
                    {
                        kernels.push(&entry.name);
                    }
                }
            }
        }
        found.into_iter().filter(|(_, kernels)| !kernels.is_empty()).collect()
    }

    /// What makes the module unfit for use; empty if nothing does.
    pub(crate) fn problems(&self, kernels: &[Kernel]) -> Vec<String> {
        let mut problems = Vec::new();
        let bodies: BTreeSet<&str> = self
            .items
            .iter()
            .filter(|item| item.kind == Kind::Function)
            .map(|item| item.name.as_str())
            .collect();
        for entry in self.entries() {
            let name = &entry.name;
            if parts(name).is_none_or(|(program, kernel)| program.is_empty() || kernel.is_empty()) {
                problems.push(format!("entry `{name}` is not named PROGRAM__KERNEL"));
            }
            for place in self.needed_by(entry) {
                let item = &self.items[place];
                if item.kind == Kind::Prototype && !bodies.contains(item.name.as_str()) {
                    let why = hints::missing(&item.name).map(|why| format!(": {why}"));
                    problems.push(format!(
                        "`{name}` calls `{}`, which is nowhere{}",
                        readable(&item.name),
                        why.unwrap_or_default()
                    ));
                }
                if item.kind == Kind::Function && item.name.contains("panicking") {
                    let panic = readable(&item.name);
                    problems.push(format!("`{name}` calls the panic function `{panic}`"));
                }
            }
        }
        for counts in self.counts(kernels) {
            let kernel = parts(&counts.name).and_then(|(_, name)| lookup(kernels, name));
            let Some(most) = kernel.and_then(|kernel| kernel.max_barriers) else { continue };
            if counts.barriers > most {
                problems.push(format!(
                    "`{}` has {} block barriers, its source has at most {most}: the compiler \
                     duplicated one, or pregel-build's list of kernels is out of date",
                    counts.name, counts.barriers
                ));
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests;
