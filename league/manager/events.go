package manager

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

// Log lines for the events of a season: a sentence for people, and for programs the name of the event and its
// attributes, as the assignment defines them (ROUND_ANNOUNCEMENT_SENT with round_id and matches_count).

// note logs an event.
func (c *core) note(level slog.Level, event, sentence string, facts ...slog.Attr) {
	facts = append(facts, slog.String("event_type", event), slog.String("league_id", c.opts.LeagueID))
	c.Node.Logger.LogAttrs(c.ctx, level, sentence, facts...)
}

// noteAnnounced logs that a message has gone out to all agents concerned.
func (b *broadcaster) noteAnnounced(a league.Announced) {
	var players, matches int
	b.Read(func(s *league.State) { players, matches = len(reachable(s)), len(s.InRound(a.Round)) })
	round := slog.Int("round_id", a.Round)
	switch a.What {
	case "round":
		b.note(slog.LevelInfo, "ROUND_ANNOUNCEMENT_SENT", fmt.Sprintf("round %d announced to %d players", a.Round, players),
			round, slog.Int("matches_count", matches))
	case "standings":
		b.note(slog.LevelInfo, "LEAGUE_STANDINGS_UPDATE_SENT",
			fmt.Sprintf("standings after round %d sent to %d players", a.Round, players), round)
	case "completed":
		b.note(slog.LevelInfo, "ROUND_COMPLETED_SENT", fmt.Sprintf("end of round %d announced to %d players", a.Round, players),
			round, slog.Int("matches_count", matches))
	case "league":
		b.note(slog.LevelInfo, "LEAGUE_COMPLETED_SENT", fmt.Sprintf("end of the league announced to %d players", players))
	default: // something for a single player, or for a foreign referee
		b.note(slog.LevelInfo, "MATCH_ANNOUNCEMENT_SENT", fmt.Sprintf("%s announced in round %d", a.What, a.Round), round)
	}
}

// noteForfeits warns of every technical loss in a report that has just been recorded. The sentence is the referee's.
func (rs *results) noteForfeits(referee string, r *protocol.MatchResultReport) {
	lost := r.Result.Details.Forfeits
	if len(lost) == 0 {
		for player := range r.Result.Score {
			rs.causes.Delete(player)
		}
	}
	for _, player := range slices.Sorted(maps.Keys(lost)) {
		cause := cmp.Or(protocol.ForfeitCause(r.Result.Details.Reason, player), r.Result.Details.Reason)
		why := cmp.Or(league.ClipTo(protocol.Plain(cause), 500), protocol.ForfeitMeaning(lost[player]))
		rs.causes.Store(player, r.MatchID+": "+why)
		rs.note(slog.LevelWarn, protocol.TechnicalLoss,
			fmt.Sprintf("%s loses %s by technical loss: %s", league.Clip(player), league.Clip(r.MatchID), why),
			slog.String("match_id", league.Clip(r.MatchID)), slog.String("player_id", league.Clip(player)),
			slog.String("error_code", league.Clip(lost[player])), slog.String("referee_id", referee),
			slog.Float64("waited_sec", float64(r.AgentTiming[player].AgentUS/1000)/1000))
	}
}

// noteUnplayed warns of the technical losses in matches that were never played, once per player: a player that leaves
// a large league causes many.
func (w *writer) noteUnplayed(events []league.Event) {
	lost := map[string][]league.ResultRecorded{}
	for _, e := range events {
		r, is := e.(league.ResultRecorded)
		if !is || r.Attempt > 0 {
			continue
		}
		for player := range r.Result.Forfeits {
			lost[player] = append(lost[player], r)
		}
	}
	for _, player := range slices.Sorted(maps.Keys(lost)) {
		first := lost[player][0]
		what := first.Match
		if more := len(lost[player]) - 1; more > 0 {
			what = fmt.Sprintf("%s and %d more", first.Match, more)
		}
		code := first.Result.Forfeits[player]
		w.note(slog.LevelWarn, protocol.TechnicalLoss,
			fmt.Sprintf("%s loses %s by technical loss: %s", player, what, protocol.ForfeitMeaning(code)),
			slog.String("match_id", first.Match), slog.String("player_id", player), slog.String("error_code", code),
			slog.Int("matches_count", len(lost[player])))
	}
}
