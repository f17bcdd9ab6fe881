// A player for a league.v2 league, in Node.js 18 or newer and nothing else: node player.mjs --port 8101
import { parseArgs } from 'node:util';
import { announce, decide, end, find, invite } from './matches.mjs';
import { goesOn, hear, lastWord } from './trust.mjs';
import { Refused, me, named, now, page, play, standings } from './wire.mjs';

// Your strategy: return one of options, or a promise of one. README.md says what is in context and history.
export function choose(options, context, history) {
  return options[Math.floor(Math.random() * options.length)];
}

const history = []; // finished matches
const certain = new Set(); // those whose end was told by the manager or a referee of its

function invited(p, from) {
  invite(p, from);
  me.state = 'IN_MATCH';
  return { arrival_timestamp: now(), accept: true };
}

async function pick(p, options, context) { // what choose says, and what proves it
  const said = await decide(p, options, (opponent_id) => think(options, { ...context, game_type: p.game_type, opponent_id }));
  return [said.pick, said.proof ? { proof: said.proof } : {}];
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
  const [choice, proof] = await pick(p, ['even', 'odd'], p.context);
  return { parity_choice: choice, choice, ...proof };
}

async function move(p) {
  const { move_type, valid_options, context } = p.move_request;
  if (!valid_options?.length) throw new Refused('E003', 'the field move_request.valid_options is missing');
  const [choice, proof] = await pick(p, valid_options, context);
  return { game_type: p.game_type ?? '', move_data: { move_type, choice }, ...proof };
}

function gameOver(p) {
  const r = p.game_result ?? {}, choices = r.choices ?? {};
  const told = r.winner_player_id === me.id ? 'WIN' : r.status === 'DRAW' ? 'DRAW' : 'LOSS';
  const result = typeof p.result === 'string' ? p.result : told; // some referees tell it in game_result only
  const again = history.findIndex((m) => m.match_id === p.match_id), heard = history[again]?.result === result;
  const { known, sure } = end(p, heard), opponent = p.opponent_id ?? known;
  if (!sure && (heard || certain.has(p.match_id))) return;
  if (again >= 0) history.splice(again, 1);
  history.push({
    match_id: p.match_id, round_id: p.round_id ?? 1, timestamp: now(), opponent_id: opponent, result,
    my_choice: choices[me.id] ?? null, opponent_choice: choices[opponent] ?? null, drawn_number: r.drawn_number ?? null,
  });
  if (sure) certain.add(p.match_id);
  me.state = 'WAITING_FOR_ROUND';
  console.log(`${p.match_id} against ${named(opponent)}: ${result}. ${r.reason ?? ''}${['WIN', 'DRAW'].includes(result) ? '' : page(p.match_id)}`);
}

function gameError(p) {
  if (me.matchTokens) find(p); // refuses a stranger
  const why = p.detail ?? p.context?.detail ?? p.error_description ?? '';
  console.log(`${p.match_id}: ${p.error_code} ${why}${p.suggestion ? `. What to do: ${p.suggestion}` : ''}`);
}

function announced(p) {
  if (Array.isArray(p.matches)) announce(p.matches);
  hear(p);
  me.agentState = 'ACTIVE';
}

function leagueOver(p) {
  hear(p);
  if (me.league && p.league_id === me.league) {
    const table = Array.isArray(p.final_standings) ? p.final_standings : [], rank = table.find((s) => s?.player_id === me.id)?.rank;
    console.log(`The league is over. Champion: ${p.champion?.display_name}.${rank ? ` You are number ${rank} of ${p.total ?? table.length}.` : ''}`);
    if (goesOn(p.next_league_id)) { // the next season begins with an empty history
      history.length = 0;
      certain.clear();
    } else me.agentState = 'SHUTDOWN'; // the process ends when this is answered
  }
  return { status: 'ACKNOWLEDGED', ...lastWord(p.head) };
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
  notify_game_error: ['GAME_ERROR_ACK', ['error_code'], gameError],
  notify_round: ['ROUND_ANNOUNCEMENT_ACK', ['round_id', 'matches'], announced],
  update_standings: ['STANDINGS_UPDATE_ACK', ['standings'], standings],
  notify_round_completed: ['ROUND_COMPLETED_ACK', ['round_id'], hear],
  notify_league_completed: ['LEAGUE_COMPLETED_ACK', [], leagueOver],
  get_player_state: ['PLAYER_STATE', [], tellState],
  ping: ['PONG', [], () => ({ status: 'healthy', agent: `player:${me.id}` })],
};

if (process.argv[1]?.endsWith('player.mjs')) {
  const { values: flags } = parseArgs({ options: {
    host: { type: 'string', default: '127.0.0.1' }, // the address of this machine, for a manager on another one
    port: { type: 'string', default: '8101' }, // 0 takes a free one
    manager: { type: 'string', default: 'http://localhost:8000/mcp' },
    name: { type: 'string', default: "__NAME__" },
  } });
  play(flags.name, Number(flags.port), flags.manager, methods, flags.host);
}
