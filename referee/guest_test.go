package referee_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/protocol"
	"agentleague/referee"
)

// draw decides a match as a manager does, by the key that it kept to itself.
func (m *fakeManager) draw(r *protocol.MatchMovesReport) (protocol.Message, error) {
	key, _ := hex.DecodeString(drawKey)
	result, err := referee.Decide(catalog.Lookup, r.GameType, r.Moves, key, "P01", "P02", protocol.DefaultScoring)
	if err != nil {
		return nil, err
	}
	return &protocol.MatchMovesAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchMovesAck, LeagueID: r.LeagueID, RoundID: r.RoundID, MatchID: r.MatchID,
		},
		Status: protocol.Accepted, Result: result, Fairness: protocol.Fairness{
			Commitment: protocol.KeyCommitment(key), Key: drawKey,
		},
	}, nil
}

// guests is an order to a guest.
func guests(gameType string) *protocol.StartMatch {
	m := nativeOrder()
	m.GameType, m.DrawKey, m.DrawCommitment = gameType, "", commitmentOf(drawKey)
	return m
}

// signAll makes both players sign their answers.
func (h *harness) signAll() {
	h.players["P01"].signs(`"even"`)
	h.players["P02"].signs(`"odd"`)
	for id, p := range h.players {
		w := newPen(id)
		p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
			move := p.move(m.MoveRequest.ValidOptions[0])
			move.Proof = w.sign(m.Turn, m.View, move.MoveData.Choice)
			return move, nil
		}
	}
}

// undecided lists the matches that wait for their draw.
func (h *harness) undecided() (ids []string) {
	for f, err := range h.shelf.All(context.Background()) {
		if err != nil {
			h.t.Error(err)
		}
		ids = append(ids, fmt.Sprint(f.Record.MatchID, " ", f.Record.Attempt))
	}
	return ids
}

// forGuests lists the games that a guest may judge.
func forGuests() (types []string) {
	for _, g := range catalog.All() {
		if g.Info().GuestsMayJudge {
			types = append(types, g.Info().Type)
		}
	}
	return types
}

// between is the state of a match with all moves and without a result.
func between(gameType string) string {
	if gameType == protocol.EvenOdd {
		return protocol.DrawingNumber
	}
	return protocol.ApplyingMoves
}

func TestGuestShowsTheMovesFirstAndTellsTheManagersDraw(t *testing.T) {
	for _, gameType := range forGuests() {
		t.Run(gameType, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.signAll()
				h.manager.shown = func(r *protocol.MatchMovesReport) (protocol.Message, error) {
					if got := h.undecided(); !slices.Equal(got, []string{"R1M1 1"}) {
						t.Errorf("kept before the moves are shown: %q", got)
					}
					if s := h.state("R1M1"); s.State != between(gameType) || s.GameResult != nil {
						t.Errorf("state: got %s, want no result", shown(s))
					}
					if got := h.sentTo("", protocol.TypeGameOver); len(got) != 0 {
						t.Error("GAME_OVER before the draw")
					}
					pass(time.Second)
					return h.manager.draw(r)
				}
				h.play(guests(gameType).Hide(refereeToken))
				moves := as[protocol.MatchMovesReport](t, h.heardBy("LM", protocol.TypeMatchMovesReport)[0])
				rec, _ := h.record()
				if !strings.HasPrefix(moves.AuthToken, "tok_agent_REF01_") || moves.Attempt != 1 || shown(moves.Signed) != shown(rec.Signed) ||
					len(moves.Moves) != len(rec.Moves) || len(rec.Signed) != 2 {
					t.Errorf("it shows %s", shown(moves))
				}
				if err := referee.VerifyRecord(catalog.Lookup, &rec, protocol.DefaultScoring); err != nil {
					t.Error(err)
				}
				report := h.report()
				if report.Fairness.Key != drawKey || report.RecordSHA256 == "" {
					t.Errorf("it reports %s", shown(report))
				}
				for _, id := range []string{"P01", "P02"} {
					if over := h.over(id); over.Fairness.Key != drawKey || over.Fairness.Commitment != commitmentOf(drawKey) ||
						shown(over.Winner) != shown(report.Result.Winner) {
						t.Errorf("%s hears %s", id, shown(over))
					}
				}
				if got := h.undecided(); got != nil {
					t.Errorf("undecided: %q, want none", got)
				}
				h.checkTimes("LM", protocol.TypeMatchResultReport, 1)
			})
		})
	}
}

