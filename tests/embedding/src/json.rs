//! What the program's own JSON does.

use serde_json::{Value, from_str};

/// Tells the order of keys, and how numbers are read: each feature of `serde_json` that changes values shows in it.
pub fn report() -> String {
    let value: Value = from_str(r#"{"b":1,"a":0.10000000000000000000001,"c":1e400}"#)
        .unwrap_or_else(|error| Value::String(error.to_string()));
    // Of such numbers, some are read one digit off without `float_roundtrip`.
    let numbers =
        (1_u64..20_000).map(|nth| f64::from_bits(nth.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let numbers = numbers.filter(|number| number.is_finite());
    let differs = |number: &f64| from_str::<f64>(&number.to_string()).ok() != Some(*number);
    let differing = numbers.filter(differs).count();
    format!("json: {value} {} {differing}", from_str::<Value>(r#"{"b":1,"a":0.10}"#).expect("JSON"))
}
