// The TypeScript client 2.x, in one of its modes: legacy, auto, or a version.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { play } from "./play.mjs";

const [url, token, wanted] = process.argv.slice(2);
const mode = /^\d/.test(wanted) ? { pin: wanted } : wanted;
const client = new Client({ name: "second", version: "1" }, { versionNegotiation: { mode } });
const heard = [];
client.setNotificationHandler("notifications/resources/updated", (n) => void heard.push(n.params.uri));
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const subscribe = (uri) =>
  mode === "legacy" ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] });
await play(client, subscribe, heard);
await client.close();
