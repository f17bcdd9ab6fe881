// A host that shows the views of an MCP server, made of the extension's own bridge. It does what the specification
// asks of a host that is a web page; the test is its user and its model.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri,
} from "@modelcontextprotocol/ext-apps/app-bridge";

const info = { name: "test-host", version: "1" };
const sandbox = new URLSearchParams(location.search).get("sandbox");
const client = new Client(info, {
  capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
});
const views = {}; // by the names of their tools

// call calls a tool as a model would.
const call = async (name, args = {}) => {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(result.content[0].text);
  return result;
};

// open shows the view of a tool. Its answer is given by answer.
const open = async (name, args, theme) => {
  const tool = (await client.listTools()).tools.find((one) => one.name === name);
  const uri = getToolUiResourceUri(tool);
  const [document_] = (await client.readResource({ uri })).contents;
  if (document_.mimeType !== RESOURCE_MIME_TYPE) throw new Error("the view is " + document_.mimeType);
  const { csp, permissions } = document_._meta.ui;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  document.body.prepend(frame); // the newest is on top, and nothing moves it
  const hostContext = { theme, displayMode: "inline", toolInfo: { tool }, containerDimensions: { width: 640 } };
  const bridge = new AppBridge(client, info, { serverTools: {}, updateModelContext: { text: {} } }, { hostContext });
  const view = views[name] = { frame, bridge, hostContext, sizes: 0, read: [] };
  bridge.addEventListener("sizechange", ({ height }) => { view.sizes++; frame.style.height = height + "px"; });
  bridge.onupdatemodelcontext = async ({ content }) => { view.read.push(content[0].text); return {}; };
  bridge.addEventListener("sandboxready", () => bridge.sendSandboxResourceReady({ html: document_.text, csp, permissions }));
  const ready = new Promise((done) => bridge.addEventListener("initialized", done));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = `${sandbox}/sandbox?host=${location.origin}&csp=${encodeURIComponent(JSON.stringify(csp))}`;
  await ready;
  await bridge.sendToolInput({ arguments: args });
  return { uri, app: bridge.getAppVersion().name, closed: frame.contentDocument === null };
};

// answer has the model's own call answered, shows the answer, and tells whether it is a turn.
const answer = async (name, args) => {
  const result = await call(name, args);
  await views[name].bridge.sendToolResult(result);
  return !!result.structuredContent.turn;
};

// probe asks the sandbox, which is the test's own, what is in the view.
const probe = (name, question) => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => done(data);
  views[name].frame.contentWindow.postMessage(question, sandbox, [port2]);
});

// look finds elements of a view, with their places in this page.
const look = async (name, selector) => {
  const seen = await probe(name, { look: selector });
  const at = views[name].frame.getBoundingClientRect();
  for (const one of seen.found) {
    one.inside = one.y < at.height - 2;
    one.x += at.x + 1; // the frame's border
    one.y += at.y + 1;
  }
  return { ...seen, sizes: views[name].sizes, read: views[name].read, height: at.height };
};

const wear = (name, theme) => { views[name].bridge.setHostContext({ ...views[name].hostContext, theme }); return true; };
const close = async (name) => { await views[name].bridge.teardownResource({}); views[name].frame.remove(); return true; };

await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
window.host = { call, open, answer, look, probe, wear, close };
