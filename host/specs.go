package host

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"agentleague/player"
	"agentleague/player/minds/exec"
	"agentleague/player/minds/llm"
)

// SplitSpecs splits a list of specs at its commas, except within quotes.
func SplitSpecs(list string) (out []string) {
	var quote rune
	parts := strings.FieldsFunc(list, func(r rune) bool {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
		return r == ',' && quote == 0
	})
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// CloseStrategy closes a strategy that implements io.Closer, such as one with a child process, and ignores any other.
func CloseStrategy(s player.Strategy) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Waits reports whether a strategy waits for a program or a server, and so needs no CPU of this process.
func Waits(s player.Strategy) bool {
	switch s.(type) {
	case *llm.Mind, *exec.Mind:
		return true
	}
	return false
}

// lookup reads a spec.
func lookup(spec string) (Mind, string, error) {
	spec = strings.TrimSpace(spec)
	if full, ok := aliases[spec]; ok {
		spec = full
	}
	name, argument, given := strings.Cut(spec, ":")
	i := slices.IndexFunc(minds, func(m Mind) bool { return m.Name == name })
	switch {
	case i < 0:
		return Mind{}, "", fmt.Errorf("unknown strategy %.64q; use one of %s", spec, strings.Join(strategyNames(), ", "))
	case given && minds[i].Argument == "":
		return Mind{}, "", fmt.Errorf("the strategy %s takes no argument, got %.64q", name, spec)
	case strings.TrimSpace(argument) == "" && minds[i].Needed:
		return Mind{}, "", fmt.Errorf("the strategy %s needs an argument: %s:%s", name, name, minds[i].Argument)
	}
	return minds[i], argument, nil
}