func TestGuestsResultIsTheOneOfTheOrganisersReferee(t *testing.T) {
	results := map[bool]string{}
	for _, guest := range []bool{false, true} {
		withReferee(t, setting{}, func(h *harness) {
			h.signAll()
			m := nativeOrder()
			if guest {
				m = guests("even_odd")
			}
			h.play(m)
			r := h.report()
			r.RecordSHA256, r.AgentTiming, r.Timestamp = "", nil, ""
			results[guest] = shown(r)
		})
	}
	if results[true] != results[false] {
		t.Errorf("got\n%s, want\n%s", results[true], results[false])
	}
}

func TestForfeitNeedsNoDraw(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.signAll()
		muteChoice(h.players["P02"])
		h.play(guests("even_odd"))
		if got := h.heardBy("LM", protocol.TypeMatchMovesReport); len(got) != 0 {
			t.Error("the moves of a forfeited match are shown")
		}
		r := h.report()
		if r.Result.Details.Forfeits["P02"] != "E001" || r.Fairness.Key != "" {
			t.Errorf("reported %s", shown(r))
		}
		if err := referee.Verify(catalog.Lookup, &r, "P01", "P02"); err != nil {
			t.Error(err)
		}
		rec, _ := h.record()
		if err := referee.VerifyRecord(catalog.Lookup, &rec, protocol.DefaultScoring); err != nil {
			t.Error(err)
		}
		if over := h.over("P01"); over.Fairness.Key != "" || over.Fairness.Commitment != commitmentOf(drawKey) {
			t.Errorf("P01 hears %s", shown(over.Fairness))
		}
		rec.Fairness.Commitment = "x"
		if err := referee.VerifyRecord(catalog.Lookup, &rec, protocol.DefaultScoring); err == nil {
			t.Error("a commitment that is none passes")
		}
		r.Result.Details.Status = protocol.Win
		if err := referee.Verify(catalog.Lookup, &r, "P01", "P02"); err == nil ||
			!strings.HasPrefix(err.Error(), "fairness.key") {
			t.Errorf("a win without a key: got %v", err)
		}
	})
}

func TestDrawThatDoesNotFollowIsNotTold(t *testing.T) {
	other := strings.Repeat("11", 32)
	for name, spoil := range map[string]func(a *protocol.MatchMovesAck){
		"another key":    func(a *protocol.MatchMovesAck) { a.Fairness.Key = other },
		"no key":         func(a *protocol.MatchMovesAck) { a.Fairness.Key = "" },
		"another winner": func(a *protocol.MatchMovesAck) { a.Result.Winner = nil; a.Result.Details.Status = protocol.Draw },
		"another number": func(a *protocol.MatchMovesAck) { *a.Result.Details.DrawnNumber.Value += 2 },
		"swapped choices": func(a *protocol.MatchMovesAck) {
			c := a.Result.Details.Choices
			c["P01"], c["P02"] = c["P02"], c["P01"]
		},
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.signAll()
				h.manager.shown = func(r *protocol.MatchMovesReport) (protocol.Message, error) {
					m, err := h.manager.draw(r)
					spoil(m.(*protocol.MatchMovesAck))
					return m, err
				}
				h.play(guests("even_odd"))
				if got := h.sentTo("", protocol.TypeGameOver, protocol.TypeMatchResultReport); len(got) != 0 {
					t.Errorf("it tells %d messages", len(got))
				}
				if !strings.Contains(h.logged(), `"level":"ERROR"`) || !strings.Contains(h.logged(), "draw is wrong") {
					t.Error("no error is logged")
				}
				if _, err := h.recorder.Document(context.Background(), protocol.RecordRef{
					LeagueID: leagueID, MatchID: "R1M1", Attempt: 1,
				}); !errors.Is(err, referee.ErrNoRecord) {
					t.Error("a record is kept")
				}
				if got := h.undecided(); len(got) != 1 {
					t.Errorf("undecided: %q, want the match: its moves are final", got)
				}
			})
		})
	}
}

func TestMovesThatTheManagerRefusesAreDropped(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.signAll()
		h.manager.shown = func(*protocol.MatchMovesReport) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.MatchNotFound, "it was given to another referee")
		}
		h.play(guests("even_odd"))
		h.checkTimes("LM", protocol.TypeMatchMovesReport, 0)
		if got := h.sentTo("", protocol.TypeGameOver); len(got) != 0 || h.undecided() != nil {
			t.Errorf("it tells %d messages and keeps %q", len(got), h.undecided())
		}
	})
}

