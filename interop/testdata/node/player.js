// A foreign player: even/odd over node:http, in the dialect it is told to have.
//
// usage: node player.js KIND MANAGER NAME     KIND: C, D, double or request
'use strict';
const http = require('node:http');

const [kind, manager, name] = process.argv.slice(2);
const names = {
  GAME_INVITATION: kind === 'C' ? 'receive_game_invitation' : 'handle_game_invitation',
  CHOOSE_PARITY_CALL: 'choose_parity',
  GAME_OVER: kind === 'C' ? 'receive_game_over' : 'notify_match_result',
  ROUND_ANNOUNCEMENT: kind === 'C' ? 'receive_round_announcement' : 'notify_round',
  LEAGUE_STANDINGS_UPDATE: kind === 'C' ? 'standings_update' : 'update_standings',
};
const types = Object.fromEntries(Object.entries(names).map(([type, own]) => [own, type]));
const playing = new Set();
let me = 'P01';

const message = (type, call, more) => ({
  protocol: 'league.v2', message_type: type, sender: `player:${me}`, timestamp: new Date().toISOString(),
  conversation_id: call.conversation_id, auth_token: null, match_id: call.match_id, player_id: me, ...more,
});

// unpack returns what a request of this player's own framing asks for, or null.
function unpack(body) {
  if (body?.jsonrpc !== '2.0' || typeof body.id === 'string') return null;
  const params = body.params ?? {};
  if (kind === 'C') return body.method === 'tools/call' && types[params.name] && [types[params.name], params.arguments];
  if (kind === 'D') return body.method === 'handle_message' && names[params.message?.message_type] && [params.message.message_type, params.message];
  return types[body.method] && [types[body.method], params];
}

// play returns the message that answers a call.
function play(type, call) {
  switch (type) {
    case 'GAME_INVITATION':
      if ([...playing].some((match) => match !== call.match_id)) throw new Error('busy');
      playing.add(call.match_id);
      return message('GAME_JOIN_ACK', call, kind === 'D' ? { accepted: true } : { accept: true });
    case 'CHOOSE_PARITY_CALL': {
      const choice = name.length % 2 ? 'even' : 'odd';
      return message('CHOOSE_PARITY_RESPONSE', call, kind === 'D' ? { move_data: { choice } } : { parity_choice: choice });
    }
    case 'GAME_OVER':
      playing.delete(call.match_id);
  }
  return kind === 'double' ? {} : { status: 'received' };
}

// frame frames an answer.
function frame(id, answer) {
  const rpc = { jsonrpc: '2.0', id };
  switch (kind) {
    case 'C': return { ...rpc, result: { content: [{ type: 'text', text: JSON.stringify(answer) }] } };
    case 'double': return { ...rpc, result: { response: answer } };
    case 'request': return { ...rpc, method: answer.message_type ?? 'response', params: answer };
    default: return { ...rpc, result: answer };
  }
}

function send(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

const server = http.createServer(async (request, response) => {
  if (request.method !== 'POST' || request.url !== '/mcp') return send(response, 404, { detail: 'Not Found' });
  let text = '';
  for await (const chunk of request) text += chunk;
  const body = JSON.parse(text);
  const unpacked = unpack(body);
  if (!unpacked) {
    if (kind === 'double') return send(response, 500, { detail: 'Internal Server Error' });
    return send(response, 200, { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: body.id ?? null });
  }
  try {
    send(response, 200, frame(body.id, play(...unpacked)));
  } catch (why) {
    send(response, 409, { error: String(why) });
  }
});

async function register(port) {
  const meta = { display_name: name, version: '1.0.0', game_types: ['even_odd'], contact_endpoint: `http://localhost:${port}/mcp` };
  const application = {
    protocol: 'league.v2', message_type: 'LEAGUE_REGISTER_REQUEST', sender: 'player:P01', timestamp: new Date().toISOString(),
    conversation_id: 'conv-a393192e', auth_token: null, league_id: null, match_id: null, round_id: null, player_meta: meta,
  };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'register_player', params: application };
  if (kind === 'C') Object.assign(rpc, { method: 'tools/call', params: { name: 'register_player', arguments: { player_meta: meta } } });
  if (kind === 'D') Object.assign(rpc, { method: 'handle_message', params: { message: application } });
  const answer = await fetch(manager, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(rpc) });
  const { result } = await answer.json();
  me = (kind === 'C' ? JSON.parse(result.content[0].text) : result.message ?? result).player_id;
  if (!me) throw new Error(`not admitted: ${JSON.stringify(result)}`);
  console.log('registered', me);
}

server.listen(0, '127.0.0.1', () => register(server.address().port).catch((why) => {
  console.error(String(why));
  process.exit(1);
}));
