// The player's places in leagues. Nothing to change here.
//
// The manager grants a place with a challenge, welcome, during the registration. Player and manager then compute the same
// token T from an X25519 key of each side: T is neither sent nor stored. A place is pending until a message of the manager
// or of a referee proves that the manager has accepted it. doc/key-agreement.json of the league has test vectors.
import { createHmac, createPrivateKey, createPublicKey, diffieHellman, hkdfSync } from 'node:crypto';
import { attemptOf, refereeOf } from './matches.mjs';
import { Refused, hashed, identity, keyed, kept, managerToken, matchToken, me, notice, publicKey, random, same, sameManager, savePlaces, sign, takePlace } from './trust.mjs';

const most = 16; // places in the identity file
const tokens = new Map(); // T, by what it is derived from
let asked; // the registration in progress: { manager, league, conversation } and, once challenged, place

const hkdf = (secret, salt, info) => Buffer.from(hkdfSync('sha256', secret, salt, info, 32));
const der = (prefix, raw) => Buffer.concat([Buffer.from(prefix, 'hex'), raw]);
const privateBytes = () => hkdf(Buffer.from(identity.private_key, 'hex'), '', 'league.agreement.v1');
const privateKey = () => createPrivateKey({ key: der('302e020100300506032b656e04220420', privateBytes()), format: 'der', type: 'pkcs8' });

export const agreementKey = () => Buffer.from(createPublicKey(privateKey()).export({ format: 'jwk' }).x, 'base64url').toString('hex');

export function token({ seal, league_id, manager_key, id, epoch }) { // T; a manager_key of small order throws
  const known = JSON.stringify([seal, league_id, manager_key, id, epoch]);
  if (!tokens.has(known)) {
    const other = createPublicKey({ key: der('302a300506032b656e032100', Buffer.from(manager_key, 'hex')), format: 'der', type: 'spki' });
    const shared = diffieHellman({ privateKey: privateKey(), publicKey: other });
    const info = ['league.token.v2', league_id, `player:${id}`, manager_key, publicKey(), agreementKey(), epoch].join('\n');
    tokens.set(known, `tok_player_${id}_${hkdf(shared, seal, info).toString('base64url')}`);
  }
  return tokens.get(known);
}

// ownerKey is what the player's owner shows on the league's pages; T does not follow from it.
export const ownerKey = (place) => `tok_owner_${place.id}_${keyed(token(place), 'owner', place.league_id, place.id)}`;

export function begin(manager, conversation, attempt) { // from now on the player may be challenged; returns what the registration adds
  const current = identity.places.filter((p) => p.manager === manager && !p.pending), last = current.at(-1);
  let leagues = current.filter((p) => !p.over).map((p) => p.league_id).reverse();
  if (last?.over) leagues = last.next ? [last.next] : [];
  else if (last && !me.seal) takePlace(last, token(last));
  asked = { manager, conversation, league: leagues[attempt % leagues.length] };
  return { auth_token: process.env.LEAGUE_JOIN_KEY, league_id: asked.league };
}

export function readCreated(line) { // line 1 of the league's log
  try {
    const { seq, events: [{ kind, event: { league_id, manager_key } }] } = JSON.parse(line);
    if (seq === 1 && kind === 'LeagueCreated' && typeof league_id === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(league_id)) return { seal: hashed(line), league_id, manager_key };
  } catch { /* it is something else */ }
  throw new Refused('E002', "created: want line 1 of the league's log");
}

function refuse(code, words) {
  notice(`Refused a challenge of the manager: ${words}`);
  throw new Refused(code, words);
}

export async function welcome(p) { // answers the manager's challenge; the place is on disk before the answer goes out
  const was = asked, late = 'this player has no registration in progress in that conversation';
  if (!was || !same(p.conversation_id, was.conversation)) refuse('E007', late);
  const old = `the manager at ${was.manager} is an older version and must be updated`;
  if (!p.created) refuse('E003', `the field created is missing: ${old}`);
  for (const k of ['manager', 'id', 'endpoint', 'nonce']) if (typeof p[k] !== 'string' || !/^[^\s\p{C}]{1,512}$/u.test(p[k])) throw new Refused('E002', `${k}: want text without spaces`);
  if (!Number.isSafeInteger(p.epoch) || p.epoch < 1) throw new Refused('E002', 'epoch: want a number from 1');
  if (!await sameManager(was.manager, p.manager)) refuse('E012', `it names the manager ${p.manager}, but this player called ${was.manager}`);
  if (p.endpoint !== me.endpoint) refuse('E012', `it is for the endpoint ${p.endpoint}, but this player is at ${me.endpoint}`);
  const created = readCreated(p.created), { seal, league_id } = created, manager_key = created.manager_key || p.manager_key;
  if (was.league && league_id !== was.league) refuse('E012', `it is for the league ${league_id}, but this player asked for ${was.league}`);
  if (!manager_key) refuse('E003', `the field manager_key is missing: ${old}`);
  if (typeof manager_key !== 'string' || !/^[0-9a-f]{64}$/.test(manager_key)) throw new Refused('E002', 'manager_key: want 64 lower-case hexadecimal digits');
  if (asked !== was) refuse('E007', late);
  const changed = identity.places.some((q) => q.seal === seal && q.manager_key !== manager_key) || (p.manager_key && p.manager_key !== manager_key);
  if (changed) refuse('E012', `the manager of ${league_id} has another manager_key than before`);
  const place = { manager: was.manager, league_id, seal, manager_key, id: p.id, epoch: p.epoch, pending: true, over: false };
  const nonce = random(16);
  const text = ['league.welcome.v2', p.manager, seal, manager_key, 'player', p.id, p.epoch, p.endpoint, p.nonce, nonce, agreementKey()].join('\n');
  let proof;
  try {
    proof = createHmac('sha256', token(place)).update(`confirm\n${text}`).digest('hex');
  } catch {
    refuse('E012', 'manager_key: it is a point of small order');
  }
  place.owner_key = ownerKey(place);
  keep([...identity.places.filter((q) => q.seal !== seal || !q.pending), place]);
  was.place = place;
  return { sender: `player:${p.id}`, player_id: p.id, nonce, signature: sign(text), confirm: proof };
}

