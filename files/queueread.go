package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agentleague/config"
	"agentleague/protocol"
)

// read finds out what waits, once.
func (q *queue) read() (map[protocol.RecordRef]bool, error) {
	if q.waiting != nil {
		return q.waiting, nil
	}
	text, err := q.text()
	if err != nil {
		return nil, err
	}
	orders, _ := q.orders(text)
	orders = q.recorded(orders)
	q.waiting, q.size, q.torn = map[protocol.RecordRef]bool{}, int64(len(text)), len(text) > 0 && text[len(text)-1] != '\n'
	for ref := range orders {
		q.waiting[ref] = true
	}
	return q.waiting, nil
}

// text reads the file. One that is not there is empty.
func (q *queue) text() ([]byte, error) {
	text, err := os.ReadFile(q.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// orders returns what waits. A line that is damaged is an error that names it, and does not hide the rest.
func (q *queue) orders(text []byte) (out map[protocol.RecordRef][]byte, failed error) {
	out = map[protocol.RecordRef][]byte{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		var l queued
		err := json.Unmarshal(line, &l)
		ref := protocol.RecordRef{LeagueID: q.league, MatchID: l.MatchID, Attempt: l.Attempt}
		switch {
		case unwritten(line):
		case err == nil && (!config.ValidID(l.MatchID) || l.Attempt < 0):
			err = errors.New("match_id, attempt: want those of a match")
			fallthrough
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("%s/%s:%d: damaged: %w", q.folder, queueName, n, err))
		case l.Reported:
			delete(out, ref)
		default:
			out[ref] = l.Order
		}
	}
	return out, failed
}
