// Dice: both bet on a sum or pass, then two dice are thrown, one after the other; the nearer bet wins. It is here for its chance,
// which it asks for in two steps, and for its seats, which choose together. The bets of others are hidden until the end.

const INFO = `{"info":{"type":"dice","name":"Dice","rules":"Each player bets on a number from 2 to 12, or says pass. Two dice are thrown. The bet that is nearer to their sum wins.","move_types":["bet"],"valid_choices":{"bet":["2-12","pass"]},"min_seats":2,"max_seats":3,"max_turns":1,"guests_may_judge":true}}`;

export function alloc(size: usize): usize {
  return heap.alloc(size);
}

export function handle(at: usize, size: usize): u64 {
  const text = String.UTF8.encode(answer(String.UTF8.decodeUnsafe(at, size)));
  return (<u64>changetype<usize>(text) << 32) | <u64>text.byteLength;
}

function answer(request: string): string {
  if (request.startsWith('{"op":"info"')) return INFO;
  const seats = <i32>parseInt(request.substring(request.indexOf('"seats":') + 8));
  if (request.startsWith('{"op":"start"')) return position(seats, "", "");
  const draws = list(request, "draws");
  if (draws.length < 2) return '{"draw":[6]}';
  const sum = <i32>parseInt(draws[0]) + <i32>parseInt(draws[1]);
  return position(seats, sum.toString(), end(list(request, "moves"), sum));
}

function list(request: string, member: string): string[] {
  const begin = request.indexOf('"' + member + '":[') + member.length + 4;
  const inside = request.substring(begin, request.indexOf("]", begin));
  return inside == "" ? [] : inside.split(",");
}

function position(seats: i32, sum: string, outcome: string): string {
  const over = outcome != "";
  let all = "", views = "", options = "";
  for (let n = 2; n <= 12; n++) options += n.toString() + ",";
  for (let seat = 0; seat < seats; seat++) {
    const comma = seat > 0 ? "," : "";
    all += comma + seat.toString();
    const asked = over ? "" : `"move_type":"bet","valid_options":[${options}"pass"],`;
    views += comma + `{${asked}"context":{"dice":2}}`;
  }
  return `{"state":"${sum}","to_move":[${over ? "" : all}],"views":[${views}],"watch":{"dice":2}${outcome}}`;
}

function end(bets: string[], sum: i32): string {
  let scores = "";
  for (let seat = 0; seat < bets.length; seat++) {
    const far = bets[seat] == '"pass"' ? 100 : abs(<i32>parseInt(bets[seat]) - sum);
    scores += (seat > 0 ? "," : "") + (-far).toString();
  }
  return `,"outcome":{"scores":[${scores}],"reason":"the dice show ${sum}","details":{"sum":${sum}}}`;
}
