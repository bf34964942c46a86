//! Which columns of an edge list hold the edges, and whether its first line
//! is a header.

use crate::io::columns::{FROM_TO, WEIGHTS, key, pair, single};
use crate::io::text::fields::Field;
use crate::io::{Columns, ColumnsError, Header, IdKind, LoadOptions, Note};

/// Names that tell a header from names of vertices, besides [`FROM_TO`].
const COLUMNS: &[&str] = &["head", "tail", "start", "end"];

/// The columns of an edge list, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub from: usize,
    pub to: usize,
    pub weight: Option<usize>,
    /// Whether a third column on a line is an error.
    pub two_columns: bool,
}

impl Layout {
    /// Whether the columns come in the usual order, others after them.
    pub fn is_in_order(&self) -> bool {
        self.from == 0 && self.to == 1 && self.weight.is_none_or(|weight| weight == 2)
    }
}

/// The first lines of an edge list that are not comments.
pub(super) struct Sample<'a> {
    pub first: Vec<Field<'a>>,
    /// Empty if there is only one line.
    pub second: Vec<Field<'a>>,
}

/// The columns of a file, and what the user should hear about them.
pub(super) struct Found {
    pub layout: Layout,
    pub note: Option<Note>,
}

impl Sample<'_> {
    /// Whether the first line is a header. `kind` is what the caller says of
    /// the ids.
    pub fn has_header(&self, kind: IdKind, options: &LoadOptions) -> bool {
        match options.header {
            Header::Yes => return true,
            Header::No => return false,
            Header::Auto if options.columns.as_ref().is_some_and(Columns::has_names) => {
                return true;
            }
            Header::Auto => {}
        }
        let keys = self.keys();
        let known =
            |name: &String| FROM_TO.iter().flatten().chain(COLUMNS).any(|known| known == name);
        if pair(&keys).is_some() || keys.len() >= 2 && keys[..2].iter().all(known) {
            return true;
        }
        let over_integers = kind != IdKind::Name
            && self.first.first().is_some_and(|field| !looks_numeric(field))
            && self.second.len() >= 2
            && self.second[..2].iter().all(|field| looks_numeric(field));
        let over_weights = self.first.len() == self.second.len()
            && !self.first.iter().any(|field| is_number(field))
            && self.second.iter().skip(2).any(|field| is_number(field));
        over_integers || over_weights
    }

    /// Which columns hold the edges, `data` being the fields of the first one.
    pub fn columns(
        &self,
        header: bool,
        data: &[Field<'_>],
        options: &LoadOptions,
    ) -> Result<Found, ColumnsError> {
        if let Some(columns) = &options.columns {
            return Ok(Found { layout: self.chosen(header, columns)?, note: None });
        }
        let names = if header { self.keys() } else { Vec::new() };
        let [from, to] = pair(&names).unwrap_or([0, 1]);
        let named = single(&names, |name| WEIGHTS.contains(&name))
            .filter(|weight| ![from, to].contains(weight));
        // Without a header the third column is the weight, or an error.
        let third = from + to == 1 && data.len() > 2 && (names.is_empty() || is_number(&data[2]));
        let weight = named.or(third.then_some(2));
        let layout = Layout { from, to, weight, two_columns: from + to == 1 && data.len() <= 2 };
        let expected = named.map_or(2, |_| 3);
        let note = match (header, data.len()) {
            (false, columns) if columns > 3 => Some(Note::IgnoredColumns { line: 0, columns }),
            (true, columns) if !layout.is_in_order() || columns != expected => {
                let name =
                    |i: usize| Some(String::from_utf8_lossy(self.first.get(i)?).into_owned());
                name(from).zip(name(to)).map(|(from, to)| Note::ColumnsByName {
                    from,
                    to,
                    weight: weight.and_then(name),
                })
            }
            _ => None,
        };
        Ok(Found { layout, note })
    }

    /// The columns that the caller chose.
    fn chosen(&self, header: bool, columns: &Columns) -> Result<Layout, ColumnsError> {
        let names = header.then(|| self.first.iter().map(|name| String::from_utf8_lossy(name)));
        let names: Option<Vec<_>> = names.map(Iterator::collect);
        let picked = columns.find(names.as_deref())?;
        Ok(Layout { from: picked.from, to: picked.to, weight: picked.weight, two_columns: false })
    }

    fn keys(&self) -> Vec<String> {
        self.first.iter().map(|field| key(&String::from_utf8_lossy(field))).collect()
    }
}

fn is_number(field: &[u8]) -> bool {
    std::str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok())
}

/// Whether a field was meant as an integer.
pub(super) fn looks_numeric(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    digits.first().is_some_and(u8::is_ascii_digit)
}

/// The fields of a line of integers, where blanks and commas may be mixed.
pub(super) fn integer_fields(line: &[u8]) -> Vec<Field<'_>> {
    let mut fields: Vec<&[u8]> = Vec::new();
    for part in line.split(|byte| matches!(byte, b',' | b';')) {
        let words = part.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let before = fields.len();
        fields.extend(words);
        if fields.len() == before {
            fields.push(b"");
        }
    }
    while fields.last().is_some_and(|field| field.is_empty()) {
        fields.pop();
    }
    fields.into_iter().map(Field::Borrowed).collect()
}
