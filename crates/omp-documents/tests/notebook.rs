//! Notebooks that other programs wrote in their own ways.

use omp_documents::notebook::Notebook;

/// What is not changed stays, also where lines end as on Windows.
#[test]
fn cells_with_other_line_ends_stay() {
    let json = r##"{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "a\r\nb\r\n"}, {"cell_type": "raw", "metadata": {}, "source": ["x\r\n", "y"]}, {"cell_type": "markdown", "metadata": {}, "source": "old"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}"##;
    let notebook = Notebook::parse(json.as_bytes()).unwrap();
    let text = notebook.text().replace("\r\n", "\n").replace("old", "new");
    let changed = notebook.with_text(&text).unwrap();
    assert_eq!(changed, json.replace(r#""old""#, r#"["new"]"#));
}
