// The matches that the player is in: who invited it, and what it has answered and signed. Nothing to change here.
//
// A referee of the player's own manager shows a token that only it can know, and has the match to itself. Where the
// announced referee is foreign nobody can tell it from a stranger: each that invites has a seat of its own, and all of
// them get the same answers.
import fs from 'node:fs';
import { Refused, addresses, hashOf, hashed, heads, identity, kept, me, same, sameMachine, showsManager, showsReferee, sign, stop, write } from './trust.mjs';

const bouts = new Map(); // by league, match and attempt: { seats, choices }
const announced = new Map(); // the addresses of foreign referees, by league and match
let before = []; // lines of the answers file from before the player was started again
let book; // that file
const few = 8, many = 64; // seats in a match for those who call from elsewhere, and from where the referee was announced to be

export const attemptOf = (p) => (p.attempt > 1 ? p.attempt : 1);
export const refereeOf = (p) => String(p.sender ?? '').replace(/^[^:]*:?/, '');
const key = (p) => JSON.stringify([me.seal, p.match_id, attemptOf(p)]);
const inLeague = (match) => JSON.stringify([me.seal, match]);
const isReferee = (p) => showsReferee(p, p.match_id, attemptOf(p), refereeOf(p));
const stranger = () => new Refused('E012', "this is not the token of the match's referee");

export function announce(matches) {
  for (const m of matches) {
    if (m.player_A_id !== me.id && m.player_B_id !== me.id) continue;
    const at = inLeague(m.match_id);
    announced.delete(at);
    if (m.match_tokens) continue;
    announced.set(at, []);
    try {
      addresses(new URL(m.referee_endpoint)).then((found) => announced.set(at, found));
    } catch { /* it is nowhere */ }
  }
}

export function forgetMatches() { // those of the next season have the same ids
  bouts.clear();
  announced.clear();
}

export function find(p) { // the bout that a referee's message is about, and the seat of who sends it
  const bout = bouts.get(key(p)) ?? resume(p);
  if (!bout) throw new Refused('E006', `this player was not invited to match ${p.match_id}`);
  const seat = bout.seats.find((s) => same(s.token, p.auth_token));
  if (!seat) throw stranger();
  return { bout, seat };
}

export function invite(p, from) {
  const seats = bouts.get(key(p))?.seats ?? [];
  if (seats.some((s) => same(s.token, p.auth_token))) return;
  const native = isReferee(p), there = sameMachine([from], announced.get(inLeague(p.match_id)) ?? []);
  const foreign = !me.matchTokens || announced.has(inLeague(p.match_id));
  if ((!native && !foreign) || (native && seats.some((s) => s.native))) throw stranger();
  const others = [...bouts.values()].flatMap((b) => b.seats).filter((s) => s.seal === me.seal && s.match_id === p.match_id && !s.native && s.there === there);
  if (!native && others.length >= (there ? many : few)) throw new Refused('E012', `${others.length} other referees have already sent invitations to match ${p.match_id}`);
  const line = {
    seal: me.seal, player_id: me.id, match_id: p.match_id, attempt: attemptOf(p), referee_id: refereeOf(p), round_id: p.round_id ?? 0,
    opponent_id: p.opponent_id ?? '', commitment: p.fairness?.commitment ?? '',
  };
  if (native) keep(line);
  sit(p, line, native, there);
}

function sit(p, line, native, there) {
  const seat = { ...line, token: p.auth_token, native, there, chain: '', answers: [], given: new Map() };
  for (const a of native ? ofBefore(p) : []) {
    if (a.move && a.number === seat.answers.length + 1) follow(seat, a, hashed(chainBefore(seat, a.head), a.turn, a.view_sha256, a.move));
  }
  if (!bouts.has(key(p))) bouts.set(key(p), { seats: [], choices: new Map() });
  bouts.get(key(p)).seats.push(seat);
  return bouts.get(key(p));
}

function ofBefore(p) {
  const is = { seal: me.seal, player_id: me.id, match_id: p.match_id, attempt: attemptOf(p), referee_id: refereeOf(p) };
  return before.filter((line) => Object.keys(is).every((k) => line[k] === is[k]));
}

function resume(p) { // a match that the player was in before it was started again; only its true referee can show its token
  const [line] = isReferee(p) ? ofBefore(p) : [];
  if (!line) return undefined;
  const { seal, player_id, match_id, attempt, referee_id, round_id, opponent_id, commitment } = line;
  return sit(p, { seal, player_id, match_id, attempt, referee_id, round_id, opponent_id, commitment }, true, false);
}

