// league.v2 on the wire: strict JSON-RPC 2.0 over HTTP, envelopes, refusals and registration. Nothing to change here.
import http from 'node:http';
import { forgetMatches, openBook } from './matches.mjs';
import { agreementKey, answered, begin, ended, goOn, recognize, welcome } from './places.mjs';
import { Refused, goesOn, identify, me, openIdentity, publicKey, random, showsManager, slug, stop } from './trust.mjs';

export { Refused, me };
const names = new Map(); // of the players, by their ids
const news = { // from the manager only
  notify_round: 'ROUND_ANNOUNCEMENT', update_standings: 'LEAGUE_STANDINGS_UPDATE', notify_round_completed: 'ROUND_COMPLETED', notify_league_completed: 'LEAGUE_COMPLETED',
};
const errors = {
  E000: ['INTERNAL_ERROR', -32603], E002: ['INVALID_MESSAGE', -32602], E003: ['MISSING_REQUIRED_FIELD', -32602],
  E006: ['MATCH_NOT_FOUND', 4003], E007: ['OUT_OF_TURN', 4005], E012: ['AUTH_TOKEN_INVALID', 4001],
  E018: ['PROTOCOL_VERSION_MISMATCH', -32602], E021: ['INVALID_TIMESTAMP', -32602],
};

export const now = () => new Date().toISOString().replace(/\.\d+/, '');

function envelope(kind, p) { // an answer repeats the conversation, the ids and the token of what it answers
  const out = {
    protocol: 'league.v2', message_type: kind, sender: `player:${me.id}`, timestamp: now(),
    conversation_id: p.conversation_id || `conv-${random(12)}`,
  };
  for (const k of ['auth_token', 'league_id', 'round_id', 'match_id']) if (p[k]) out[k] = p[k];
  return out;
}

const absent = (v) => v === undefined || v === null || v === '';
const isUTC = (t) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:00)$/.test(t) && !Number.isNaN(Date.parse(t));

function check(p, needs) {
  if ((p.protocol ?? 'league.v2') !== 'league.v2') throw new Refused('E018', 'protocol: want league.v2');
  if (!isUTC(p.timestamp ?? now())) throw new Refused('E021', 'timestamp: want UTC such as 2025-01-15T10:30:00Z');
  if (!/^((player|referee):.|(league_manager|admin)(:|$))/.test(p.sender || 'admin')) throw new Refused('E002', 'sender: want role:id such as referee:REF01');
  for (const k of needs) if (absent(p[k])) throw new Refused('E003', `the field ${k} is missing`);
  for (const k of ['conversation_id', 'auth_token', 'match_id']) if (!absent(p[k]) && typeof p[k] !== 'string') throw new Refused('E002', `${k}: want text`);
}

function refusal(p, method, code, detail) {
  const [name, usual] = errors[code], number = code === 'E012' && news[method] ? 3001 : usual;
  const words = { error_code: code, error_name: name, error_description: name };
  const said = Object.fromEntries(Object.entries(p).filter(([k, v]) => typeof v === 'string' && k !== 'auth_token'));
  const more = { original_message_type: said.message_type ?? method, retryable: false, context: { action: method, detail } };
  return { error: { code: number, message: name, data: { ...envelope('GAME_ERROR', said), ...words, ...more }, ...words } };
}

async function answer(methods, method, p, from) {
  const [reply, needs, handler] = methods[method];
  try {
    check(p, needs);
    recognize(p, news[method] ?? 'GAME_OVER');
    if (news[method] && me.matchTokens && !showsManager(p, news[method])) throw new Refused('E012', "this is not the token of the player's manager");
    const said = await handler(p, from) ?? { status: 'ACKNOWLEDGED' };
    if (method === 'notify_league_completed' && me.matchTokens) ended();
    return { result: { ...envelope(reply, p), player_id: me.id, ...said } };
  } catch (e) {
    if (e instanceof Refused) return refusal(p, method, e.code, e.message);
    console.error(e);
    return refusal(p, method, 'E000', 'the player failed');
  }
}

const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);
const framed = (id, said) => `{"jsonrpc":"2.0","id":${id},${JSON.stringify(said).slice(1)}`;
const failed = (id, code, message) => framed(id, { error: { code, message } });

