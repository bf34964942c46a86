//! The whole report as one page that needs no other file.

use std::fmt::Write;

use super::{Item, Report, Table};
use crate::ReplicationError;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem;color:#1b1f24;background:#fff}h2{margin-top:2.5rem}table{border-collapse:collapse;\
margin:1rem 0;font-size:.9rem}th,td{border-bottom:1px solid #d5dae0;padding:.25rem .7rem;\
text-align:left;vertical-align:top}td.number{text-align:right;font-variant-numeric:tabular-nums}\
svg{max-width:100%;height:auto}pre{background:#f4f6f8;padding:1rem;overflow-x:auto;\
font-size:.85rem}.holds{color:#1a6b2f}.fails{color:#a33}.open{color:#666}";

impl Report {
    /// The report as HTML, pictures included.
    ///
    /// # Errors
    /// If a picture cannot be drawn.
    pub fn html(&self) -> Result<String, ReplicationError> {
        let title = escaped(&self.title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\">\
             <title>{title}</title><style>{STYLE}</style></head>\n\
             <body><h1>{title}</h1>\n<p>{}</p>\n<ul>\n",
            escaped(self.source)
        );
        for fact in self.facts() {
            // Writing to a string does not fail.
            let _ = writeln!(page, "<li>{}</li>", escaped(&fact));
        }
        page.push_str("</ul>\n");
        for item in &self.items {
            show(&mut page, item)?;
        }
        page.push_str("</body></html>\n");
        Ok(page)
    }
}

fn show(page: &mut String, item: &Item) -> Result<(), ReplicationError> {
    let (name, title) = (escaped(item.name), escaped(&item.title));
    let _ = writeln!(page, "<h2 id=\"{name}\">{title}</h2>\n<p>{}</p>", escaped(&item.method));
    table(page, &item.table);
    if let Some(figure) = &item.figure {
        let _ = writeln!(page, "<figure>{}</figure>", figure.svg(item.name, &item.title)?);
    }
    if !item.claims.is_empty() {
        page.push_str("<table><tr><th>the paper</th><th>here</th><th>verdict</th></tr>\n");
        for claim in &item.claims {
            let class = match claim.verdict {
                super::Verdict::Holds => "holds",
                super::Verdict::HoldsNoMore(_) => "fails",
                super::Verdict::NotComparable(_) => "open",
            };
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td>{}</td><td class=\"{class}\">{}</td></tr>",
                escaped(&claim.paper),
                escaped(&claim.ours),
                escaped(&claim.verdict.to_string())
            );
        }
        page.push_str("</table>\n");
    }
    if let Some(verbatim) = &item.verbatim {
        let _ = writeln!(page, "<pre>{}</pre>", escaped(verbatim));
    }
    Ok(())
}

fn table(page: &mut String, table: &Table) {
    page.push_str("<table><tr>");
    for heading in &table.columns {
        let _ = write!(page, "<th>{}</th>", escaped(heading));
    }
    page.push_str("</tr>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for cell in row {
            let class = match cell {
                super::Cell::Text(_) => "",
                _ => " class=\"number\"",
            };
            let _ = write!(page, "<td{class}>{}</td>", escaped(&cell.to_string()));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
