// A player that is a program, written with the official library of TypeScript.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "program", version: "1" });
server.registerTool("chooseParity", { inputSchema: { matchId: z.string() } }, () => ({ content: [{ type: "text", text: "even" }] }));
await server.connect(new StdioServerTransport());
