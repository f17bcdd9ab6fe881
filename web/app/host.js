// Speaks with the host around the view: JSON-RPC by postMessage, as the extension io.modelcontextprotocol/ui has it,
// version 2026-01-26. What others wrote becomes text, never HTML: append() makes text of strings.
"use strict";
const make = (tag, is = {}, ...inside) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(is)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside.filter((part) => part !== null && part !== undefined && part !== false));
  return made;
};
const list = (of) => Array.isArray(of) ? of : [];
const count = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
const rest = (ms) => new Promise((done) => setTimeout(done, ms));
const view = document.getElementById("view");

const host = (() => {
  const asked = new Map(), heard = {};
  let last = 0, can = {}, gone = false;
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const tell = (method, params = {}) => post({ method, params });
  const ask = (method, params) => new Promise((done, fail) => {
    asked.set(++last, { done, fail });
    post({ id: last, method, params });
  });

  const settle = ({ id, result, error }) => {
    const one = asked.get(id);
    asked.delete(id);
    if (one && error) one.fail(new Error(String(error.message || "the host refused")));
    else if (one) one.done(result || {});
  };
  const answer = ({ id, method }) => {
    if (method === "ui/resource-teardown") gone = true;
    if (gone || method === "ping") post({ id, result: {} });
    else post({ id, error: { code: -32601, message: "a view does not answer this" } });
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || !data || data.jsonrpc !== "2.0") return;
    if (data.method === undefined) settle(data);
    else if (data.id !== undefined) answer(data);
    else if (Object.hasOwn(heard, data.method)) heard[data.method](data.params || {});
  });

  const wear = ({ theme }) => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  };
  const text = (result) => list(result.content).filter((part) => part.type === "text").map((part) => String(part.text));
  // told is what a tool answered: its structured content, or the first of its texts that is an object in JSON.
  const told = (result) => {
    if (result.isError) throw new Error(text(result)[0] || "the league refused");
    if (result.structuredContent) return result.structuredContent;
    for (const part of text(result)) {
      try { const read = JSON.parse(part); if (read && typeof read === "object") return read; } catch { /* words */ }
    }
    return {};
  };

  return {
    on: (what, then) => { heard["ui/notifications/" + what] = then; },
    told,
    gone: () => gone,
    calls: () => !!can.serverTools,
    // call calls a tool of the league, and lets the model read the answer if it shall.
    call: async (name, args, forModel) => {
      const result = await ask("tools/call", { name, arguments: args });
      const read = told(result);
      if (forModel && can.updateModelContext) {
        ask("ui/update-model-context", { content: [{ type: "text", text: text(result)[0] || "" }] }).catch(() => {});
      }
      return read;
    },
    show: (...parts) => view.replaceChildren(...parts.filter(Boolean)),
    begin: async (name) => {
      const met = await ask("ui/initialize", {
        protocolVersion: "2026-01-26", appInfo: { name, version: "1" }, appCapabilities: { availableDisplayModes: ["inline"] },
      });
      can = met.hostCapabilities || {};
      wear(met.hostContext || {});
      heard["ui/notifications/host-context-changed"] = wear;
      tell("ui/notifications/initialized");
      let size = "";
      new ResizeObserver(() => {
        const width = Math.ceil(view.offsetWidth), height = Math.ceil(view.offsetHeight);
        if (size !== (size = width + " " + height)) tell("ui/notifications/size-changed", { width, height });
      }).observe(view);
    },
  };
})();
