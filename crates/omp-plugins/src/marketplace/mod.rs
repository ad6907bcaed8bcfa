//! Marketplaces: catalogues, and what is installed from them.