// decide returns what the player answers: the pick and, to a referee of its manager, the proof. There is one pick for each
// question, and what was signed stands.
export async function decide(p, options, think) {
  const { bout, seat } = find(p), turn = p.turn ?? 0, question = JSON.stringify([turn, options]);
  if (seat.given.has(turn)) return seat.given.get(turn);
  if (!bout.choices.has(question)) bout.choices.set(question, think(seat.opponent_id));
  const pick = await bout.choices.get(question);
  if (!seat.native) return { pick };
  return seat.given.get(turn) ?? signed(seat, turn, p.view ?? '', JSON.stringify(pick));
}

function chainBefore(seat, head) { // the hash of all answers so far; of none yet, that of what they are for
  if (seat.answers.length) return seat.chain;
  return hashed('league.moves.v1', seat.seal, seat.match_id, seat.attempt, seat.referee_id, seat.player_id, seat.commitment, head);
}

function signed(seat, turn, view, move) { // on disk before it is sent
  const { seal, player_id, match_id, attempt, referee_id, round_id, opponent_id, commitment } = seat;
  const head = seat.answers[0]?.head ?? heads.at(-1)?.head ?? '';
  const chain = hashed(chainBefore(seat, head), turn, hashed(view), move);
  const answer = {
    seal, player_id, match_id, attempt, referee_id, round_id, opponent_id, commitment, head,
    number: seat.answers.length + 1, turn, view_sha256: hashed(view), move, signature: sign(chain),
  };
  keep(answer);
  return follow(seat, answer, chain);
}

function follow(seat, answer, chain) {
  seat.answers.push(answer);
  seat.chain = chain;
  const { head, move, signature } = answer;
  seat.given.set(answer.turn, { pick: JSON.parse(move), proof: { head, move, signature } });
  return seat.given.get(answer.turn);
}

// end ends a match, or the seat of who says so. It returns the opponent, and whether the end is sure; heard says that the
// result is known already.
export function end(p, heard) {
  const told = showsManager(p, 'GAME_OVER'), sure = isReferee(p) || told;
  let { bout, seat } = { bout: bouts.get(key(p)) };
  try {
    ({ bout, seat } = find(p));
  } catch (e) {
    if (!heard && !sure) throw e;
  }
  if (seat?.native && !told && !opens(p, seat.commitment)) return { known: seat.opponent_id, sure: false }; // it may be anybody who has read the token: the player answers on
  if (seat) bout.seats.splice(bout.seats.indexOf(seat), 1);
  if (sure) {
    const over = { seal: me.seal, player_id: me.id, match_id: p.match_id, attempt: attemptOf(p), over: true };
    forget(over);
    keep(over);
  }
  if (bout && (sure || !bout.seats.length)) bouts.delete(key(p));
  return { known: seat?.opponent_id ?? '', sure };
}

function opens(p, commitment) { // whether the end tells the draw key that was promised: only the referee and the manager have it
  const draw = p.fairness?.key;
  return !commitment || (typeof draw === 'string' && hashOf(Buffer.from(draw, 'hex')) === commitment);
}

function forget(over) {
  before = before.filter((line) => line.seal !== over.seal || line.match_id !== over.match_id || line.attempt > over.attempt);
}

export function openBook() { // reads the answers file, and writes it anew without the matches that are over
  const file = kept('answers', '.jsonl');
  const over = new Set(identity.places.filter((p) => p.over).map((p) => p.seal));
  const old = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(0, -1) : []; // what has no end was not sent
  try {
    for (const line of old.map((text) => JSON.parse(text))) {
      if (line.over) forget(line);
      else if (!over.has(line.seal)) before.push(line);
    }
  } catch (e) {
    stop(`${file} cannot be read (${e.message}): restore it, or remove it if none of this player's matches is in play`);
  }
  write(file, before.map((line) => `${JSON.stringify(line)}\n`).join(''));
  book = fs.openSync(file, 'a', 0o600);
}

function keep(line) { // all of it or nothing
  const { size } = fs.fstatSync(book), text = Buffer.from(`${JSON.stringify(line)}\n`);
  try {
    if (fs.writeSync(book, text) !== text.length) throw new Error('the disk is full');
    fs.fsyncSync(book);
  } catch (e) {
    fs.ftruncateSync(book, size);
    throw e;
  }
}
