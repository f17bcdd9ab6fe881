// Reads cases as JSON lines and writes a line with the pairs of each: {"n", "seed", "third"} is a knockout of n seeds
// that is played by two programs; {"players", "round"} is a round of a Swiss tournament.
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { createRequire } from 'node:module'

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`))
const load = async (name) => import(pathToFileURL(require.resolve(name)))
const { SingleElimination, Swiss } = await load('tournament-pairings')
const { BracketsManager } = require('brackets-manager')
const { InMemoryDatabase } = require('brackets-memory-db')

// The better seed wins four of seven pairs.
const betterWins = (a, b, seed) => (Math.min(a, b) * 31 + Math.max(a, b) * 17 + seed * 13) % 7 < 4
const winner = (a, b, seed) => betterWins(a, b, seed) ? Math.min(a, b) : Math.max(a, b)
const sorted = (a, b) => [Math.min(a, b), Math.max(a, b)]

// elimination plays the knockout of tournament-pairings, whose first round has the pairs without byes.
function elimination ({ n, seed }) {
  const matches = SingleElimination(n, 1, false, true)
  const pairs = []
  for (const m of matches) {
    if (m.player1 === null || m.player2 === null) continue
    pairs.push(sorted(m.player1, m.player2))
    const next = m.win && matches.find((x) => x.round === m.win.round && x.match === m.win.match)
    if (!next) continue
    const free = next.player1 === null ? 'player1' : 'player2'
    next[free] = winner(m.player1, m.player2, seed)
  }
  return pairs
}

// brackets plays the knockout of brackets-manager.
async function brackets ({ n, seed, third }) {
  const manager = new BracketsManager(new InMemoryDatabase())
  let size = 2
  while (size < n) size *= 2
  const seeding = Array.from({ length: size }, (_, i) => i < n ? String(i + 1) : null)
  await manager.create.stage({
    tournamentId: 0, name: 'k', type: 'single_elimination', seeding,
    settings: { seedOrdering: ['inner_outer'], consolationFinal: third }
  })
  const pairs = []
  for (;;) {
    const { match, participant } = await manager.get.tournamentData(0)
    const seedOf = (o) => Number(participant.find((p) => p.id === o.id).name)
    const ready = match.filter((m) => m.status === 2)
    if (ready.length === 0) return pairs
    for (const m of ready) {
      const [a, b] = [seedOf(m.opponent1), seedOf(m.opponent2)]
      pairs.push(sorted(a, b))
      const won = winner(a, b, seed) === a ? 'opponent1' : 'opponent2'
      await manager.update.match({ id: m.id, [won]: { result: 'win' } })
    }
  }
}

const swiss = ({ players, round }) => Swiss(players, round).map((m) => [m.player1, m.player2])

for await (const line of createInterface({ input: process.stdin })) {
  const task = JSON.parse(line)
  console.log(JSON.stringify(task.players ? swiss(task) : [elimination(task), await brackets(task)]))
}
