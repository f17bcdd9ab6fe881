package server

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"agentleague/cluster"
)

// handOver is how long a request waits for a league that changes hands, and handOverLook how often it looks.
const (
	handOver     = 8 * time.Second
	handOverLook = 50 * time.Millisecond
)

// owners tell whose a league of the cluster is.
type owners struct{ member *cluster.Member }

// named returns the league of the cluster that a message names. It finds the first such member of the JSON; who answers
// reads the message properly and hands it on if it is meant otherwise.
func (o *owners) named(body []byte) (id string, ok bool) {
	for _, key := range []string{`"league_id"`, `"leagueId"`} {
		_, rest, there := bytes.Cut(body, []byte(key))
		if !there {
			continue
		}
		rest, there = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
		if !there || json.NewDecoder(bytes.NewReader(rest)).Decode(&id) != nil {
			continue
		}
		if _, _, known := o.member.Owner(id); known {
			return id, true
		}
	}
	return "", false
}

// pause waits for the cluster to change, but not for long. It returns false when nobody waits for the answer any more.
func (o *owners) pause(ctx context.Context) bool {
	select {
	case <-o.member.Changed():
	case <-time.After(handOverLook):
	case <-ctx.Done():
		return false
	}
	return true
}