// scan finds in valid JSON what JSON.parse hides: of each request its id as it was written, and whether a name occurs twice.
function scan(text) {
  const found = [{ id: 'null' }], open = [], depth = text.trimStart().startsWith('[') ? 2 : 1;
  let last, name;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|[{}[\],:]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && open.length < depth) found.push({ id: 'null' });
    else if (token === ':') {
      name = JSON.parse(last);
      found.at(-1).twice ||= open.at(-1).has(name);
      open.at(-1).add(name);
    } else if (last === ':' && name === 'id' && open.length === depth) found.at(-1).id = token;
    last = token;
  }
  return found;
}

async function respond(methods, request, { id, twice }, from) { // one request in, its answer out; undefined for a notification
  if (!isObject(request) || twice || !['string', 'number'].includes(typeof (request.id ?? ''))) return failed('null', -32600, 'Invalid Request');
  const { jsonrpc, method, params = {} } = request;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || typeof params !== 'object' || params === null) return failed(id, -32600, 'Invalid Request');
  let said = { error: { code: -32601, message: 'Method not found' } };
  if (Object.hasOwn(methods, method)) {
    said = isObject(params) ? await answer(methods, method, params, from) : refusal({}, method, 'E002', 'params: want an object');
  }
  return 'id' in request ? framed(id, said) : undefined;
}

const decode = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

async function respondAll(methods, body, from) {
  let text, request;
  try {
    text = decode(body);
    request = JSON.parse(text);
  } catch {
    return failed('null', -32700, 'Parse error');
  }
  const found = scan(text);
  if (!Array.isArray(request) || request.length < 1 || request.length > 64) return respond(methods, request, found[0], from);
  const answers = (await Promise.all(request.map((r, i) => respond(methods, r, found[i], from)))).filter(Boolean);
  return answers.length ? `[${answers}]` : undefined;
}

let home; // the manager's address
let table; // the methods of the player

export function standings(p) {
  const rows = Array.isArray(p.standings) ? p.standings : [];
  for (const s of rows) if (typeof s?.display_name === 'string') names.set(s.player_id, s.display_name);
}

export const named = (id) => (names.has(id) ? `${names.get(id).replace(/\p{C}/gu, '')} (${id})` : id); // names are known after the first round

export function page(match) { // where people see a match of this manager, without what else its address has: it may be a key
  const { origin, pathname } = new URL(home);
  return me.matchTokens ? `\n  See ${origin}${pathname.replace(/(\/leagues\/[^/]+)?\/mcp$/, '')}/leagues/${me.league}/matches/${match}` : '';
}


function endIfOver() {
  if (me.agentState === 'SHUTDOWN') process.exit(0);
  if (me.next) nextSeason();
}

async function serve(methods, req, res) {
  const chunks = [];
  let size = 0;
  for await (const chunk of req) if ((size += chunk.length) <= 1 << 20) chunks.push(chunk);
  const reply = (status, body = '') => {
    res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body, endIfOver);
  };
  const path = req.url.split('?')[0], allowed = { '/mcp': 'POST', '/health': 'GET' }[path];
  if (req.method !== allowed) return reply(allowed ? 405 : 404);
  if (path === '/health') return reply(200, JSON.stringify({ status: 'healthy', agent: `player:${me.id}` }));
  if (size > 1 << 20) return reply(413);
  const said = await respondAll(methods, Buffer.concat(chunks), req.socket.remoteAddress);
  return reply(said ? 200 : 202, said);
}

function send(url, body, seconds = 15) { // a GET without a body
  const headers = { 'Content-Type': 'application/json', ...(me.secret && { Authorization: `Bearer ${me.secret}` }) };
  return fetch(url, { method: body === undefined ? 'GET' : 'POST', body, headers, signal: AbortSignal.timeout(seconds * 1000) });
}

async function openMailbox(manager) { // the manager keeps messages to the player, which fetches them
  try {
    const made = await (await send(`${manager.replace(/\/mcp$/, '')}/mailboxes`, '')).json();
    Object.assign(me, { endpoint: made.contact_endpoint, secret: made.secret });
    fetchAll(made.next, made.answer);
  } catch {
    return false; // it has no mailboxes
  }
  console.log('The manager cannot call this player, which fetches its messages instead (mailbox).');
  return true;
}

