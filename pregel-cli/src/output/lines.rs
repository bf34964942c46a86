//! Values as text, one line for each vertex.

use std::fmt::Write as _;
use std::io::{self, Write};

use pregel_core::graph::{Id, Ids};
use pregel_core::program::VertexId;
use rayon::prelude::*;

use crate::output::column::{Column, Headings};

/// Vertices that one thread formats at a time.
const BLOCK: u32 = 1 << 14;

/// Writes a line of id, `separator` and value for every vertex, after a header
/// line if the separator is a comma or the headings ask for one. All threads format blocks of
/// lines, which are written in order.
pub fn write(
    out: &mut (dyn Write + Send),
    separator: char,
    ids: &Ids,
    headings: &Headings,
    columns: &[Column],
) -> io::Result<()> {
    if separator == ',' || headings.always {
        let mut header = String::from("id");
        for number in 0..columns.len() {
            header.push(separator);
            // Writing to a string never fails.
            let _ = write_id(&mut header, separator, Id::Name(headings.get(number)));
        }
        writeln!(out, "{header}")?;
    }
    let n = ids.len();
    let blocks: Vec<_> = (0..n)
        .step_by(BLOCK as usize)
        .map(|first| first..n.min(first.saturating_add(BLOCK)))
        .collect();
    for batch in blocks.chunks(4 * rayon::current_num_threads()) {
        let texts: Vec<String> = batch
            .par_iter()
            .map(|block| {
                let mut text = String::with_capacity(24 * block.len());
                for v in block.clone() {
                    // Writing to a string never fails.
                    let _ = line(&mut text, separator, ids, columns, v);
                }
                text
            })
            .collect();
        for text in texts {
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

fn line(
    text: &mut String,
    separator: char,
    ids: &Ids,
    columns: &[Column],
    v: VertexId,
) -> std::fmt::Result {
    write_id(text, separator, ids.get(v))?;
    for column in columns {
        text.push(separator);
        match column {
            Column::Vertex(vertices) if separator == ',' && vertices[v as usize] < ids.len() => {
                write_id(text, separator, ids.get(vertices[v as usize]))?;
            }
            _ => column.print(text, ids, v)?,
        }
    }
    text.push('\n');
    Ok(())
}

/// Quotes a name where CSV requires it (RFC 4180).
fn write_id(text: &mut String, separator: char, id: Id<'_>) -> std::fmt::Result {
    match id {
        Id::Name(name) if separator == ',' && name.contains([',', '"', '\n', '\r']) => {
            write!(text, "\"{}\"", name.replace('"', "\"\""))
        }
        id => write!(text, "{id}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::output::column::NO_VERTEX;

    fn print(separator: char, ids: &Ids, columns: &[Column]) -> String {
        let mut out = Vec::new();
        write(&mut out, separator, ids, &Headings::default(), columns).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn names() -> Ids {
        Ids::names(b"a,\"b\"c".to_vec().into(), vec![5, 6].into()).unwrap()
    }

    #[test]
    fn integers_by_tabs() {
        let ids = Ids::range(10, 3);
        let level = Column::Level(vec![0, 1, NO_VERTEX]);
        let parent = Column::Vertex(vec![NO_VERTEX, 0, NO_VERTEX]);
        assert_eq!(print('\t', &ids, &[level, parent]), "10\t0\t-1\n11\t1\t10\n12\t-1\t-1\n");
    }

    #[test]
    fn names_by_commas() {
        let value = Column::F32(vec![0.5, f32::INFINITY]);
        let parent = Column::Vertex(vec![NO_VERTEX, 0]);
        let text = print(',', &names(), &[value, parent]);
        assert_eq!(text, "id,value,parent\n\"a,\"\"b\"\"\",0.5,\nc,inf,\"a,\"\"b\"\"\"\n");
    }

    #[test]
    fn columns_of_sources_have_a_header() {
        let columns = [Column::Level(vec![0, NO_VERTEX]), Column::Level(vec![1, 0])];
        let sources = ["from_a,\"b\"", "from_c"].map(String::from).to_vec();
        let print = |separator| {
            let mut out = Vec::new();
            let headings = Headings::of_many(sources.clone());
            write(&mut out, separator, &names(), &headings, &columns).unwrap();
            String::from_utf8(out).unwrap()
        };
        let text = "id,\"from_a,\"\"b\"\"\",from_c\n\"a,\"\"b\"\"\",0,1\nc,-1,0\n";
        assert_eq!(print(','), text);
        assert_eq!(print('\t'), "id\tfrom_a,\"b\"\tfrom_c\na,\"b\"\t0\t1\nc\t-1\t0\n");
    }

    #[test]
    fn blocks_keep_their_order() {
        let n = 3 * BLOCK + 5;
        let text = print('\t', &Ids::range(0, n), &[Column::Level((0..n).collect())]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), n as usize);
        for (v, line) in lines.iter().enumerate() {
            assert_eq!(*line, format!("{v}\t{v}"));
        }
    }

    #[test]
    fn nothing_of_nothing() {
        assert_eq!(print(',', &Ids::range(0, 0), &[Column::F64(Vec::new())]), "id,value\n");
    }
}
