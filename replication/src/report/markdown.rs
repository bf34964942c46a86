//! The whole report as Markdown.

use std::fmt::Write;

use super::{Item, Report, Table};

impl Report {
    /// The report as Markdown. With `pictures`, it shows the files that
    /// [`write`](Report::write) puts beside it.
    pub fn markdown(&self, pictures: bool) -> String {
        let mut text = format!("# {}\n\n{}\n\n", self.title, self.source);
        for fact in self.facts() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "- {fact}");
        }
        for item in &self.items {
            text.push('\n');
            self.item(&mut text, item, pictures);
        }
        text
    }

    fn item(&self, text: &mut String, item: &Item, pictures: bool) {
        let _ = writeln!(text, "## {}\n\n{}\n", item.title, item.method);
        table(text, &item.table);
        if pictures && item.figure.is_some() {
            let _ = writeln!(text, "\n![{}]({}-{}.svg)", item.title, self.name, item.name);
        }
        if !item.claims.is_empty() {
            text.push_str("\n| the paper | here | verdict |\n|---|---|---|\n");
            for claim in &item.claims {
                let (paper, ours) = (escaped(&claim.paper), escaped(&claim.ours));
                let _ = writeln!(text, "| {paper} | {ours} | {} |", claim.verdict);
            }
        }
        if let Some(verbatim) = &item.verbatim {
            let _ = writeln!(text, "\n```text\n{}\n```", verbatim.trim_end());
        }
    }
}

fn table(text: &mut String, table: &Table) {
    let _ = writeln!(text, "| {} |", table.columns.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(table.columns.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(&cell.to_string())).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}
