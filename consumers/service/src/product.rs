//! What the shop sells.

/// A product as a page shows it.
#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) number: u64,
    description: String,
}

/// Bytes of a description.
const DESCRIPTION: usize = 16 << 10;

impl Product {
    /// What a database would answer.
    pub(crate) fn load(number: u64) -> Self {
        let mut description = String::with_capacity(DESCRIPTION);
        while description.len() < DESCRIPTION - 32 {
            description.push_str(&format!("product {number}, as good as ever; "));
        }
        Self { number, description }
    }

    pub(crate) fn page(&self) -> String {
        format!("{}: {}", self.number, &self.description[..64])
    }
}
