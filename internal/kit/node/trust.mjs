// The player's identity: its key, the files that hold it, what it signs, and the tokens by which it recognizes its
// manager and the referees of its manager. Nothing to change here.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createHash, createHmac, createPrivateKey, createPublicKey, randomBytes, sign as signBytes, timingSafeEqual } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { fileURLToPath } from 'node:url';

export const me = {
  name: '', id: 'new', league: '', place: undefined, token: '', seal: '', matchTokens: false, endpoint: '', next: '', state: 'UNREGISTERED', agentState: 'INIT',
};
export const identity = { places: [] }; // the content of the identity file: display_name, private_key and places (see places.mjs)
export const heads = []; // of the league's log that the manager has told, the newest last
const printed = new Set(); // the notices so far
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
export const keyed = (token, ...lines) => createHmac('sha256', token).update(lines.join('\n')).digest('base64url');
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

export function notice(line) { // prints a line once
  if (printed.has(line) || printed.size >= 50) return;
  printed.add(line);
  console.log(line);
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
    const old = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { private_key: random(32), token: '' };
    useIdentity(name, old.private_key, old.places ?? []);
    // A file with a token is of an older kit; the manager finds the player's place by its key.
    if ('token' in old) savePlaces([]);
  } catch (e) {
    stop(`${file} cannot be used (${e.message}): restore it, or remove it to start as a new player`);
  }
}

export function useIdentity(name, privateKey, places) {
  const seed = Buffer.from(privateKey, 'hex');
  if (seed.length !== 32) throw new Error('the private_key has the wrong length');
  for (const p of places) {
    const texts = [p.manager, p.league_id, p.seal, p.manager_key, p.id];
    if (!texts.every((v) => typeof v === 'string') || !/^[0-9a-f]{64}$/.test(p.manager_key) || !Number.isSafeInteger(p.epoch)) throw new Error('a place has the wrong form');
  }
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]); // PKCS #8 of an ed25519 key
  key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  Object.assign(identity, { display_name: name, private_key: privateKey, places });
}

export function savePlaces(places) {
  write(kept('identity', '.json'), JSON.stringify({ ...identity, places }, null, 2));
  identity.places = places;
}

export function takePlace(place, token) { // makes a place the one in which the player plays
  Object.assign(me, { id: place.id, league: place.league_id, place, seal: place.seal, token, matchTokens: true });
  heads.length = 0;
  try {
    const was = JSON.parse(fs.readFileSync(kept('witness', '.json'), 'utf8'));
    if (was.seal === me.seal && was.player_id === me.id) heads.push(...was.heads);
  } catch { /* there is none yet */ }
}

// A manager's token is for one kind of message in one round, a referee's for one attempt at a match.
export const managerToken = (token, league, kind, round) => `tok_manager_${keyed(token, 'manager', league, kind, String(round ?? 0))}`;
export const matchToken = (token, league, match, attempt, referee) => `tok_match_${keyed(token, 'match', league, match, String(attempt), referee)}`;
export const showsManager = (p, kind) => me.matchTokens && same(p.auth_token, managerToken(me.token, me.league, kind, p.round_id));
export const showsReferee = (p, match, attempt, referee) => me.matchTokens && same(p.auth_token, matchToken(me.token, me.league, match, attempt, referee));

export function goesOn(next) { // notes in which league the same players play on; only a native manager is believed
  if (me.matchTokens && typeof next === 'string' && next && next !== me.league) me.next = next;
  return Boolean(me.next);
}

export function identify(p) { // signs that this player is the one at its endpoint
  if (typeof p.challenge !== 'string' || p.challenge.length > 128) throw new Refused('E002', 'challenge: want at most 128 characters');
  const said = { agent: `player:${me.id}` };
  if (me.seal) said.signature = sign('league.identity.v1', me.seal, me.id, me.endpoint, p.challenge);
  return said;
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

export async function sameManager(asked, named) { // scheme, port, path and host are the same; a host may have several names
  const read = (text) => { try { return new URL(text); } catch { return new URL('none://none'); } };
  const base = (path) => path.replace(/\/(k|leagues)\/[^/]+/g, '').replace(/(\/mcp)?\/?$/i, ''); // without the join key, the league and /mcp
  const [a, b] = [read(asked), read(named)];
  if (a.protocol !== b.protocol || a.port !== b.port || base(a.pathname) !== base(b.pathname)) return false;
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
