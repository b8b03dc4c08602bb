//! A table of tools on standard input and output, until the client closes its end.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer, ServerInitializeError};
use rmcp::transport::Transport;
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use tokio::sync::Mutex;

use crate::tool::{Answer, Caller, Tool};
use crate::wire::Wire;

/// What clients call the session that a call is made in, in the request's `_meta`.
const SESSION: &str = "sessionId";

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What was sent instead could be long, and is not repeated.
    #[error("what was sent first does not begin a session of the Model Context Protocol")]
    NoSession,
    #[error("standard output cannot be written")]
    Output,
    #[error("the server came to an end by itself")]
    Broken(#[from] tokio::task::JoinError),
}

/// Serves until standard input ends.
pub async fn serve(tools: Vec<Tool>, version: &str, instructions: &str) -> Result<(), ServeError> {
    let (input, output) = rmcp::transport::stdio();
    served(tools, version, instructions, Wire::new(input, output)).await
}

pub(crate) async fn served(
    tools: Vec<Tool>,
    version: &str,
    instructions: &str,
    wire: impl Transport<RoleServer> + 'static,
) -> Result<(), ServeError> {
    let (version, instructions) = (version.to_owned(), instructions.to_owned());
    let table = Table { tools: tools.into(), version, instructions, writing: Arc::default() };
    let running = match table.serve(wire).await {
        Ok(running) => running,
        // Nobody ever said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::TransportError { .. }) => return Err(ServeError::Output),
        Err(_) => return Err(ServeError::NoSession),
    };
    match running.waiting().await? {
        QuitReason::JoinError(error) => Err(ServeError::Broken(error)),
        _ => Ok(()),
    }
}

#[derive(Debug, Clone)]
struct Table {
    tools: Arc<[Tool]>,
    version: String,
    instructions: String,
    /// Held by the call that writes. Calls are taken up in the order in which they came, on one thread, and whoever waits
    /// for this first has it first: what is asked for last is done last.
    writing: Arc<Mutex<()>>,
}

impl ServerHandler for Table {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ralph", &self.version))
            .with_instructions(&self.instructions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(shown).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == request.name).cloned() else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
            let what = format!("there is no tool `{}`; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(what, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let named = context.meta.get(SESSION).map(|named| named.as_str().unwrap_or_default().to_owned());
        let client = context.peer.peer_info().map(|client| client.client_info.name.clone());
        let caller = Caller { session: named, client };
        let turn = if tool.only_looks { None } else { Some(self.writing.clone().lock_owned().await) };
        // A call waits for files and for the store, and may start a runtime of its own.
        let called = tokio::task::spawn_blocking(move || {
            // Who stops waiting does not end the call, so its turn is over when it is.
            let _turn = turn;
            tool.call(arguments, &caller)
        });
        let called = called.await;
        let answered = called.unwrap_or_else(|_| Err("ralph failed in this call".to_owned()));
        Ok(result(answered).into())
    }
}

fn shown(tool: &Tool) -> rmcp::model::Tool {
    let hints = ToolAnnotations::new().read_only(tool.only_looks).open_world(false);
    rmcp::model::Tool::new(tool.name, tool.about, tool.arguments.clone()).with_annotations(hints)
}

/// A refusal is a result as well: the model is to read it.
fn result(answered: Result<Answer, String>) -> CallToolResult {
    match answered {
        Ok(Answer::Words(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Ok(Answer::Data(data)) => {
            let text = serde_json::to_string_pretty(&data).expect("data is JSON");
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            result
        }
        Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
    }
}
