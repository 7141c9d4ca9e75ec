//! Products that were asked for lately.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use crate::product::Product;

/// Holds a number of products; the one that came first goes.
#[derive(Debug)]
pub(crate) struct Cache {
    products: Mutex<VecDeque<Arc<Product>>>,
    capacity: usize,
}

impl Cache {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { products: Mutex::default(), capacity }
    }

    /// The product, from the cache or loaded into it.
    pub(crate) fn get(&self, number: u64) -> Arc<Product> {
        let mut products = self.products.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(product) = products.iter().find(|product| product.number == number) {
            return product.clone();
        }
        let product = Arc::new(Product::load(number));
        if products.len() == self.capacity {
            products.pop_front();
        }
        products.push_back(product.clone());
        product
    }
}
