package backup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/config"
)

// programPrefix is the prefix of a strategy that runs a program on the manager's machine.
const programPrefix = "exec:"

// A ProgramError means that the settings of a backup have a strategy that runs a program, which [Target] does not
// allow.
type ProgramError struct {
	File     string // the settings
	Strategy string
}

// Error names the settings and the strategy.
func (e *ProgramError) Error() string {
	return fmt.Sprintf("%s has the strategy %.200q: a manager that plays the league here runs that program", e.File, e.Strategy)
}

// checkPrograms refuses settings in which a strategy is a program, unless the target allows it.
func (a *Archive) checkPrograms(t Target, id string) error {
	if t.Programs {
		return nil
	}
	text, err := a.leagueSettings(id)
	if err != nil {
		return err
	}
	if found := program(text); found != "" {
		return &ProgramError{File: config.LeagueFile(id), Strategy: found}
	}
	return nil
}

// leagueSettings returns the settings of a league, nil if the backup has none.
func (a *Archive) leagueSettings(id string) ([]byte, error) {
	if _, ok := a.size[config.LeagueFile(id)]; !ok {
		return nil, nil
	}
	return a.read(config.LeagueFile(id), maxText)
}

// program returns the first string of a document that names a program as a strategy, or "". It checks all strings,
// also in repeated members, and the bytes of a document that is not JSON.
func program(text []byte) string {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if err != nil {
			break
		}
		if word, ok := token.(string); ok && strings.Contains(strings.ToLower(word), programPrefix) {
			return word
		}
	}
	if json.Valid(text) || !bytes.Contains(bytes.ToLower(text), []byte(programPrefix)) {
		return ""
	}
	return programPrefix
}