async function fetchAll(next, answer) { // a message is answered while the next one is fetched, since some take long
  for (;;) {
    try {
      const letter = await send(next, undefined, 40);
      if (letter.status === 200) give(answer + letter.headers.get('Answer-To'), Buffer.from(await letter.arrayBuffer()));
      else if (letter.status !== 204) await pause(1);
    } catch {
      await pause(1);
    }
  }
}

async function give(url, body) {
  const said = (await respondAll(table, body, '')) ?? '';
  for (const wait of [1, 2, 4, 0]) {
    try {
      await send(url, said);
      break; // also if it is too late
    } catch {
      await pause(wait);
    }
  }
  endIfOver();
}

const pause = (seconds) => new Promise((wake) => { setTimeout(wake, seconds * 1000); });

async function ask(manager, player_meta, attempt) { // the manager's answer to one registration; without one there is no manager yet, or it is busy
  const conversation_id = `conv-player-${slug(me.name)}-reg-${random(12)}`;
  const params = { ...envelope('LEAGUE_REGISTER_REQUEST', { conversation_id, ...begin(manager, conversation_id, attempt) }), player_meta };
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'register_player', params, id: 1 });
  let reply;
  try {
    const got = await send(manager, body);
    reply = decode(await got.arrayBuffer());
  } catch { /* there is no manager yet */ }
  return answered(reply);
}

async function register(manager) { // every two seconds until there is a place
  const meta = {
    display_name: me.name, version: '1.0.0', protocol_version: '2.1.0', game_types: ["__GAMES__"], contact_endpoint: me.endpoint,
    match_tokens: true, public_key: publicKey(), agreement_key: agreementKey(), nonce: random(8),
  };
  let r, told = null; // what was printed last: a code, or '' while there is no manager
  for (let attempt = 0; (r = await ask(manager, meta, attempt))?.status !== 'ACCEPTED'; attempt += 1) {
    const uncalled = ['E009', 'E024'].includes(r?.error_code) || (!r && me.uncalled);
    if (uncalled && !me.secret && await openMailbox(manager)) {
      meta.contact_endpoint = me.endpoint;
      continue;
    }
    if (r && !r.readmit_code) stop(`The manager refused: ${r.reason}`);
    if (r && told !== r.readmit_code) console.log(`The manager refused: ${r.reason}\nThe player asks again every two seconds until it is let in.`);
    else if (!r && told === null) console.log(`Waiting for the manager at ${manager}`);
    told = r?.readmit_code ?? told ?? '';
    await pause(2);
  }
  if (me.state === 'UNREGISTERED') me.state = 'REGISTERED'; // what the manager has said since stands
  if (me.agentState === 'INIT') me.agentState = 'REGISTERED';
  console.log(`${me.name} is ${me.id} in ${me.league}`);
  if (goesOn(r.next_league_id)) nextSeason(); // it was not there when everybody was told
  else if (r.league_over === true && me.matchTokens) {
    console.log('The league is over; there is nothing left to play.');
    ended();
    const { league } = me;
    setTimeout(() => { if (me.league === league && !me.next) process.exit(0); }, 3000); // for what the manager still has to say
  }
}

function nextSeason() {
  goOn();
  forgetMatches();
  register(home);
}

export async function play(name, port, manager, methods, host = '127.0.0.1') { // until the last season is over
  home = manager;
  table = { ...methods, welcome: ['WELCOME_ACK', ['conversation_id'], welcome], identify: ['IDENTITY', ['challenge'], identify] };
  await openIdentity(name);
  openBook();
  const server = http.createServer((req, res) => serve(table, req, res).catch(() => res.destroy())); // the caller went away
  server.on('error', (e) => stop(`Port ${port} of ${host} is not free (${e.code}): stop the program that uses it, or choose another with --port`));
  server.listen(port, host, () => {
    me.endpoint = `http://${host}:${server.address().port}/mcp`;
    console.log(`${name} listens at ${me.endpoint}`);
    register(manager);
  });
}
