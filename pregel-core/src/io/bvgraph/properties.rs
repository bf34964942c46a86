//! The `.properties` file of a BVGraph, in the syntax of Java.

use super::bits::Code;
use crate::io::PropertyError;
use crate::io::text::shown;

const CLASS: &str = "graphclass";
const FLAGS: &str = "flags such as «OUTDEGREES_DELTA | RESIDUALS_GAMMA»";

/// What a decoder has to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub nodes: u32,
    pub arcs: u64,
    /// How far references reach.
    pub window: u64,
    /// Length of the shortest interval; 0 if there are no intervals.
    pub shortest_interval: u64,
    /// Whether bits begin at the lowest of each byte.
    pub little: bool,
    pub codes: Codes,
}

/// How each number is coded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codes {
    pub outdegrees: Code,
    pub references: Code,
    pub block_counts: Code,
    pub blocks: Code,
    pub intervals: Code,
    pub residuals: Code,
}

/// A line with a property.
struct Line {
    number: u64,
    key: String,
    value: String,
}

/// The properties of a file.
pub(super) struct Properties(Vec<Line>);

impl Properties {
    /// Reads lines of a key, `=`, `:` or blanks, and a value. A backslash
    /// means the character after it.
    pub fn parse(bytes: &[u8]) -> Self {
        let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
        let property = |(number, line): (u64, &[u8])| {
            let line = String::from_utf8_lossy(line);
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '!']) {
                return None;
            }
            let (mut key, mut value) = (String::new(), String::new());
            let mut rest = line.chars();
            while let Some(char) = rest.next() {
                match char {
                    '\\' => key.extend(rest.next()),
                    '=' | ':' => break,
                    blank if blank.is_whitespace() => {
                        let after = rest.as_str().trim_start();
                        rest = after.strip_prefix(['=', ':']).unwrap_or(after).chars();
                        break;
                    }
                    other => key.push(other),
                }
            }
            let mut rest = rest.as_str().trim_start().chars();
            while let Some(char) = rest.next() {
                let char = if char == '\\' { rest.next() } else { Some(char) };
                value.extend(char);
            }
            Some(Line { number, key, value })
        };
        Self(lines.filter_map(property).collect())
    }

    /// Whether they are those of a graph, in any format of WebGraph.
    pub fn name_a_class(&self) -> bool {
        self.find(CLASS).is_some()
    }

    /// The last line with this key, as in Java.
    fn find(&self, key: &str) -> Option<&Line> {
        self.0.iter().rev().find(|line| line.key == key)
    }

    fn get<T>(
        &self,
        key: &str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, PropertyError> {
        let Some(line) = self.find(key) else { return Ok(None) };
        parse(&line.value).map(Some).ok_or_else(|| line.refuse(expected))
    }

    /// The layout of the graph, without the number of nodes, and that.
    ///
    /// # Errors
    /// If the graph is in another format, or a property is missing or wrong.
    pub fn layout(&self) -> Result<(u64, Layout), PropertyError> {
        let missing = |key: &str| PropertyError::Missing { key: key.to_owned() };
        let class = self.find(CLASS).ok_or_else(|| missing(CLASS))?;
        if let Some(underlying) = self.find("underlyinggraph") {
            let underlying = shown(underlying.value.as_bytes());
            return Err(PropertyError::Labelled { underlying });
        }
        // Graphs of more than 2^31 nodes have a class of the same name.
        if class.value.rsplit('.').next() != Some("BVGraph") {
            return Err(class.refuse("it.unimi.dsi.webgraph.BVGraph"));
        }
        self.get("version", "0 or 1", |version| matches!(version, "0" | "1").then_some(()))?;
        let little = self.get("endianness", "big or little", |order| match order {
            "big" => Some(false),
            "little" => Some(true),
            _ => None,
        })?;
        let count = |key| self.get(key, "a non-negative integer", |value| value.parse().ok());
        let layout = Layout {
            nodes: 0,
            arcs: count("arcs")?.ok_or_else(|| missing("arcs"))?,
            window: count("windowsize")?.unwrap_or(7),
            shortest_interval: count("minintervallength")?.unwrap_or(4),
            little: little == Some(true),
            codes: self.codes(little.is_some())?,
        };
        Ok((count("nodes")?.ok_or_else(|| missing("nodes"))?, layout))
    }

    /// Reads the flags. The Java library never states the order of bytes; it
    /// has a flag of its own for block counts, which the Rust library codes
    /// as blocks.
    fn codes(&self, states_order: bool) -> Result<Codes, PropertyError> {
        let positive = |value: &str| value.parse().ok().filter(|k| *k > 0);
        let k = self.get("zetak", "a positive integer", positive)?.unwrap_or(3);
        let mut codes = Codes {
            outdegrees: Code::Gamma,
            references: Code::Unary,
            block_counts: Code::Gamma,
            blocks: Code::Gamma,
            intervals: Code::Gamma,
            residuals: Code::Zeta { k },
        };
        let Some(line) = self.find("compressionflags") else { return Ok(codes) };
        let mut block_counts = None;
        for flag in line.value.split('|').map(str::trim).filter(|flag| !flag.is_empty()) {
            let flag = flag.to_ascii_uppercase();
            let known = flag.rsplit_once('_').and_then(|(what, name)| Some((what, code(name, k)?)));
            let (what, code) = known.ok_or_else(|| line.refuse(FLAGS))?;
            match what {
                "OUTDEGREES" => codes.outdegrees = code,
                "REFERENCES" => codes.references = code,
                "BLOCK_COUNT" => block_counts = Some(code),
                "BLOCKS" => codes.blocks = code,
                "INTERVALS" => codes.intervals = code,
                "RESIDUALS" => codes.residuals = code,
                // They are in a file that is not read.
                "OFFSETS" => {}
                _ => return Err(line.refuse(FLAGS)),
            }
        }
        let default = if states_order { codes.blocks } else { codes.block_counts };
        codes.block_counts = block_counts.unwrap_or(default);
        Ok(codes)
    }
}

impl Line {
    fn refuse(&self, expected: &'static str) -> PropertyError {
        let (line, key) = (self.number, shown(self.key.as_bytes()));
        PropertyError::Value { line, key, expected, found: shown(self.value.as_bytes()) }
    }
}

/// The code of this name in a flag.
fn code(name: &str, k: u64) -> Option<Code> {
    let digit = |name: &str| name.parse().ok().filter(|digit| (1..8).contains(digit));
    match name {
        "UNARY" => Some(Code::Unary),
        "GAMMA" => Some(Code::Gamma),
        "DELTA" => Some(Code::Delta),
        "ZETA" => Some(Code::Zeta { k }),
        "GOLOMB" => Some(Code::Golomb { modulus: k }),
        "NIBBLE" => Some(Code::Nibble),
        "OMEGA" => Some(Code::Omega),
        _ => match (name.strip_prefix("ZETA"), name.strip_prefix("PI")) {
            (Some(k), _) => Some(Code::Zeta { k: digit(k)? }),
            (_, Some(k)) => Some(Code::Pi { k: digit(k)? as u32 }),
            _ => None,
        },
    }
}
