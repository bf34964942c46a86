//! Pages that need no other file.

use std::fmt::Write;

use crate::{DrawError, Figure};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem;color:#1b1f24;background:#fff}h2{margin-top:2.5rem}table{border-collapse:collapse;\
margin:1rem 0;font-size:.9rem}th,td{border-bottom:1px solid #d5dae0;padding:.25rem .7rem;\
text-align:left;vertical-align:top}.number{text-align:right;font-variant-numeric:tabular-nums}\
figure{margin:1rem 0}svg{max-width:100%;height:auto}pre{background:#f4f6f8;padding:1rem;\
overflow-x:auto;font-size:.85rem}.bar{display:block;height:.8rem;margin-top:.3rem;\
background:#0072b2}td.bars{width:60%}.holds{color:#1a6b2f}.fails{color:#a33}.open{color:#666}";

/// A page, written from top to bottom. Every text is escaped.
#[derive(Clone, Debug)]
pub struct Page {
    html: String,
}

impl Page {
    /// An empty page with a title.
    pub fn new(title: &str) -> Self {
        let title = escaped(title);
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head>\
             <meta charset=\"utf-8\"/><meta name=\"viewport\" content=\"width=device-width\"/>\
             <title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        );
        Self { html }
    }

    /// Adds a heading, to which `#name` leads.
    pub fn heading(&mut self, name: &str, text: &str) {
        // Writing to a string does not fail, here and below.
        let _ = writeln!(self.html, "<h2 id=\"{}\">{}</h2>", escaped(name), escaped(text));
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.html, "<p>{}</p>", escaped(text));
    }

    /// Adds a list of points.
    pub fn list(&mut self, points: impl IntoIterator<Item = impl AsRef<str>>) {
        self.html.push_str("<ul>\n");
        for point in points {
            let _ = writeln!(self.html, "<li>{}</li>", escaped(point.as_ref()));
        }
        self.html.push_str("</ul>\n");
    }

    /// Adds text that is shown as it is.
    pub fn verbatim(&mut self, text: &str) {
        let _ = writeln!(self.html, "<pre>{}</pre>", escaped(text));
    }

    /// Adds a table. A cell is its text and the class that styles it: `number`, `holds`, `fails`
    /// or `open`, or none.
    pub fn table<'a>(
        &mut self,
        headings: impl IntoIterator<Item = &'a str>,
        rows: impl IntoIterator<Item = Vec<(String, &'a str)>>,
    ) {
        self.html.push_str("<table><tr>");
        for heading in headings {
            let _ = write!(self.html, "<th>{}</th>", escaped(heading));
        }
        self.html.push_str("</tr>\n");
        for row in rows {
            self.html.push_str("<tr>");
            for (text, class) in row {
                let class = match class {
                    "" => String::new(),
                    class => format!(" class=\"{}\"", escaped(class)),
                };
                let _ = write!(self.html, "<td{class}>{}</td>", escaped(&text));
            }
            self.html.push_str("</tr>\n");
        }
        self.html.push_str("</table>\n");
    }

    /// Adds a histogram: how many things there are in each range, with bars.
    pub fn histogram(&mut self, range: &str, things: &str, rows: &[(String, u64)]) {
        let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
        let (range, things) = (escaped(range), escaped(things));
        let _ = writeln!(self.html, "<table><tr><th>{range}</th><th>{things}</th><th></th></tr>");
        for (range, count) in rows {
            let share = 100.0 * *count as f64 / most as f64;
            let _ = writeln!(
                self.html,
                "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"bars\">\
                 <span class=\"bar\" style=\"width:{share:.2}%\"></span></td></tr>",
                escaped(range),
                crate::thousands(*count)
            );
        }
        self.html.push_str("</table>\n");
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn figure(&mut self, title: &str, figure: &Figure) -> Result<(), DrawError> {
        let _ = writeln!(self.html, "<figure>{}</figure>", figure.svg(title)?);
        Ok(())
    }

    /// The page.
    pub fn finish(mut self) -> String {
        self.html.push_str("</body></html>\n");
        self.html
    }
}

/// Text as it stands in HTML, also in attributes.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // Control characters are not allowed, whether escaped or not.
            c if c.is_control() && !matches!(c, '\n' | '\t') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        let evil = "</title><script>alert(1)</script>\"'&\u{0}";
        let mut page = Page::new(evil);
        page.heading(evil, evil);
        page.paragraph(evil);
        page.list([evil]);
        page.verbatim(evil);
        page.table([evil], [vec![(evil.to_owned(), "number")]]);
        page.histogram(evil, evil, &[(evil.to_owned(), 3)]);
        let html = page.finish();
        assert!(!html.contains("<script") && !html.contains('\u{0}'), "{html}");
        assert_eq!(html.matches("<title>").count(), 1);
    }
}
