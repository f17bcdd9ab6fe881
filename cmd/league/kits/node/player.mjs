// A player for a league.v2 league, in Node.js 18 or newer and nothing else: node player.mjs --port 8101
import { parseArgs } from 'node:util';
import { Refused, me, now, play } from './wire.mjs';

// Your strategy: return one of options, or a promise of one. README.md tells what is in context and history.
export function choose(options, context, history) {
  return options[Math.floor(Math.random() * options.length)];
}

const seats = new Map(); // open seats by match and attempt
const history = []; // finished matches
const key = (p) => JSON.stringify([p.match_id, p.attempt]);

function seat(p) { // only the referee that sent the invitation knows the token of the match
  const found = seats.get(key(p));
  if (!found) throw new Refused('E006', `no invitation to match ${p.match_id} has come`);
  if (found.token !== p.auth_token) throw new Refused('E012', "that is not the token of the match's referee");
  return found;
}

function invited(p) {
  if (!seats.has(key(p))) seats.set(key(p), { token: p.auth_token, opponent: p.opponent_id ?? '', choices: new Map() });
  seat(p);
  me.state = 'IN_MATCH';
  return { arrival_timestamp: now(), accept: true };
}

function decide(p, options, context) { // one choice per turn: who asks again gets the same
  const { choices, opponent } = seat(p);
  if (!choices.has(p.turn)) choices.set(p.turn, think(options, { ...context, game_type: p.game_type, opponent_id: opponent }));
  return choices.get(p.turn);
}

async function think(options, context) {
  let pick;
  try {
    pick = await choose(options, context, history);
  } catch (e) {
    console.error(e);
  }
  me.state = 'WAITING_FOR_RESULT';
  if (options.includes(pick)) return pick;
  console.log(`choose gave ${JSON.stringify(pick)}, not one of ${JSON.stringify(options)}: playing the first`);
  return options[0];
}

async function parity(p) {
  const pick = await decide(p, ['even', 'odd'], p.context);
  return { parity_choice: pick, choice: pick };
}

async function move(p) {
  const { move_type, valid_options, context } = p.move_request;
  if (!valid_options?.length) throw new Refused('E003', 'the field move_request.valid_options is missing');
  return { move_data: { move_type, choice: await decide(p, valid_options, context) } };
}

function gameOver(p) {
  const r = p.game_result ?? {}, choices = r.choices ?? {};
  const known = seats.has(key(p)) ? seat(p) : {}, opponent = p.opponent_id ?? known.opponent ?? '';
  const told = r.winner_player_id === me.id ? 'WIN' : r.status === 'DRAW' ? 'DRAW' : 'LOSS';
  const result = typeof p.result === 'string' ? p.result : told; // some referees tell it in game_result only
  const again = history.findIndex((m) => m.match_id === p.match_id);
  if (again >= 0) history.splice(again, 1);
  history.push({
    match_id: p.match_id, round_id: p.round_id ?? 1, timestamp: now(), opponent_id: opponent, result,
    my_choice: choices[me.id] ?? null, opponent_choice: choices[opponent] ?? null, drawn_number: r.drawn_number ?? null,
  });
  seats.delete(key(p));
  me.state = 'WAITING_FOR_ROUND';
  console.log(`${p.match_id} against ${opponent}: ${result}. ${r.reason ?? ''}`);
}

function leagueOver(p) {
  if (!me.league || p.league_id !== me.league) return;
  me.agentState = 'SHUTDOWN'; // the process ends when this is answered
  console.log(`The league is over. Champion: ${p.champion?.display_name}`);
}

function tellState() {
  const count = (word) => history.filter((m) => m.result === word).length;
  const [total, wins, draws] = [history.length, count('WIN'), count('DRAW')];
  const stats = { total_matches: total, wins, draws, losses: total - wins - draws };
  return { display_name: me.name, state: me.state, agent_state: me.agentState, stats, history };
}

const methods = { // what is called: our answer, the fields that it cannot do without, who writes the answer
  handle_game_invitation: ['GAME_JOIN_ACK', ['match_id'], invited],
  choose_parity: ['CHOOSE_PARITY_RESPONSE', ['match_id'], parity],
  game_move: ['GAME_MOVE_RESPONSE', ['match_id', 'move_request'], move],
  notify_match_result: ['GAME_OVER_ACK', ['match_id'], gameOver],
  notify_game_error: ['GAME_ERROR_ACK', ['error_code'], (p) => console.log(`${p.match_id}: ${p.error_code} ${p.error_description ?? ''}`)],
  notify_round: ['ROUND_ANNOUNCEMENT_ACK', ['round_id', 'matches'], () => { me.agentState = 'ACTIVE'; }],
  update_standings: ['STANDINGS_UPDATE_ACK', ['standings'], () => {}],
  notify_round_completed: ['ROUND_COMPLETED_ACK', ['round_id'], () => {}],
  notify_league_completed: ['LEAGUE_COMPLETED_ACK', [], leagueOver],
  get_player_state: ['PLAYER_STATE', [], tellState],
  ping: ['PONG', [], () => ({ status: 'healthy', agent: `player:${me.id}` })],
};

if (process.argv[1]?.endsWith('player.mjs')) {
  const { values: flags } = parseArgs({ options: {
    port: { type: 'string', default: '8101' }, // 0 takes a free one
    manager: { type: 'string', default: 'http://localhost:8000/mcp' },
    name: { type: 'string', default: "__NAME__" },
  } });
  play(flags.name, Number(flags.port), flags.manager, methods);
}
