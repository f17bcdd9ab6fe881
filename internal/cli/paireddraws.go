package cli

import (
	"fmt"

	"agentleague/game/catalog"
	"agentleague/league"
)

// pairedDrawsHelp explains the flag where a league begins.
const pairedDrawsHelp = "every second match of a pair repeats the draws of the first with seats swapped (fair " +
	"only among players that do not remember)"

// checkPairedDraws returns why a league cannot have the paired draws that a flag asks for.
func checkPairedDraws(known catalog.Catalog, game string, cycles int) error {
	rules, err := known.Lookup(game)
	if err != nil {
		return err
	}
	if err := league.CheckPairedDraws(cycles, game, rules.Info().GuestsMayJudge); err != nil {
		return fmt.Errorf("--paired-draws: %w", err)
	}
	return nil
}
