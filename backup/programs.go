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

// A ProgramError means that a backup's settings have a strategy that runs a program, and that the [Target] does not
// allow that.
type ProgramError struct {
	File     string // the settings
	Strategy string
}

// Error names the settings and the strategy.
func (e *ProgramError) Error() string {
	return fmt.Sprintf("%s has the strategy %.200q: a manager that plays the league here runs that program", e.File, e.Strategy)
}

// checkPrograms returns a [ProgramError] if a strategy in the settings is a program, unless the target allows it.
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

// leagueSettings returns the settings of a league, or nil if the backup has none.
func (a *Archive) leagueSettings(id string) ([]byte, error) {
	if _, ok := a.size[config.LeagueFile(id)]; !ok {
		return nil, nil
	}
	return a.read(config.LeagueFile(id), maxText)
}

// program returns the first string in a document that starts with programPrefix, or "". It checks all strings, also
// those of duplicate members, and the bytes of a document that is not JSON.
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
