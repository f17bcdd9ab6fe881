// Who this player is: its key, its place in a league and the files in which both are kept; what it signs, and which
// tokens show that a caller is its manager or a referee of its manager. Nothing to change here.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createHash, createHmac, createPrivateKey, createPublicKey, randomBytes, sign as signBytes, timingSafeEqual } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { fileURLToPath } from 'node:url';

export const me = {
  name: '', id: 'new', league: '', token: '', seal: '', matchTokens: false, endpoint: '', next: '', state: 'UNREGISTERED', agentState: 'INIT',
};
export const place = {}; // what the identity file says
export const heads = []; // of the league's log that the manager has told, the newest last
let underWay; // the registration that is: its manager and conversation
let key;

export class Refused extends Error { // new Refused('E003', 'the field match_id is missing')
  constructor(code, detail) {
    super(detail);
    this.code = code;
  }
}

export const random = (size) => randomBytes(size).toString('hex');
export const hashOf = (data) => createHash('sha256').update(data).digest('hex');
export const hashed = (...lines) => hashOf(lines.join('\n'));
const keyed = (token, ...lines) => createHmac('sha256', token).update(lines.join('\n')).digest('base64url');
export const sign = (...lines) => signBytes(null, Buffer.from(lines.join('\n')), key).toString('hex');
export const publicKey = () => Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x, 'base64url').toString('hex');

export function same(a, b) {
  const [x, y] = [hashed(a ?? ''), hashed(b ?? '')];
  return timingSafeEqual(Buffer.from(x), Buffer.from(y));
}

export function slug(name) { // a name as a part of a file's name; one that loses something by that gets a few digits
  const tidy = (text) => text.replace(/^-+|-+$/g, '');
  const short = tidy(name.toLowerCase().replace(/[^a-z0-9]+/g, '-')).slice(0, 40);
  return short === name.toLowerCase().replaceAll(' ', '-') ? short : tidy(`${short}-${hashed(name).slice(0, 8)}`);
}

// kept names a file of this player, beside the program.
export const kept = (kind, ending) => path.join(path.dirname(fileURLToPath(import.meta.url)), `${kind}-${slug(me.name)}${ending}`);

export function write(file, text) { // all of it or nothing, and for nobody else to read
  const out = fs.openSync(`${file}.new`, 'w', 0o600);
  try {
    fs.writeFileSync(out, text);
    fs.fsyncSync(out);
  } finally {
    fs.closeSync(out);
  }
  fs.renameSync(`${file}.new`, file);
}

export function stop(words) {
  console.error(words);
  process.exit(1);
}

// Of all processes only one can listen at a local socket, and nobody does when it has ended. The path has to be short.
async function lock() {
  const file = kept('identity', '.lock'), near = path.relative('', file);
  const at = process.platform === 'win32' ? `\\\\.\\pipe\\league-${hashed(file)}` : near.length < file.length ? near : file;
  const listen = () => new Promise((yes, no) => {
    const server = net.createServer((caller) => caller.destroy()).once('error', no);
    server.listen(at, () => yes(server.unref()));
  });
  const taken = () => new Promise((tell) => {
    const caller = net.connect(at, () => { caller.destroy(); tell(true); }).once('error', () => tell(false));
  });
  try {
    await listen();
  } catch (e) {
    if (e.code !== 'EADDRINUSE' || await taken()) stop(`${me.name} is already running, with ${kept('identity', '.json')} (${e.code}): stop that one, or choose another --name`);
    fs.rmSync(file, { force: true }); // it was killed
    await listen();
  }
  process.on('exit', () => fs.rmSync(file, { force: true }));
}

export async function openIdentity(name) { // from now on this is the player of that name
  me.name = name;
  await lock();
  const file = kept('identity', '.json');
  try {
    if (fs.existsSync(file)) Object.assign(place, JSON.parse(fs.readFileSync(file, 'utf8')));
    else keepPlace({ display_name: name, private_key: random(32) });
    const seed = Buffer.from(place.private_key, 'hex');
    if (seed.length !== 32) throw new Error('the private_key has the wrong length');
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]); // PKCS #8 of an ed25519 key
    key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } catch (e) {
    stop(`${file} cannot be used (${e.message}): restore it, or remove it to start as a new player`);
  }
}

function keepPlace(now) {
  write(kept('identity', '.json'), JSON.stringify({ ...place, ...now }, null, 2));
  Object.assign(place, now);
}

function takePlace() { // be who the identity file says
  Object.assign(me, { id: place.id, league: place.league_id, seal: place.seal, token: place.token, matchTokens: true });
  heads.length = 0;
  try {
    const was = JSON.parse(fs.readFileSync(kept('witness', '.json'), 'utf8'));
    if (was.seal === me.seal && was.player_id === me.id) heads.push(...was.heads);
  } catch { /* nothing was heard yet */ }
}

// What the manager shows: a token for one kind of message in one round.
export const showsManager = (p, kind) => me.matchTokens
  && same(p.auth_token, `tok_manager_${keyed(me.token, 'manager', me.league, kind, String(p.round_id ?? 0))}`);

// What a referee of the manager's shows: a token for one attempt at a match.
export const showsReferee = (p, match, attempt, referee) => me.matchTokens
  && same(p.auth_token, `tok_match_${keyed(me.token, 'match', me.league, match, String(attempt), referee)}`);

