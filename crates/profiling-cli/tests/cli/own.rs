use std::time::{Duration, UNIX_EPOCH};

use allometer_profile::{
    Amount, Estimate, Figures, Function, FunctionIndex, Lifetimes, Line, LiveObject, Location, LocationIndex,
    Loss, Mapping, MappingIndex, Metadata, Profile, ProviderFigure, ReturnAddress, Sample, SymbolsFound,
};

/// The functions of a shop; each stack is positions in it, from the leaf on.
const FUNCTIONS: [&str; 7] = [
    "alloc::raw_vec::RawVec<T>::grow_one",
    "shop::cart::Cart::add",
    "<shop::cache::Cache>::insert",
    "shop::serve::{closure#0}",
    "shop::import::read",
    "shop::main",
    "tokio::runtime::task::raw::poll",
];

/// Live objects of a kilobyte at an interval of 64 KiB: so many samples stand for 64.5 objects each.
pub(crate) fn objects(samples: f64) -> Amount {
    let p = 1.0 - (-1024.0f64 / 65_536.0).exp();
    let of = |size: f64| Estimate {
        value: samples * size / p,
        variance: samples * (1.0 - p) * (size / p) * (size / p),
    };
    Amount { objects: of(1.0), bytes: of(1024.0) }
}

/// A profile as this project's own profiler writes it, in which the cart holds so many samples.
pub(crate) fn profile(cart: f64) -> Profile {
    let function = |name: &str| Function {
        name: name.to_owned(),
        system_name: name.to_owned(),
        file: "src/shop.rs".to_owned(),
    };
    let location = |position: u32| Location {
        address: Some(ReturnAddress::new(0x40_1000 + u64::from(position) * 16)),
        mapping: Some(MappingIndex(0)),
        lines: vec![Line { function: FunctionIndex(position), line: 10 + position }],
    };
    let mut lifetimes = Lifetimes::default();
    lifetimes.add(Duration::from_millis(12), 60_000.0);
    // Those of one sample are born within its second.
    let sample = |stack: &[u32], tag: Option<&str>, live: f64, alloc: f64| Sample {
        stack: stack.iter().copied().map(LocationIndex).collect(),
        tag: tag.map(Into::into),
        figures: Figures { alloc: objects(alloc), live: objects(live) },
        slack: (live > 0.0).then(|| {
            let Estimate { value, variance } = objects(live).objects;
            Estimate { value: value * 256.0, variance: variance * 65_536.0 }
        }),
        peak: objects(live + 1.0),
        live_objects: (0..live as u64)
            .map(|at| LiveObject {
                birth: Duration::from_millis(1000 * u64::from(stack[0]) + at),
                size: 1024,
                amount: objects(1.0),
            })
            .collect(),
        lifetimes: (live == 0.0).then(|| Box::new(lifetimes.clone())),
    };
    Profile {
        metadata: Metadata {
            start: UNIX_EPOCH.checked_add(Duration::from_secs(1_790_000_000)),
            duration: Duration::from_millis(12_500),
            sample_interval: 65_536,
            provider: Some("mimalloc".to_owned()),
            live: true,
            losses: vec![Loss {
                what: "live objects beyond the bound".to_owned(),
                events: 3,
                amount: objects(3.0),
            }],
            session: Some(0x5170_9000_1234_5678),
            elapsed: Duration::from_millis(12_500),
            peak: Some(Duration::from_secs(11)),
            sizes: [vec![0.0; 11], vec![87_721.0]].concat(),
            provider_figures: vec![ProviderFigure { name: "committed".to_owned(), bytes: 96 << 20 }],
            resident: Some(120 << 20),
            comments: vec!["release 1.4\u{1b}[31m".to_owned()],
            ..Metadata::default()
        },
        mappings: vec![Mapping {
            start: 0x40_0000,
            limit: 0x50_0000,
            path: "/usr/bin/shop".to_owned(),
            build_id: Some("ab01cd02".to_owned()),
            symbols: SymbolsFound { functions: true, files: true, lines: true, inlines: true },
            ..Mapping::default()
        }],
        functions: FUNCTIONS.map(function).to_vec(),
        locations: (0..7).map(location).collect(),
        samples: vec![
            sample(&[0, 1, 3, 6, 5], Some("tenant a"), cart, 2.0 * cart),
            sample(&[0, 1, 3, 6, 5], Some("tenant b"), cart, cart),
            sample(&[2, 3, 6, 5], None, 200.0, 210.0),
            sample(&[4, 5], None, 0.0, 1000.0),
        ],
    }
}
