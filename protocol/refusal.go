package protocol

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// A Refusal is an error that a peer gave as its answer. What it says of the
// message that was refused, package dialect tells.
type Refusal struct {
	HTTPStatus int
	Asked      string // the method that it answers; "": not known
	Code       int    // of JSON-RPC; 0 if the answer has none
	Name       string // of the protocol's error table, when the answer names one
	Message    string // for the person who reads it
	Said       string // the beginning of the whole answer; "": the message is all
}

func (r *Refusal) Error() string { return r.Sentence("the agent") }

// Sentence says what the agent answered. An agent that answers HTTP 500 has failed, mostly by an exception in its
// program: only its own output says why, and its status says more than the words that come with it.
func (r *Refusal) Sentence(agent string) string {
	to := ""
	if r.Asked != "" {
		to = " to " + r.Asked
	}
	switch {
	case r.Name != "":
		return agent + " answered " + r.Name + to + ": " + r.Message
	case r.HTTPStatus >= 500:
		said := ""
		if line := firstLine(cmp.Or(r.Said, r.Message)); line != "" {
			said = fmt.Sprintf(" (it said: %s)", line)
		}
		return fmt.Sprintf("%s answered HTTP %d%s: look at its own output%s", agent, r.HTTPStatus, to, said)
	case r.HTTPStatus >= 400:
		return fmt.Sprintf("%s answered HTTP %d%s: %s", agent, r.HTTPStatus, to, r.Message)
	}
	return agent + " answered with an error" + to + ": " + r.Message
}

// firstLine is the first line of an answer that says something; of a web page, without its tags.
func firstLine(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		text = tags.ReplaceAllString(text, "")
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return Clip(Plain(line), 200)
		}
	}
	return ""
}

// tags are what is taken out of an HTML page to read what it says: some servers refuse with one.
var tags = regexp.MustCompile(`(?s)<style.*?</style>|<script.*?</script>|<[^>]*>`)
