//! What a run must have in common with the one that it resumes.

use std::any::type_name;
use std::fmt::{self, Debug};

use super::hash;
use crate::engine::RunOptions;
use crate::graph::Graph;
use crate::program::{Monoid, Program, VertexCompute};

/// Names and values that identify a run; `docs/formats.md` lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts(Vec<(String, String)>);

/// A fact in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// What differs, such as `damping`.
    pub name: String,
    /// Its value in the run that was saved; `None` if that run had none.
    pub saved: Option<String>,
    /// Its value in the run that was to resume it; `None` if this run has none.
    pub now: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, saved, now } = self;
        match saved {
            None => write!(f, "without {name}, but this run has ")?,
            Some(saved) => write!(f, "with {name} {saved}, but this run has ")?,
        }
        match now {
            None => f.write_str("none"),
            Some(now) if saved.is_none() => write!(f, "{name} {now}"),
            Some(now) => f.write_str(now),
        }
    }
}

impl Facts {
    /// The facts of a run, preceded by the `given` ones. Hashes the graph: O(V + E), parallel.
    pub fn of<P: VertexCompute + Debug>(
        given: &[(String, String)],
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        options: &RunOptions,
    ) -> Self {
        let mut facts = Self(given.to_vec());
        facts.add_fields(program);
        facts.add("program type", type_name::<P>());
        facts.add_type::<P::State>("state type");
        facts.add_type::<<P::Aggregate as Monoid>::Value>("aggregate type");
        facts.add_type::<P::Input>("input type");
        facts.add("direction", if graph.directed() { "directed" } else { "undirected" });
        facts.add("vertices", graph.vertex_count());
        facts.add("edges", graph.edge_count());
        facts.add_hash("hash of the edges", hash::edges(graph));
        if size_of::<<P as Program>::Edge>() > 0 {
            facts.add_hash("hash of the edge values", hash::values(graph.out_values()));
        }
        facts.add_hash("hash of the ids", hash::ids(graph));
        if size_of::<P::Input>() > 0 {
            facts.add_hash("hash of the inputs", hash::values(inputs));
        }
        facts.add("deterministic", if options.deterministic { "yes" } else { "no" });
        facts.add("version", env!("CARGO_PKG_VERSION"));
        facts
    }

    fn add(&mut self, name: &str, value: impl fmt::Display) {
        self.0.push((name.to_owned(), value.to_string()));
    }

    fn add_hash(&mut self, name: &str, hash: u64) {
        self.add(name, format_args!("{hash:016x}"));
    }

    fn add_type<T>(&mut self, name: &str) {
        let (size, align) = (size_of::<T>(), align_of::<T>());
        self.add(name, format_args!("{} of {size} bytes, aligned to {align}", type_name::<T>()));
    }

    /// Adds every field of the program. Taking them from its `Debug` output, which has one
    /// field per line, means that none can be forgotten.
    fn add_fields(&mut self, program: &impl Debug) {
        for line in format!("{program:#?}").lines() {
            let line = line.trim().trim_end_matches(',');
            match line.split_once(": ") {
                Some((name, value)) => self.add(name, value),
                // The closing line of a struct, tuple or list.
                None if matches!(line, "}" | ")" | "]") => {}
                None => self.add("program", line.trim_end_matches([' ', '{', '(', '['])),
            }
        }
    }

    /// The differences between these facts, of a saved run, and those of the run `now`.
    pub fn differences(&self, now: &Self) -> Vec<Difference> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in now.0.iter().chain(&self.0) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let list = |values: &[&str]| (!values.is_empty()).then(|| values.join(", "));
        let compare = |name: &str| {
            let (saved, now) = (self.values(name), now.values(name));
            let difference =
                || Difference { name: name.to_owned(), saved: list(&saved), now: list(&now) };
            (saved != now).then(difference)
        };
        names.into_iter().filter_map(compare).collect()
    }

    /// All values with this name, in order.
    fn values(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|(other, _)| other == name);
        values.map(|(_, value)| value.as_str()).collect()
    }

    /// The facts as text, one per line.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.0 {
            escape(name, &mut text);
            text.push('\t');
            escape(value, &mut text);
            text.push('\n');
        }
        text
    }

    /// Reads what [`encode`](Self::encode) writes; `None` if the text is malformed.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let fact = |line: &str| {
            let (name, value) = line.strip_suffix('\n')?.split_once('\t')?;
            Some((unescape(name)?, unescape(value)?))
        };
        text.split_inclusive('\n').map(fact).collect::<Option<_>>().map(Self)
    }
}

