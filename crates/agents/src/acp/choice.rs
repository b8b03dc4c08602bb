//! Model and effort: only what the agent offers can be chosen.

use agent_client_protocol::UntypedMessage;
use agent_client_protocol::v1::schema::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOptions,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What an unknown model is told beside, at most.
const LISTED: usize = 12;

/// What a new session can be set to.
#[derive(Debug)]
pub(super) struct Offer {
    config_options: Vec<SessionConfigOption>,
    /// As agents offered models before there were options.
    models: Option<Models>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Models {
    #[serde(default)]
    available_models: Vec<Model>,
    current_model_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Model {
    model_id: String,
}

impl Offer {
    /// An option that cannot be read is as good as not offered; it takes no other with it.
    pub(super) fn of(session: &Value) -> Offer {
        let options = session["configOptions"].as_array().into_iter().flatten();
        let read = |option: &Value| serde_json::from_value(option.clone()).ok();
        Offer {
            config_options: options.filter_map(read).collect(),
            models: serde_json::from_value(session["models"].clone()).ok(),
        }
    }

    /// The model that the agent would take by itself.
    pub(super) fn model(&self) -> Option<String> {
        let option = self.option(&SessionConfigOptionCategory::Model).map(|(_, current, _)| current);
        option.or_else(|| self.models.as_ref()?.current_model_id.clone())
    }

    /// The request that chooses this model.
    pub(super) fn choose_model(&self, session: &str, model: &str) -> Result<UntypedMessage, String> {
        if let Some((option, _, known)) = self.option(&SessionConfigOptionCategory::Model) {
            return choose(session, &option, model, "model", &known);
        }
        let Some(models) = &self.models else { return Err("the agent offers no choice of model".to_owned()) };
        let known: Vec<String> = models.available_models.iter().map(|one| one.model_id.clone()).collect();
        offered(model, "model", &known)?;
        Ok(message("session/set_model", json!({ "sessionId": session, "modelId": model })))
    }

    pub(super) fn choose_effort(&self, session: &str, effort: &str) -> Result<UntypedMessage, String> {
        match self.option(&SessionConfigOptionCategory::ThoughtLevel) {
            Some((option, _, known)) => choose(session, &option, effort, "effort", &known),
            None => Err("the agent offers no choice of effort".to_owned()),
        }
    }

    /// An option's id, what it stands at, and what it can be set to.
    fn option(&self, category: &SessionConfigOptionCategory) -> Option<(String, String, Vec<String>)> {
        let found = self.config_options.iter().find(|option| option.category.as_ref() == Some(category))?;
        let SessionConfigKind::Select(select) = &found.kind else { return None };
        let values = match &select.options {
            SessionConfigSelectOptions::Ungrouped(options) => options.iter().collect::<Vec<_>>(),
            SessionConfigSelectOptions::Grouped(groups) => {
                groups.iter().flat_map(|group| &group.options).collect()
            }
            _ => Vec::new(),
        };
        let values = values.into_iter().map(|option| option.value.0.to_string()).collect();
        Some((found.id.0.to_string(), select.current_value.0.to_string(), values))
    }
}

fn choose(
    session: &str,
    option: &str,
    value: &str,
    what: &str,
    known: &[String],
) -> Result<UntypedMessage, String> {
    offered(value, what, known)?;
    let params = json!({ "sessionId": session, "configId": option, "value": value });
    Ok(message("session/set_config_option", params))
}

fn offered(value: &str, what: &str, known: &[String]) -> Result<(), String> {
    if known.iter().any(|one| one == value) {
        return Ok(());
    }
    let mut list = known.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if known.len() > LISTED {
        list += ", …";
    }
    Err(format!("the agent offers no {what} `{value}`; it offers {list}"))
}

fn message(method: &str, params: Value) -> UntypedMessage {
    UntypedMessage { method: method.to_owned(), params }
}

#[cfg(test)]
mod tests {
    use super::Offer;
    use serde_json::json;

    #[test]
    fn a_model_is_chosen_the_way_it_is_offered() {
        let chosen = |offer: &Offer, model: &str| {
            offer.choose_model("s", model).map(|request| (request.method, request.params.to_string()))
        };
        let options = Offer::of(&json!({ "sessionId": "s", "configOptions": [
            { "id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "a", "options": [] },
            { "id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "p/one",
              "options": [{ "value": "p/one", "name": "One" }, { "value": "p/two", "name": "Two" }] },
        ] }));
        assert_eq!(options.model().as_deref(), Some("p/one"));
        let set = r#"{"sessionId":"s","configId":"m","value":"p/two"}"#.to_owned();
        assert_eq!(chosen(&options, "p/two"), Ok(("session/set_config_option".to_owned(), set)));
        assert_eq!(
            chosen(&options, "x"),
            Err("the agent offers no model `x`; it offers p/one, p/two".to_owned())
        );
        let models = Offer::of(&json!({ "models": {
            "availableModels": [{ "modelId": "auto", "name": "Auto" }], "currentModelId": "auto"
        } }));
        let set = r#"{"sessionId":"s","modelId":"auto"}"#.to_owned();
        assert_eq!(chosen(&models, "auto"), Ok(("session/set_model".to_owned(), set)));
        let none = Offer::of(&json!({ "sessionId": "s" }));
        assert_eq!(chosen(&none, "x"), Err("the agent offers no choice of model".to_owned()));
        assert_eq!(
            none.choose_effort("s", "high").err().as_deref(),
            Some("the agent offers no choice of effort")
        );
    }
}