func TestMovesAreShownUntilTheManagerAnswers(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.signAll()
		n := 0
		h.manager.shown = func(r *protocol.MatchMovesReport) (protocol.Message, error) {
			switch n++; n {
			case 1:
				return never(h.manager.process.Context())
			case 2:
				return nil, fmt.Errorf("disk full")
			case 3:
				return nil, protocol.Errorf(protocol.AuthTokenInvalid, "who are you?")
			}
			return h.manager.draw(r)
		}
		h.play(guests("even_odd"))
		h.checkTimes("LM", protocol.TypeMatchMovesReport, 0, 12, 14, 14)
		h.checkTimes("LM", protocol.TypeRefereeRegisterRequest, 14)
		h.report()
	})
}

func TestGuestThatCrashesShowsTheSameMovesAgain(t *testing.T) {
	for name, arrange := range map[string]func(h *harness, crash func()){
		"before the manager has the moves": func(h *harness, crash func()) { h.shelf = &crashing{then: crash} },
		"before it has the answer": func(h *harness, crash func()) {
			h.manager.shown = func(r *protocol.MatchMovesReport) (protocol.Message, error) {
				crash()
				return h.manager.draw(r)
			}
		},
	} {
		for _, ordered := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", ordered again: ", ordered), func(t *testing.T) {
				withReferee(t, setting{}, func(h *harness) {
					h.signAll()
					crashed, alive := make(chan struct{}), true
					arrange(h, func() {
						if alive {
							alive = false
							h.procs["REF01"].Crash()
							close(crashed)
						}
					})
					if err := h.bootReferee(); err != nil { // with that shelf
						t.Fatal(err)
					}
					h.reset()
					if _, err := h.start(guests("even_odd")); err != nil {
						t.Error(err)
					}
					<-crashed
					pass(time.Minute)
					if got := h.undecided(); len(got) != 1 {
						t.Fatalf("undecided after the crash: %q", got)
					}
					h.set(func() { h.manager.shown = nil })
					if err := h.bootReferee(); err != nil {
						t.Error(err)
					}
					if ordered {
						if status, err := h.start(guests("even_odd")); status != protocol.Accepted || err != nil {
							t.Errorf("ordered again: got %q, %v", status, err)
						}
					}
					h.referee.Wait()
					for _, id := range []string{"P01", "P02"} {
						if n := len(h.heardBy(id, protocol.TypeGameInvitation)); n != 1 {
							t.Errorf("%s was invited %d times, want once", id, n)
						}
						invited := as[protocol.GameInvitation](t, h.heardBy(id, protocol.TypeGameInvitation)[0])
						if over := h.over(id); over.ConversationID != invited.ConversationID || over.AuthToken != "tok_match_of_"+id {
							t.Errorf("%s hears %s", id, shown(over.Envelope))
						}
					}
					var moves []string
					for _, e := range h.heardBy("LM", protocol.TypeMatchMovesReport) {
						m := as[protocol.MatchMovesReport](t, e)
						moves = append(moves, shown(m.Moves)+shown(m.Signed))
					}
					if len(slices.Compact(moves)) != 1 {
						t.Errorf("it shows %q, want the same each time", moves)
					}
					rec, _ := h.record()
					if err := referee.VerifyRecord(catalog.Lookup, &rec, protocol.DefaultScoring); err != nil {
						t.Error(err)
					}
					h.report()
					if got := h.undecided(); got != nil {
						t.Errorf("undecided: %q, want none", got)
					}
				})
			})
		}
	}
}

// A crashing shelf ends its referee when it has kept something.
type crashing struct {
	referee.MemoryShelf
	then func()
}

func (c *crashing) Put(ctx context.Context, f *referee.Finished) error {
	defer c.then()
	return c.MemoryShelf.Put(ctx, f)
}

func TestShelfThatCannotBeReadIsAnErrorOfTheStart(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.shelf = &tornShelf{}
		if err := h.bootReferee(); err == nil || err.Error() != "read undecided matches: torn.json: unexpected end" {
			t.Errorf("got %v, want an error that says so", err)
		}
	})
}

type tornShelf struct{ referee.MemoryShelf }

func (*tornShelf) All(context.Context) iter.Seq2[referee.Finished, error] {
	return func(yield func(referee.Finished, error) bool) {
		yield(referee.Finished{}, errors.New("torn.json: unexpected end"))
	}
}

