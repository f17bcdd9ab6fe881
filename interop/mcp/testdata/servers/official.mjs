// Players that are MCP servers, written with the official library of TypeScript, one with sessions and one without.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const ports = JSON.parse(process.env.PORTS ?? "{}"); // of a program that is started again

const json = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

function camel() {
  const server = new McpServer({ name: "camel", version: "1" });
  server.registerTool("joinMatch", { inputSchema: { matchId: z.string(), opponentId: z.string() } }, () => json({ accept: true }));
  server.registerTool("makeMove", { inputSchema: { matchId: z.string().min(2) } }, () => json({ choice: "even" }));
  server.registerTool("getMoveHistory", { description: "Every move so far, even or odd" }, () => json({ choice: "none" }));
  return server;
}

function nested() {
  const server = new McpServer({ name: "nested", version: "1" });
  const game = z.object({ matchId: z.string(), round: z.number().int() });
  server.registerTool("choose-parity", { inputSchema: { game } }, () => ({
    content: [{ type: "text", text: "see the structured content" }], structuredContent: { parity_choice: "odd" },
  }));
  return server;
}

function plain() {
  const server = new McpServer({ name: "plain", version: "1" });
  server.registerTool("chooseParity", { inputSchema: { matchId: z.string() } }, () => ({ content: [{ type: "text", text: "Even" }] }));
  return server;
}

// withSessions keeps a server for each session.
function withSessions(make) {
  const sessions = new Map();
  return async (req, res) => {
    let transport = sessions.get(req.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await make().connect(transport);
    }
    await transport.handleRequest(req, res);
  };
}

// stateless makes a server for each request.
function stateless(make) {
  return async (req, res) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await make().connect(transport);
    await transport.handleRequest(req, res);
  };
}

function serve(kind, handle) {
  return new Promise((resolve) => {
    const server = createServer((req, res) => {
      if (req.url !== "/mcp") {
        res.writeHead(404).end();
        return;
      }
      handle(req, res).catch(() => res.writeHead(500).end());
    });
    server.listen(ports[kind] ?? 0, "127.0.0.1", () => {
      console.log(JSON.stringify({ kind, url: `http://127.0.0.1:${server.address().port}/mcp` }));
      resolve();
    });
  });
}

await serve("typescript sessions", withSessions(camel));
await serve("typescript stateless", stateless(nested));
await serve("typescript plain", withSessions(plain));
console.log(JSON.stringify({ kind: "" }));
process.stdin.resume().on("end", () => process.exit(0));
