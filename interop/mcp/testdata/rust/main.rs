//! Players that are MCP servers, written with the official library of Rust: one with sessions, one without that answers
//! in JSON, and one that answers in plain words.

use std::io::Read;

use axum::Router;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Invitation {
    match_id: String,
    opponent_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct Call {
    match_id: String,
    round_id: u32,
}

#[derive(Serialize, JsonSchema)]
struct Choice {
    parity_choice: String,
}

/// Structured has a tool for the invitation and one for the move, which answers with an object.
#[derive(Clone)]
struct Structured;

#[tool_router(server_handler = false)]
impl Structured {
    #[tool(description = "Accept an invitation to a match")]
    fn join_match(&self, Parameters(i): Parameters<Invitation>) -> String {
        format!("accepted {} against {}", i.match_id, i.opponent_id)
    }

    #[tool(description = "Choose even or odd")]
    fn choose_parity(&self, Parameters(call): Parameters<Call>) -> Json<Choice> {
        let parity = if call.match_id.is_empty() || call.round_id == 0 { "none" } else { "even" };
        Json(Choice { parity_choice: parity.to_string() })
    }
}

#[tool_handler]
impl ServerHandler for Structured {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

/// Plain has one tool, which answers with a sentence.
#[derive(Clone)]
struct Plain;

#[tool_router(server_handler = false)]
impl Plain {
    #[tool(description = "Make a move: even or odd")]
    fn make_move(&self, Parameters(_): Parameters<Call>) -> String {
        "I choose odd.".to_string()
    }
}

#[tool_handler]
impl ServerHandler for Plain {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

/// serve serves players of one make on a free port of this machine, or on its port in the variable PORTS, and prints the address.
async fn serve<S>(kind: &str, player: S, config: StreamableHttpServerConfig)
where
    S: ServerHandler + Clone,
{
    let service: StreamableHttpService<S, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(player.clone()), Default::default(), config);
    let ports = std::env::var("PORTS").unwrap_or_default();
    let ports: serde_json::Value = serde_json::from_str(&ports).unwrap_or_default();
    let port = ports[kind].as_u64().unwrap_or(0);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("a free port");
    let at = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, Router::new().nest_service("/mcp", service)).await });
    println!("{}", serde_json::json!({"kind": kind, "url": format!("http://{at}/mcp")}));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let sessions = StreamableHttpServerConfig::default;
    let stateless = || sessions().with_legacy_session_mode(false).with_json_response(true);
    serve("rust sessions", Structured, sessions()).await;
    serve("rust stateless JSON", Structured, stateless()).await;
    serve("rust plain", Plain, sessions()).await;
    println!("{}", serde_json::json!({"kind": ""}));
    let _ = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await;
}