func TestMatchThatIsOrderedAnewIsNotDecided(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.signAll()
		h.set(func() {
			h.manager.shown = func(*protocol.MatchMovesReport) (protocol.Message, error) {
				return never(h.manager.process.Context())
			}
		})
		if _, err := h.start(guests("even_odd")); err != nil {
			t.Error(err)
		}
		pass(time.Second)
		h.set(func() {
			h.players["P01"].invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
				return h.players["P01"].join(false), nil
			}
		})
		again := guests("even_odd")
		again.Attempt = 2
		h.play(again)
		if r := h.report(); r.Attempt != 2 {
			t.Errorf("reported attempt %d", r.Attempt)
		}
		if got := h.undecided(); got != nil {
			t.Errorf("undecided: %q, want none", got)
		}
	})
}

// dealt is Even/Odd for referees that are trusted with its key.
type dealt struct{ game.Game }

func (d dealt) Info() game.Info { i := d.Game.Info(); i.GuestsMayJudge = false; return i }

func TestOrdersThatAGuestCannotPlayAreRefused(t *testing.T) {
	games := func(gameType string) (game.Game, error) {
		g, err := catalog.Lookup("even_odd")
		if gameType == "dealt" {
			g = dealt{g}
		}
		return g, err
	}
	withReferee(t, setting{games: games}, func(h *harness) {
		for _, tt := range []struct {
			edit func(m *protocol.StartMatch)
			want string
		}{
			{func(m *protocol.StartMatch) { m.GameType = "dealt" }, "draws before the last move"},
			{func(m *protocol.StartMatch) { m.DrawCommitment = "xyz" }, "draw_commitment: want 64"},
			{func(m *protocol.StartMatch) { m.DrawCommitment = "" }, "draw_key: want 64"},
			{func(m *protocol.StartMatch) {
				m.DrawKey = strings.Repeat("11", 32)
			}, "draw_commitment: it is not of the draw key"},
		} {
			m := guests("even_odd")
			tt.edit(m)
			if status, err := h.start(m); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v, want %s", status, err, tt.want)
			}
		}
	})
}

func TestDecideIsWhatARefereeWithTheKeyFinds(t *testing.T) {
	for _, gameType := range forGuests() {
		for seed := range uint64(40) {
			want := truth(t, gameType, seed)
			key, _ := hex.DecodeString(want.Fairness.Key)
			got, err := referee.Decide(catalog.Lookup, gameType, want.Moves, key, "P01", "P02",
				protocol.Scoring{Win: 5, Draw: 2, Loss: -1})
			if err != nil {
				t.Fatal(err)
			}
			points := map[string]json.RawMessage{"P01": json.RawMessage("2"), "P02": json.RawMessage("2")}
			if w := want.Result.Winner; w != nil {
				points = map[string]json.RawMessage{"P01": json.RawMessage("-1"), "P02": json.RawMessage("-1")}
				points[*w] = json.RawMessage("5")
			}
			if shown(got.Score) != shown(points) {
				t.Errorf("seed %d: score %s, want %s", seed, shown(got.Score), shown(points))
			}
			want.Result = got
			if err := referee.Verify(catalog.Lookup, want, "P01", "P02"); err != nil {
				t.Errorf("%s, seed %d: %v", gameType, seed, err)
			}
		}
	}
	r := truth(t, "even_odd", rand.Uint64N(100))
	key, _ := hex.DecodeString(r.Fairness.Key)
	for want, err := range map[string]error{
		"moves: the match does not end": second(referee.Decide(catalog.Lookup, "even_odd", nil, key, "P01", "P02",
			protocol.DefaultScoring)),
		"moves: turn 0: seat 1": second(referee.Decide(catalog.Lookup, "even_odd", r.Moves[:1], key, "P01", "P02",
			protocol.DefaultScoring)),
		"game_type: ": second(referee.Decide(catalog.Lookup, "chess", r.Moves, key, "P01", "P02",
			protocol.DefaultScoring)),
		"draw key: missing": second(referee.Decide(catalog.Lookup, "even_odd", r.Moves, nil, "P01", "P02",
			protocol.DefaultScoring)),
		`moves: "P01" does not play`: second(referee.Decide(catalog.Lookup, "even_odd", r.Moves, key, "P03", "P02",
			protocol.DefaultScoring)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func second(_ protocol.ReportedResult, err error) error { return err }
