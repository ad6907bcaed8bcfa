//! Ranks tools by how well their words fit a query (BM25+ over weighted fields). A pure function on text.

use std::cmp::Ordering;
use std::collections::HashMap;

use omp_agent::Tool;

use super::words::words;

const K1: f64 = 1.2;
const B: f64 = 0.75;
const DELTA: f64 = 1.0;

/// Letters of a description that stand in for a summary.
const SUMMARY: usize = 200;

/// What a search knows of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscoverableTool {
    pub name: String,
    pub label: String,
    pub summary: String,
    pub server: Option<String>,
    /// What its server calls it.
    pub mcp_tool: Option<String>,
    /// The names of its parameters.
    pub schema_keys: Vec<String>,
}

/// Tools, ready to be searched.
#[derive(Debug, Default)]
pub struct ToolIndex {
    documents: Vec<Document>,
    /// In how many documents a word stands.
    spread: HashMap<String, usize>,
    average_length: f64,
}

#[derive(Debug)]
struct Document {
    tool: DiscoverableTool,
    /// How often a word stands there, by the weight of its field.
    counts: HashMap<String, f64>,
    length: f64,
}

/// A tool that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub tool: DiscoverableTool,
    pub score: f64,
}

impl DiscoverableTool {
    /// What a tool says about itself.
    pub fn of(tool: &dyn Tool) -> Self {
        let definition = tool.definition();
        let origin = tool.origin().cloned().unwrap_or_default();
        let (server, mcp_tool) = origin.mcp.map(|mcp| (mcp.server, mcp.tool)).unzip();
        let description = &definition.description;
        let summary = match server {
            Some(_) => description.clone(),
            None => origin.summary.unwrap_or_else(|| description.chars().take(SUMMARY).collect()),
        };
        let properties = definition.parameters["properties"].as_object();
        Self {
            name: definition.name.clone(),
            label: origin.label.unwrap_or_else(|| definition.name.clone()),
            summary,
            server,
            mcp_tool,
            schema_keys: properties.into_iter().flatten().map(|(key, _)| key.clone()).collect(),
        }
    }

    /// Its texts, each with its weight.
    fn fields(&self) -> impl Iterator<Item = (f64, &str)> {
        let single = [
            (6.0, Some(&self.name)),
            (4.0, Some(&self.label)),
            (4.0, self.mcp_tool.as_ref()),
            (2.0, self.server.as_ref()),
            (2.0, Some(&self.summary)),
        ];
        let single = single.into_iter().filter_map(|(weight, text)| Some((weight, text?.as_str())));
        single.chain(self.schema_keys.iter().map(|key| (1.0, key.as_str())))
    }
}

impl ToolIndex {
    pub fn new(tools: Vec<DiscoverableTool>) -> Self {
        let documents: Vec<Document> = tools.into_iter().map(Document::new).collect();
        let mut spread = HashMap::new();
        for word in documents.iter().flat_map(|document| document.counts.keys()) {
            *spread.entry(word.clone()).or_insert(0) += 1;
        }
        let total: f64 = documents.iter().map(|document| document.length).sum();
        let average_length = total / documents.len().max(1) as f64;
        Self { documents, spread, average_length }
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The tools that have a word of the query, best first, by name where two are as good. `None` for a query without
    /// a word.
    pub fn search(&self, query: &str) -> Option<Vec<Match>> {
        let mut asked: Vec<(String, f64)> = Vec::new();
        for word in words(query) {
            match asked.iter_mut().find(|(known, _)| *known == word) {
                Some((_, times)) => *times += 1.0,
                None => asked.push((word, 1.0)),
            }
        }
        if asked.is_empty() {
            return None;
        }
        let found = self.documents.iter().filter_map(|document| {
            let score: f64 = asked.iter().map(|(word, times)| times * self.worth(document, word)).sum();
            (score > 0.0).then(|| Match { tool: document.tool.clone(), score })
        });
        let mut found: Vec<Match> = found.collect();
        found.sort_by(|a, b| {
            b.score
                .partial_cmp(&a.score)
                .unwrap_or(Ordering::Equal)
                .then_with(|| a.tool.name.cmp(&b.tool.name))
        });
        Some(found)
    }

    /// What one word of a query adds to a document's score.
    fn worth(&self, document: &Document, word: &str) -> f64 {
        let Some(count) = document.counts.get(word) else { return 0.0 };
        let (all, with) = (self.documents.len() as f64, self.spread.get(word).copied().unwrap_or(0) as f64);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        let length = 1.0 - B + B * document.length / self.average_length;
        rarity * (count * (K1 + 1.0) / (count + K1 * length) + DELTA)
    }
}

impl Document {
    fn new(tool: DiscoverableTool) -> Self {
        let (mut counts, mut length) = (HashMap::new(), 0.0);
        for (weight, text) in tool.fields() {
            for word in words(text) {
                *counts.entry(word).or_insert(0.0) += weight;
                length += weight;
            }
        }
        Self { tool, counts, length }
    }
}

#[cfg(test)]
mod tests;
