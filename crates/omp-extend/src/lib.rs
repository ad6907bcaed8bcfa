//! What users add: skills, rules, Markdown commands and words with a meaning of their own.
