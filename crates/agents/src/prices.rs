//! What tokens cost, for agents that count them and name no price.

use std::collections::BTreeMap;

use ralph_core::policy::Cost;
use ralph_core::report::Usage;
use serde::Deserialize;

/// Dollars for a million tokens, by the beginning of a model's name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Prices {
    models: BTreeMap<String, Price>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// Without one, cached input costs what other input does.
    pub cached_input: Option<f64>,
    pub output: f64,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PricesError {
    #[error("the price table: {0}")]
    Unreadable(#[from] toml::de::Error),
    #[error("the price of {model} is not a number of dollars from 0 on")]
    Impossible { model: String },
}

impl Prices {
    pub fn builtin() -> Prices {
        Prices::parse(include_str!("../prices.toml")).expect("the built-in price table")
    }

    /// Adds the `[prices]` of a user's configuration; a model named there has that price.
    pub fn with_user(mut self, config: &str) -> Result<Prices, PricesError> {
        self.models.extend(Prices::parse(config)?.models);
        Ok(self)
    }

    fn parse(config: &str) -> Result<Prices, PricesError> {
        #[derive(Deserialize)]
        struct Config {
            #[serde(default)]
            prices: Prices,
        }
        let prices = toml::from_str::<Config>(config)?.prices;
        let wrong = |number: f64| !number.is_finite() || number < 0.0;
        let is_wrong = |price: &Price| {
            wrong(price.input) || wrong(price.output) || price.cached_input.is_some_and(wrong)
        };
        match prices.models.iter().find(|(_, price)| is_wrong(price)) {
            Some((model, _)) => Err(PricesError::Impossible { model: model.clone() }),
            None => Ok(prices),
        }
    }

    /// An estimate, never a bill: plans, tiers and discounts are unknown.
    pub fn estimate(&self, model: &str, usage: &Usage) -> Option<Cost> {
        let price = self.price(model)?;
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let dollars = (usage.input_tokens - cached) as f64 * price.input
            + cached as f64 * price.cached_input.unwrap_or(price.input)
            + usage.output_tokens as f64 * price.output;
        Some(Cost::from(dollars / 1e6))
    }

    /// By the longest name that the model's begins with; what stands before a `/` is the provider.
    fn price(&self, model: &str) -> Option<&Price> {
        let bare = model.rsplit_once('/').map_or(model, |(_, name)| name);
        let known =
            self.models.iter().filter(|(name, _)| model.starts_with(*name) || bare.starts_with(*name));
        known.max_by_key(|(name, _)| name.len()).map(|(_, price)| price)
    }
}

#[cfg(test)]
mod tests {
    use super::{Prices, PricesError};
    use ralph_core::policy::Cost;
    use ralph_core::report::Usage;

    const USAGE: Usage = Usage {
        input_tokens: 1_000_000,
        cached_tokens: 400_000,
        output_tokens: 100_000,
        cost: Cost(0),
        cost_is_estimated: false,
    };

    fn prices(text: &str) -> Prices {
        Prices::default().with_user(text).expect("prices")
    }

    #[test]
    fn the_longest_known_name_has_the_price() {
        let prices = prices(
            "[prices]\n\"m\" = { input = 1.0, output = 10.0 }\n\"m-big\" = { input = 2, cached_input = 0.5, output = 20 }",
        );
        assert_eq!(prices.estimate("m-small", &USAGE), Some(Cost(2_000_000)));
        assert_eq!(prices.estimate("m-big-2026", &USAGE), Some(Cost(1_200_000 + 200_000 + 2_000_000)));
        assert_eq!(prices.estimate("provider/m-small", &USAGE), Some(Cost(2_000_000)));
        assert_eq!(prices.estimate("other", &USAGE), None);
    }

    #[test]
    fn a_user_s_price_takes_the_place_of_ours() {
        let ours = Prices::builtin().estimate("gpt-5-codex", &USAGE);
        assert!(ours.is_some());
        let yours =
            Prices::builtin().with_user("[prices]\ngpt-5-codex = { input = 0, output = 0 }").expect("prices");
        assert_eq!(yours.estimate("gpt-5-codex", &USAGE), Some(Cost(0)));
    }

    #[test]
    fn a_wrong_table_is_refused() {
        let refuse = |text: &str| Prices::default().with_user(text).expect_err("refused");
        assert_eq!(
            refuse("[prices]\nm = { input = -1, output = 1 }"),
            PricesError::Impossible { model: "m".to_owned() }
        );
        assert!(refuse("[prices]\nm = { input = 1, out = 1 }").to_string().contains("out"));
    }

    #[test]
    fn numbers_without_sense_give_a_cost_all_the_same() {
        let usage = Usage {
            input_tokens: u64::MAX,
            cached_tokens: u64::MAX,
            output_tokens: u64::MAX,
            cost: Cost(0),
            ..Usage::default()
        };
        let prices = prices("[prices]\nm = { input = 1e300, output = 1e300 }");
        assert_eq!(prices.estimate("m", &usage), Some(Cost(u64::MAX)));
    }
}
