// A player that is an MCP server, written with fastmcp of npm.
import { createServer } from "node:net";
import { FastMCP } from "fastmcp";
import { z } from "zod";

// freePort returns a port that nobody has.
const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

const server = new FastMCP({ name: "fast", version: "1.0.0" });
server.addTool({
  name: "acceptMatch", description: "Accept an invitation to a match", parameters: z.object({ matchId: z.string() }),
  execute: async () => JSON.stringify({ accept: true }),
});
server.addTool({
  name: "decide", description: "Decide on even or odd", parameters: z.object({ matchId: z.string() }),
  execute: async () => JSON.stringify({ parity_choice: "odd" }),
});
const port = JSON.parse(process.env.PORTS ?? "{}")["npm fastmcp"] ?? await freePort();
await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1", endpoint: "/mcp" } });
console.log(JSON.stringify({ kind: "npm fastmcp", url: `http://127.0.0.1:${port}/mcp` }));
console.log(JSON.stringify({ kind: "" }));
process.stdin.resume().on("end", () => process.exit(0));
