package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// leagueID is the id of each league of the bench.
const leagueID = "league_bench"

// cycles is how often each pair meets: more often than any bench lasts.
const cycles = 1000

// restTime is how long a league may take to play a round and pause.
const restTime = 3 * time.Minute

// An arena is a league that plays and pauses on request: a manager, a referee, and its players in a third process.
type arena struct {
	root                    string
	round                   int // how many matches a round has
	manager, referee, crowd *process
	admin                   *rpc.Node
	token                   string
	keyless                 bool     // its players have no keys and check no tokens
	scrape                  [3]usage // the cost of scraping each of them
}

// prepare writes the configuration of a league with many rounds.
func prepare(root string) error {
	folder := filepath.Join(root, "config", "leagues")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text := fmt.Sprintf(
		`{"schema_version": "1.0.0", "league_id": %q, "schedule": {"format": "round_robin", "cycles": %d}}`+"\n",
		leagueID, cycles)
	return os.WriteFile(filepath.Join(folder, leagueID+".json"), []byte(text), 0o644)
}

// A setup describes a league of the bench.
type setup struct {
	root     string
	players  int
	inFlight int  // matches at a time
	apart    bool // each player has its own port
	unsigned bool // and no key
}

// openEmptyArena starts a manager and a referee, without players.
func openEmptyArena(ctx context.Context, program []string, as setup) (a *arena, err error) {
	if err := prepare(as.root); err != nil {
		return nil, err
	}
	a = &arena{
		root: as.root, round: as.players / 2, keyless: as.unsigned,
		admin: rpc.NewNode(string(protocol.RoleAdmin), rpc.Options{}),
	}
	if a.manager, err = start(ctx, program, "manager", "--root", as.root, "--league-id", leagueID, "--port", "0",
		"--start-after", "24h", "--json"); err != nil {
		return nil, err
	}
	if a.referee, err = start(ctx, program, "referee", "--root", as.root, "--league-id", leagueID, "--port", "0",
		"--manager", a.manager.endpoint,
		"--max-matches", fmt.Sprint(as.inFlight), "--id", "REF01", "--json"); err != nil {
		return nil, errors.Join(err, a.close())
	}
	token, err := os.ReadFile(filepath.Join(as.root, "data", "admin.token"))
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.token = strings.TrimSpace(string(token))
	return a, nil
}

// openArena starts a league whose players wait.
func openArena(ctx context.Context, program []string, as setup) (*arena, error) {
	a, err := openEmptyArena(ctx, program, as)
	if err != nil {
		return nil, err
	}
	crowd := []string{
		"bench", "part", "crowd", "--root", as.root, "--manager", a.manager.endpoint, "--league-id", leagueID, "--players",
		fmt.Sprint(as.players), "--json",
	}
	if as.apart {
		crowd = append(crowd, "--apart")
	}
	if as.unsigned {
		crowd = append(crowd, "--unsigned")
	}
	if a.crowd, err = start(ctx, program, crowd...); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// close ends the processes of the arena, callers first, so that none of them reports a failed call.
func (a *arena) close() error {
	stopAll(a.referee, a.crowd, a.manager)
	return nil
}

// order sends the manager a request to start, pause or resume.
func (a *arena) order(ctx context.Context, t protocol.Type) error {
	m := &protocol.Tool{
		Envelope: protocol.Envelope{MessageType: t, ConversationID: "conv-bench-" + a.admin.Nonce(4), AuthToken: a.token},
	}
	_, err := a.admin.Call(ctx, rpc.Peer{Endpoint: a.manager.endpoint}, m)
	return err
}

// begin starts the league, warms it up and pauses it.
func (a *arena) begin(ctx context.Context, warm time.Duration) error {
	if err := a.order(ctx, protocol.TypeStartLeague); err != nil {
		return err
	}
	if err := a.until(ctx, 50*time.Millisecond, func(now [3]usage) bool { return now[manager].results > 0 }); err != nil {
		return err
	}
	if err := sleep(ctx, warm); err != nil {
		return err
	}
	if err := a.rest(ctx); err != nil {
		return err
	}
	return a.calibrate(ctx)
}

// rest pauses the league and returns when all open matches are over and recorded.
func (a *arena) rest(ctx context.Context) error {
	if err := a.order(ctx, protocol.TypePauseLeague); err != nil {
		return err
	}
	return a.until(ctx, 5*time.Millisecond, resting)
}

// resting reports whether no match is open and every finished match is recorded.
func resting(now [3]usage) bool {
	return now[referee].open == 0 && now[manager].results == now[referee].over
}

// until polls the usage until a condition holds.
func (a *arena) until(ctx context.Context, every time.Duration, so func(now [3]usage) bool) error {
	ctx, cancel := context.WithTimeout(ctx, restTime)
	defer cancel()
	for {
		now, err := a.usage(ctx)
		if err != nil {
			return err
		}
		if so(now) {
			return nil
		}
		if err := sleep(ctx, every); err != nil {
			return fmt.Errorf("the league does not settle: %d results, %.0f matches open: %s", int(now[manager].results), now[referee].open, a.manager.output)
		}
	}
}

// settle waits until the manager has collected the records of all results: its log of records no longer grows. The
// files for people in data/matches are no part of a match: they are written later, for at most a fiftieth of the time.
func (a *arena) settle(ctx context.Context) error {
	for size, last := int64(0), int64(-1); size != last; {
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		info, err := os.Stat(filepath.Join(a.root, "data", "leagues", leagueID, "records.log"))
		if err != nil {
			return fmt.Errorf("the manager has collected no records: %w", err)
		}
		size, last = info.Size(), size
	}
	return nil
}

// usage reads the metrics of the manager, the referee and the players, in this order.
func (a *arena) usage(ctx context.Context) (out [3]usage, err error) {
	for i, p := range []*process{a.manager, a.referee, a.crowd} {
		if p == nil {
			continue
		}
		if out[i], err = p.usage(ctx); err != nil {
			return out, err
		}
	}
	return out, nil
}

// calibrate measures the cost of polling, which is not part of a match.
func (a *arena) calibrate(ctx context.Context) error {
	const times = 10
	before, err := a.usage(ctx)
	if err != nil {
		return err
	}
	for range times {
		if _, err = a.usage(ctx); err != nil {
			return err
		}
	}
	after, err := a.usage(ctx)
	for i := range after {
		a.scrape[i] = after[i].minus(before[i]).times(1. / (times + 1))
	}
	return err
}

// sleep waits for d, or returns ctx's error as soon as ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
