//! What a message is, before anybody acts on it.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorCode, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Map, Value, json};

/// What ralph answers itself: where the parameters are not theirs, the method is there all the same.
const METHODS: [&str; 4] = ["initialize", "ping", "tools/call", "tools/list"];

pub(super) enum Judged {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// The answer to what is none.
    Refused(Value),
    /// What nobody waits for an answer to.
    PassedOver,
}

pub(super) fn judged(message: Value) -> Judged {
    let Value::Object(fields) = &message else { return refused(None, ErrorCode::INVALID_REQUEST) };
    let id = fields.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let is_request = fields.contains_key("method") && fields.contains_key("id");
    let wants_no_answer =
        !is_request && ["method", "result", "error"].iter().any(|name| fields.contains_key(*name));
    let is_known = fields.get("jsonrpc").is_some_and(|version| version == "2.0");
    let fault = fault(fields);
    match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(message) {
        Ok(message) if is_known && is_as_it_says(&message, is_request) => Judged::Message(Box::new(message)),
        Ok(_) | Err(_) if wants_no_answer => Judged::PassedOver,
        Ok(_) | Err(_) => refused(id, fault),
    }
}

/// What is wrong with a request that cannot be read.
fn fault(fields: &Map<String, Value>) -> ErrorCode {
    let is = |name: &str, holds: fn(&Value) -> bool| fields.get(name).is_some_and(holds);
    let is_request = is("jsonrpc", |version| version == "2.0")
        && is("method", Value::is_string)
        && is("id", |id| id.is_string() || id.is_i64());
    if is_request { ErrorCode::INVALID_PARAMS } else { ErrorCode::INVALID_REQUEST }
}

/// A request with an id that is none can be read as a notification, and a known method with parameters that are not its own
/// as an unknown one.
fn is_as_it_says(message: &RxJsonRpcMessage<RoleServer>, is_request: bool) -> bool {
    let JsonRpcMessage::Request(request) = message else { return !is_request };
    let ClientRequest::CustomRequest(custom) = &request.request else { return true };
    !METHODS.contains(&custom.method.as_str())
}

/// The answer to a request that is not even looked at.
pub(super) fn unwanted(message: &Value) -> Option<Value> {
    message.get("method")?;
    Some(refusal(Some(message.get("id")?.clone()), ErrorCode::INVALID_REQUEST))
}

fn refused(id: Option<Value>, code: ErrorCode) -> Judged {
    Judged::Refused(refusal(id, code))
}

fn refusal(id: Option<Value>, code: ErrorCode) -> Value {
    let what = if code == ErrorCode::INVALID_PARAMS { "Invalid params" } else { "Invalid request" };
    let mut answer = json!({ "jsonrpc": "2.0", "error": { "code": code.0, "message": what } });
    if let Some(id) = id {
        answer["id"] = id;
    }
    answer
}
