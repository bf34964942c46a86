//! Matrix Market coordinate files (Boisvert, Pozo, Remington: "The Matrix
//! Market exchange formats", NISTIR 5935, 1996).

use super::{Fault, Row, Text, fields, number, parse_rows, shown};
use crate::graph::Ids;
use crate::io::assemble::{Parsed, promised_vertices};
use crate::io::input::Input;
use crate::io::registry::{Content, Reader};
use crate::io::{Format, LineError, LoadError, LoadOptions, Weights};

const BANNER: &str = "«%%MatrixMarket matrix coordinate FIELD SYMMETRY»";
const SIZES: &str = "«ROWS COLUMNS ENTRIES»";

/// Reads [`Format::MatrixMarket`].
pub(in crate::io) struct MatrixMarket;

impl Reader for MatrixMarket {
    fn format(&self) -> Format {
        Format::MatrixMarket
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["mtx"]
    }

    fn claims(&self, head: &[u8]) -> bool {
        head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).starts_with(b"%%MatrixMarket")
    }

    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        let text = Text::new(input, "a Matrix Market file")?;
        let mut lines = text.lines(0);
        let Some((_, banner)) = lines.next() else {
            return Err(text.empty(BANNER));
        };
        let Banner { weighted, symmetric } =
            Banner::parse(banner).map_err(|problem| text.error(Fault { at: 0, problem }))?;
        let mut content = lines.filter(|(_, line)| !line.is_empty() && line[0] != b'%');
        let Some((at, sizes)) = content.next() else {
            return Err(text.empty(SIZES));
        };
        let problem = |problem| text.error(Fault { at, problem });
        let (size, entries) = parse_sizes(sizes).map_err(problem)?;
        let start = content.next().map_or(text.bytes.len(), |(at, _)| at);
        let lines = (text.bytes.len() - start) as u64 / 4 + 1;
        let count = promised_vertices(text.path, size, entries.min(lines), options)?;

        let read = weighted && options.weights == Weights::Auto;
        let rows = parse_rows(&text, start, read, |cursor| {
            cursor.skip_blanks();
            if !cursor.peek().is_ascii_digit() && cursor.skip_comment()? {
                return Ok(None);
            }
            let row = cursor.integer_to(size, "a row")?;
            let column = cursor.integer_to(size, "a column")?;
            let mut weight = 0.0;
            if weighted {
                match read {
                    true => weight = cursor.weight()?,
                    false => cursor.skip_field(),
                }
            }
            cursor.end_line()?;
            Ok(Some(Row { ends: [row, column], weight }))
        });
        let rows = rows.map_err(|fault| text.error(fault))?;
        let found = rows.edges.len() as u64;
        if found != entries {
            let (path, line) = (text.path.to_owned(), text.line_of(at));
            return Err(LoadError::Count { path, line, what: "entries", promised: entries, found });
        }
        let weights = read.then_some(rows.weights);
        let parsed = Parsed::new(rows.edges, weights, Ids::range(1, count));
        Ok(Content::Edges(Parsed { undirected: symmetric, ..parsed }))
    }
}

/// The first line.
struct Banner {
    weighted: bool,
    symmetric: bool,
}

impl Banner {
    fn parse(line: &[u8]) -> Result<Self, LineError> {
        let words: Vec<String> = fields(line)
            .into_iter()
            .map(|word| String::from_utf8_lossy(word).to_ascii_lowercase())
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ["%%matrixmarket", object, layout, field, symmetry] = words[..] else {
            return Err(LineError::Header { expected: BANNER, found: shown(line) });
        };
        let unsupported = |what: &str, instead| {
            Err(LineError::Unsupported { what: format!("Matrix Market files of {what}"), instead })
        };
        let wrong = || LineError::Header { expected: BANNER, found: shown(line) };
        match object {
            "matrix" => {}
            "vector" => return unsupported("vectors", "a graph is a matrix"),
            _ => return Err(wrong()),
        }
        match layout {
            "coordinate" => {}
            "array" => return unsupported("dense arrays", "write the matrix as coordinates"),
            _ => return Err(wrong()),
        }
        let weighted = match field {
            "pattern" => false,
            "integer" | "real" | "double" => true,
            "complex" => return unsupported("complex numbers", "weights are real"),
            _ => return Err(wrong()),
        };
        let symmetric = match symmetry {
            "general" => false,
            "symmetric" => true,
            "skew-symmetric" => {
                return unsupported("skew-symmetric matrices", "write both halves as general");
            }
            "hermitian" => return unsupported("hermitian matrices", "weights are real"),
            _ => return Err(wrong()),
        };
        Ok(Self { weighted, symmetric })
    }
}

/// The number of rows, equal to that of columns, and of entries.
fn parse_sizes(line: &[u8]) -> Result<(u64, u64), LineError> {
    let numbers: Option<Vec<u64>> = fields(line).into_iter().map(number).collect();
    match numbers.as_deref() {
        Some([rows, columns, entries]) if rows == columns => Ok((*rows, *entries)),
        Some([rows, columns, _]) => Err(LineError::Unsupported {
            what: format!("{rows} × {columns} matrices"),
            instead: "a graph has as many rows as columns",
        }),
        _ => Err(LineError::Header { expected: SIZES, found: shown(line) }),
    }
}
