// The TypeScript SDK 1.x.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { play } from "./play.mjs";

const [url, token] = process.argv.slice(2);
globalThis.threeArguments = true;
const client = new Client({ name: "first", version: "1" });
const heard = [];
client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => void heard.push(n.params.uri));
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
await play(client, (uri) => client.subscribeResource({ uri }), heard);
await client.close();