function keep(places) { // the newest; a pending place or one whose league is over goes first
  while (places.length > most) places.splice(Math.max(0, places.slice(0, -1).findIndex((p) => p.pending || p.over)), 1);
  savePlaces(places);
}

function update(places) { // a failure loses nothing: the place is on disk as pending, and a message of the manager confirms it again
  try {
    keep(places);
  } catch (e) {
    notice(`The identity file could not be written: ${e.message}`);
  }
}

function confirm(place) { // the manager has accepted it: from now on it is the place of its seal, and the player plays there
  place.pending = false;
  update([...identity.places.filter((p) => p.seal !== place.seal), place]);
  takePlace(place, token(place));
}

export function recognize(p, kind) { // switches to the place whose T made the token of a message, if it is not the one in which the player plays
  if (!/^tok_(manager|match)_/.test(p.auth_token ?? '')) return;
  const made = (by, league) => same(p.auth_token, managerToken(by, league, kind, p.round_id))
    || same(p.auth_token, matchToken(by, league, p.match_id, attemptOf(p), refereeOf(p)));
  if (me.matchTokens && made(me.token, me.league)) return;
  const place = identity.places.find((q) => !q.over && made(token(q), q.league_id));
  if (place) confirm(place);
}

export function ended(next) { // the league of the place is over; next is the league in which the same players play on
  if (!me.place) return;
  Object.assign(me.place, { over: true, next: next ?? me.place.next });
  update(identity.places);
}

export function goOn() { // the same player in the next season, where it has no place yet
  ended(me.next);
  Object.assign(me, { next: '', state: 'UNREGISTERED', agentState: 'INIT' });
}

export function member(text, wanted) { // the text of a member of a JSON object, byte for byte
  let depth = 0, name, last, start, end;
  for (const { 0: part, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|[{}[\],:]/g)) {
    if (depth === 1 && start !== undefined && (part === ',' || part === '}')) return text.slice(start, end);
    if (depth === 1 && part === ':') name = JSON.parse(last);
    else if (depth === 1 && last === ':' && name === wanted) start = index;
    if (part === '{' || part === '[') depth += 1;
    if (part === '}' || part === ']') depth -= 1;
    last = part;
    end = index + part.length;
  }
  return undefined;
}

export function authentic(place, text, m, conversation) { // whether the manager of a place made this answer
  const shown = m.auth_token;
  if (typeof shown !== 'string' || !shown || text.split(shown).length !== 2) return false;
  const hash = hashed(text.split(shown).join(''));
  return same(shown, `tok_manager_${keyed(token(place), 'answer', place.league_id, m.message_type ?? '', conversation, hash)}`);
}

// answered reads the answer to a registration, undefined if there was none. It returns undefined if the player has to register again.
export async function answered(body) {
  const was = asked;
  asked = undefined;
  me.uncalled = false;
  if (body === undefined) return undefined;
  const here = was.place ? [was.place] : [];
  for (const p of identity.places) if (!p.pending && !p.over && await sameManager(p.manager, was.manager)) here.push(p);
  let m, maker, error;
  try {
    error = JSON.parse(body).error ?? undefined;
    const text = error ? member(member(body, 'error'), 'data') : member(body, 'result');
    m = JSON.parse(text ?? '{}') ?? {};
    maker = here.find((p) => authentic(p, text ?? '', m, was.conversation));
  } catch {
    m = undefined;
  }
  me.uncalled = here.length > 0 && !maker && !was.place; // no challenge has reached this player
  if (here.length && !maker) {
    notice(`Ignored an answer that is not authenticated by the manager at ${was.manager}; retrying. (To give up this player's place there, remove it from ${kept('identity', '.json')}.)`);
    return undefined;
  }
  if (!m) return undefined;
  if (m.status === undefined) { // an error
    const words = [error?.message, m.detail ?? m.context?.detail, m.suggestion].filter((w) => typeof w === 'string');
    return m.retryable || error?.code === -32603 ? undefined : { reason: words.join(' ') };
  }
  if (m.status !== 'ACCEPTED') return m;
  if (maker && maker === was.place) confirm(maker);
  else if (maker || m.match_tokens) {
    notice(`The manager accepted the registration but never challenged this player at ${me.endpoint}; check that it can reach this address`);
    return undefined;
  } else Object.assign(me, { id: m.player_id, league: m.league_id, place: undefined, token: '', seal: '', matchTokens: false }); // a third-party manager
  return m;
}