export function apply(manager, conversation) { // from now on the player may be welcomed; returns the token to show
  underWay = { manager, conversation };
  if (place.manager !== manager || !place.token) return process.env.LEAGUE_JOIN_KEY;
  takePlace();
  return place.token;
}

// The league in which the player has, or wants, a place with a manager.
export const leagueAt = (manager) => (place.manager === manager ? place.league_id : undefined);

export function goesOn(next) { // notes in which league the same players play on; only our manager is believed
  if (me.matchTokens && typeof next === 'string' && next && next !== place.league_id) me.next = next;
  return Boolean(me.next);
}

export function goOn() { // the same player in the next season, where its place is yet to be given
  keepPlace({ league_id: me.next, token: '' });
  Object.assign(me, { next: '', state: 'UNREGISTERED', agentState: 'INIT' });
}

export async function welcome(p) { // the manager gives a place to whoever answers here; it is kept before it is taken
  for (const k of ['manager', 'seal', 'id', 'token']) if (typeof p[k] !== 'string') throw new Refused('E002', `${k}: want text`);
  const asked = underWay;
  if (!asked || !same(p.conversation_id, asked.conversation)) throw new Refused('E007', 'this player has not asked for a place in that conversation');
  if (!await sameManager(asked.manager, p.manager)) throw new Refused('E012', 'this player asked another manager for a place');
  if (asked !== underWay) throw new Refused('E007', 'this player is no longer waiting for that place');
  keepPlace({ manager: asked.manager, league_id: p.league_id ?? '', seal: p.seal, id: p.id, token: p.token });
  takePlace();
  const nonce = random(16);
  return { nonce, signature: sign('league.welcome.v1', p.manager, p.seal, p.id, me.endpoint, nonce, hashed(p.token)) };
}

export function identify(p) { // somebody asks whether this is a certain player
  if (typeof p.challenge !== 'string' || p.challenge.length > 128) throw new Refused('E002', 'challenge: want at most 128 characters');
  const said = { agent: `player:${me.id}` };
  if (me.seal) said.signature = sign('league.identity.v1', me.seal, me.id, me.endpoint, p.challenge);
  return said;
}

export function admitted(r, manager) { // the answer to the registration; a place that was taken with a signature stands
  underWay = undefined;
  const ours = r.match_tokens && place.manager === manager && place.token;
  if (ours && (!r.auth_token || r.seal === place.seal)) {
    if (r.player_id !== place.id) stop(`The manager welcomed this player as ${place.id} but then registered it as ${r.player_id}`);
    if (r.auth_token && r.auth_token !== place.token) keepPlace({ token: r.auth_token });
    takePlace();
  } else if (r.match_tokens && !r.auth_token) {
    stop(`The manager gave no token, because it got no answer from this player at ${me.endpoint}: check that it can reach this address`);
  } else Object.assign(me, { id: r.player_id, league: r.league_id, token: r.auth_token ?? '', seal: '', matchTokens: Boolean(r.match_tokens) });
}

export function hear(p) { // a head of the league's log: what the manager has told cannot be rewritten later
  let [what, round] = p.round_id > 0 ? ['round', p.round_id] : ['completed', 0];
  if (p.matches) [what, round] = round > 1 ? ['round', round - 1] : ['started', 0]; // an announcement tells the end of the round before
  // What was told first of a line stands: who has read a message can repeat it with another head.
  const known = (h) => h.head === p.head || (h.what === what && h.round === round);
  if (!me.seal || !p.head || typeof p.head !== 'string' || heads.some(known)) return;
  if (p.seal && p.seal !== me.seal) {
    console.log('The manager sent a log entry of a league with another seal than the one that this player joined');
    return;
  }
  heads.push({ what, round, head: p.head });
  write(kept('witness', '.json'), JSON.stringify({
    schema_version: '1.0.0', league_id: me.league, seal: me.seal, player_id: me.id, public_key: publicKey(), heads, last_updated: p.timestamp ?? '',
  }, null, 2));
}

export function lastWord(head) { // what the player signs when the league is over
  return me.seal && head ? { head, signature: sign('league.end.v1', me.seal, me.id, head) } : {};
}

async function sameManager(asked, said) { // the same port of one machine, by whatever name
  const read = (text) => { try { return new URL(text); } catch { return new URL('none://none'); } };
  const [a, b] = [read(asked), read(said)], port = (u) => u.port || { 'http:': '80', 'https:': '443' }[u.protocol];
  if (port(a) !== port(b)) return false;
  return a.hostname === b.hostname || sameMachine(await addresses(a), await addresses(b));
}

export async function addresses(url) {
  try {
    return (await lookup(url.hostname.replace(/^\[|\]$/g, ''), { all: true })).map((found) => found.address);
  } catch {
    return [];
  }
}

export const sameMachine = (a, b) => a.some((address) => b.includes(address)) || (a.some(isHere) && b.some(isHere));

function isHere(address) { // whether it is an address of this machine
  const own = Object.values(os.networkInterfaces()).flat().map((n) => n.address);
  return /^(127\.|::1$|::ffff:127\.)/.test(address) || own.includes(address);
}
