// Players that are MCP servers, written with version 2 of the official library of TypeScript: one for clients of every
// version, one that streams, and one that takes the newest version alone.
import { createServer } from "node:http";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";

const ports = JSON.parse(process.env.PORTS ?? "{}"); // of a program that is started again

function structured() {
  const server = new McpServer({ name: "structured", version: "1" });
  const choice = z.object({ parity_choice: z.enum(["even", "odd"]) });
  server.registerTool("join_match", { inputSchema: z.object({ match_id: z.string() }) },
    async () => ({ content: [{ type: "text", text: "accepted" }] }));
  server.registerTool("choose_parity", { inputSchema: z.object({ match_id: z.string().min(2) }), outputSchema: choice },
    async () => ({ content: [{ type: "text", text: "see the structured content" }], structuredContent: { parity_choice: "even" } }));
  return server;
}

function plain() {
  const server = new McpServer({ name: "plain", version: "1" });
  server.registerTool("makeMove", { inputSchema: z.object({ matchId: z.string(), roundId: z.number().int() }) },
    async () => ({ content: [{ type: "text", text: "My choice is odd." }] }));
  return server;
}

// passOn answers a request of Node with a handler of web requests.
async function passOn(handler, req, res) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const hasBody = req.method !== "GET" && req.method !== "HEAD";
  const answer = await handler.fetch(new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method, headers: req.headers, body: hasBody ? Buffer.concat(chunks) : undefined,
  }));
  res.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) res.write(chunk);
  res.end();
}

function serve(kind, make, options) {
  return new Promise((resolve) => {
    const handler = createMcpHandler(make, options);
    const server = createServer((req, res) => {
      if (req.url !== "/mcp") {
        res.writeHead(404).end();
        return;
      }
      passOn(handler, req, res).catch(() => res.destroy());
    });
    server.listen(ports[kind] ?? 0, "127.0.0.1", () => {
      console.log(JSON.stringify({ kind, url: `http://127.0.0.1:${server.address().port}/mcp` }));
      resolve();
    });
  });
}

await serve("typescript 2", structured);
await serve("typescript 2 streams", plain, { responseMode: "sse" });
await serve("typescript 2 modern", structured, { legacy: "reject" });
console.log(JSON.stringify({ kind: "" }));
process.stdin.resume().on("end", () => process.exit(0));
