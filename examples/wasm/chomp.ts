// Chomp, as a game from outside: rules in AssemblyScript, a WebAssembly module that any league can play.
//
//	npm ci && npx asc chomp.ts -o chomp.wasm
//
// docs/guide/adding-a-game.md says what the league asks and what it wants to hear. Every call has a fresh instance: what is
// kept between two moves is in the state, and memory need not be freed.

const ROWS = 4;
const COLUMNS = 5;

const INFO = `{"info":{"type":"chomp","name":"Chomp","rules":"A bar of chocolate has 4 rows of 5 squares, numbered row by row from 0 to 19. In turn each player names a square that is left and eats it together with every square below it, to the right of it, or both. The square 0, marked x, is poisoned: the player who eats it loses.","move_types":["eat"],"valid_choices":{"eat":["0-19"]},"min_seats":2,"max_seats":2,"max_turns":20,"seat_matters":true,"guests_may_judge":true}}`;

// alloc is where the league puts its request.
export function alloc(size: usize): usize {
  return heap.alloc(size);
}

// handle answers the request at a place: where the answer is in the upper half of the result, its length in the lower.
export function handle(at: usize, size: usize): u64 {
  const text = String.UTF8.encode(answer(String.UTF8.decodeUnsafe(at, size)));
  return (<u64>changetype<usize>(text) << 32) | <u64>text.byteLength;
}

function answer(request: string): string {
  if (request.startsWith('{"op":"info"')) return INFO;
  const bar = new Bar();
  if (request.startsWith('{"op":"apply"')) {
    bar.read(list(request, "state"));
    bar.eat(list(request, "moves"));
  }
  return bar.position();
}

// list returns what stands between the brackets of a member. The league writes members in a fixed order and without spaces.
function list(request: string, member: string): string[] {
  const begin = request.indexOf('"' + member + '":[') + member.length + 4;
  return request.substring(begin, request.indexOf("]", begin)).split(",");
}

// A Bar is a match: how many squares are left in each row, and how many bites there were.
class Bar {
  rows: i32[] = new Array<i32>(ROWS).fill(COLUMNS);
  bites: i32 = 0;

  // read takes up a match from its state: the rows, then the bites.
  read(state: string[]): void {
    for (let r = 0; r < ROWS; r++) this.rows[r] = <i32>parseInt(state[r]);
    this.bites = <i32>parseInt(state[ROWS]);
  }

  // eat plays the one move that is not null. The league has checked that it is among the options.
  eat(moves: string[]): void {
    const square = <i32>parseInt(moves[this.bites % 2]);
    for (let r = square / COLUMNS; r < ROWS; r++) {
      this.rows[r] = min(this.rows[r], square % COLUMNS);
    }
    this.bites++;
  }

  // position tells all about the match at this moment.
  position(): string {
    const over = this.rows[0] == 0;
    const mover = this.bites % 2;
    const context = `{"board":${this.board()}}`;
    let views = "";
    for (let seat = 0; seat < 2; seat++) {
      const asked = seat == mover && !over ? `"move_type":"eat","valid_options":[${this.options()}],` : "";
      views += (seat > 0 ? "," : "") + `{${asked}"context":${context}}`;
    }
    return `{"state":[${this.rows.join(",")},${this.bites}],"to_move":[${over ? "" : mover.toString()}],"views":[${views}],"watch":${context}${over ? this.outcome() : ""}}`;
  }

  // options are the squares that are left.
  options(): string {
    const left: i32[] = [];
    for (let r = 0; r < ROWS; r++) {
      for (let c = 0; c < this.rows[r]; c++) left.push(r * COLUMNS + c);
    }
    return left.join(",");
  }

  // board is the bar as the page and the terminal draw it: rows of texts, "" where a square is eaten.
  board(): string {
    let rows = "";
    for (let r = 0; r < ROWS; r++) {
      let row = "";
      for (let c = 0; c < COLUMNS; c++) {
        const square = c >= this.rows[r] ? "" : r == 0 && c == 0 ? "x" : "o";
        row += (c > 0 ? "," : "") + `"${square}"`;
      }
      rows += (r > 0 ? "," : "") + `[${row}]`;
    }
    return `[${rows}]`;
  }

  // outcome is how the match ended: who made the last bite has lost.
  outcome(): string {
    const winner = this.bites % 2;
    const scores = winner == 0 ? "1,0" : "0,1";
    return `,"outcome":{"scores":[${scores}],"reason":"{${1 - winner}} ate the poisoned square after ${this.bites} bites","details":{"board":${this.board()}}}`;
  }
}
