package placement

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"agentleague/cluster"
)

// handOver limits the wait of a request for a league that changes owners, and handOverLook is its polling interval.
const (
	handOver     = 8 * time.Second
	handOverLook = 50 * time.Millisecond
)

// owners looks up the owners of the cluster's leagues.
type owners struct{ member *cluster.Member }

// named returns the cluster league that a message names. It takes the first such member of the JSON; the receiving
// manager parses the message properly and forwards it if needed.
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

// pause waits up to handOverLook for the cluster to change. It returns false when the request is canceled.
func (o *owners) pause(ctx context.Context) bool {
	select {
	case <-o.member.Changed():
	case <-time.After(handOverLook):
	case <-ctx.Done():
		return false
	}
	return true
}