/// Characters that would end a name or a line, and the letters that replace them.
const ESCAPES: [(char, char); 4] = [('\\', '\\'), ('\t', 't'), ('\n', 'n'), ('\r', 'r')];

fn escape(text: &str, to: &mut String) {
    for c in text.chars() {
        match ESCAPES.iter().find(|(plain, _)| *plain == c) {
            Some((_, letter)) => to.extend(['\\', *letter]),
            None => to.push(c),
        }
    }
}

fn unescape(text: &str) -> Option<String> {
    let (mut plain, mut rest) = (String::new(), text.chars());
    while let Some(c) = rest.next() {
        plain.push(match c {
            '\\' => {
                let letter = rest.next()?;
                ESCAPES.iter().find(|(_, known)| *known == letter)?.0
            }
            c => c,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[derive(Debug)]
    #[allow(dead_code, reason = "fields are printed only")]
    struct Mine {
        damping: f64,
        limits: Limits,
    }

    #[derive(Debug)]
    #[allow(dead_code, reason = "fields are printed only")]
    struct Limits(u32, f32);

    fn fields(program: &impl Debug) -> Facts {
        let mut facts = Facts::default();
        facts.add_fields(program);
        facts
    }

    #[test]
    fn every_field_of_a_program_is_a_fact() {
        let facts = fields(&Mine { damping: 0.85, limits: Limits(3, 1e-6) });
        assert_eq!(facts.values("program"), ["Mine", "3", "1e-6"]);
        assert_eq!(facts.values("damping"), ["0.85"]);
        let other = fields(&Mine { damping: 0.85, limits: Limits(3, 2e-6) });
        let differences = other.differences(&facts);
        assert_eq!(differences.len(), 1);
        let said = differences[0].to_string();
        assert_eq!(said, "with program Mine, 3, 2e-6, but this run has Mine, 3, 1e-6");
    }

    #[test]
    fn a_difference_says_both_values() {
        let of = |pairs: &[(&str, &str)]| {
            Facts(pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
        };
        let says = |saved: &[_], now: &[_]| {
            let all: Vec<String> =
                of(saved).differences(&of(now)).iter().map(Difference::to_string).collect();
            all.join("; ")
        };
        assert_eq!(says(&[("a", "1"), ("b", "2")], &[("a", "1"), ("b", "2")]), "");
        assert_eq!(says(&[("a", "1")], &[("a", "2")]), "with a 1, but this run has 2");
        assert_eq!(says(&[], &[("a", "2")]), "without a, but this run has a 2");
        assert_eq!(says(&[("a", "1")], &[]), "with a 1, but this run has none");
        // An empty value is a value, and a comma does not make two of one.
        assert_eq!(says(&[("a", "")], &[]), "with a , but this run has none");
        assert_eq!(says(&[("a", "1"), ("a", "2")], &[("a", "1, 2")]).matches("1, 2").count(), 2);
    }

    #[test]
    fn text_is_read_back() {
        let odd = "tab\t, line\nend\r, back\\slash, «ä»";
        let facts = Facts(vec![(odd.into(), odd.into()), (String::new(), String::new())]);
        let text = facts.encode();
        assert_eq!(text.lines().count(), 2);
        assert_eq!(Facts::decode(text.as_bytes()).unwrap(), facts);
        for bad in ["no tab\n", "a\tb", "a\tb\\", "a\t\\x\n"] {
            assert_eq!(Facts::decode(bad.as_bytes()), None, "{bad:?}");
        }
        assert_eq!(Facts::decode(&[0xFF, b'\t', b'\n']), None);
    }
}
