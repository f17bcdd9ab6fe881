// Package shelf stores the match records of a league where every manager of a cluster can read them.
//
//	Store ─▶ the root of this manager ─▶ log records.<league>, in parts that fit a message
//	Open ◀── the same log: records that the root lacks are written there
//
// The log of a league has only the hash of a record. The record is on the disks of its referee and of the manager that
// owned the league; in this log it survives the loss of both.
package shelf

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"agentleague/engine"
	"agentleague/protocol"
)

// Records stores the match records in the data directory of a manager.
type Records interface {
	// Has reports whether the record of a match with that hash is stored; an empty hash means any record.
	Has(match, hash string) bool

	// Store stores a record and replaces an older one of the same match.
	Store(match string, document []byte) error

	// Load returns the stored record of a match.
	Load(match string) ([]byte, error)
}

// A Shelf stores the match records of one league, in a data directory and in the cluster.
type Shelf struct {
	root Records
	log  engine.Engine
	name string // of the log
	life context.Context

	mu   sync.Mutex
	seq  uint64            // as far as the log was read
	have map[string]string // by match, the hash of the newest record that the cluster has
	open map[string]*parts // by hash, records of which some parts were read
}

// Name returns the name of the log with the records of a league.
func Name(league string) string { return "records." + league }

// Open copies the league's records that are missing in the data directory from the cluster. The returned shelf is
// usable until ctx ends.
func Open(ctx context.Context, log engine.Engine, league string, root Records) (*Shelf, error) {
	s := &Shelf{root: root, log: log, name: Name(league), life: ctx, have: map[string]string{}, open: map[string]*parts{}}
	if err := s.read(); err != nil {
		return nil, fmt.Errorf("the records of %s: %w", league, err)
	}
	return s, nil
}

// Has reports whether the record of a match with that hash is in the data directory and in the cluster; an empty hash
// means any record. It copies a record that is only in the data directory, from before the league joined a cluster, to
// the cluster.
func (s *Shelf) Has(match, hash string) bool {
	if !s.root.Has(match, hash) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared := s.have[match]; shared != "" && (hash == "" || hash == shared) {
		return true
	}
	document, err := s.root.Load(match)
	return err == nil && s.share(match, document) == nil
}

// Store writes a record to the data directory and to the cluster; it is durable in both when Store returns. Records
// that the cluster has are not sent again.
func (s *Shelf) Store(match string, document []byte) error {
	if err := s.root.Store(match, document); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.share(match, document)
}

// share writes a record to the cluster's log unless it is there. The caller holds the lock.
func (s *Shelf) share(match string, document []byte) error {
	hash := protocol.RecordHash(document)
	if s.have[match] == hash {
		return nil
	}
	cut, err := cutUp(match, hash, document)
	if err != nil {
		return err
	}
	for _, part := range cut {
		if err := s.append(part); err != nil {
			return fmt.Errorf("the record of %s: %w", match, err)
		}
	}
	s.have[match] = hash
	return nil
}

// append writes a part at the end of the log. If another manager has written in between, it reads those entries and
// retries: a manager that has just lost the league may still write, and its records are equally valid.
func (s *Shelf) append(part []byte) error {
	for {
		at, err := s.log.Append(s.life, s.name, s.seq, part)
		if err == nil {
			s.seq = at.Seq
			return nil
		}
		was := s.seq
		if again := s.read(); again != nil || !errors.Is(err, engine.ErrFenced) && s.seq == was {
			return errors.Join(err, again)
		}
	}
}

// read reads the new entries of the log, and stores the records that are missing in the data directory.
func (s *Shelf) read() error {
	lacks := map[string]*parts{} // by match
	for entry, err := range s.log.Read(s.life, s.name, s.seq+1) {
		if err != nil {
			return err
		}
		if err := s.take(entry.Data, lacks); err != nil {
			return fmt.Errorf("line %d of %s: %w", entry.Seq, s.name, err)
		}
		s.seq = entry.Seq
	}
	for match, all := range lacks {
		document, err := all.document()
		if err == nil && protocol.RecordHash(document) != s.have[match] {
			err = errors.New("it does not have the hash under which it was stored")
		}
		if err == nil {
			err = s.root.Store(match, document)
		}
		if err != nil {
			return fmt.Errorf("the record of %s: %w", match, err)
		}
	}
	return nil
}

// take processes one entry of the log. If it completes a record that is missing in the data directory, take adds the
// record to lacks, in place of an older one of the same match.
func (s *Shelf) take(text []byte, lacks map[string]*parts) error {
	p, err := parse(text)
	if err != nil {
		return err
	}
	all := s.open[p.SHA256]
	if all == nil {
		all = newParts(p.Of)
		s.open[p.SHA256] = all
	}
	if !all.add(p) {
		return nil
	}
	delete(s.open, p.SHA256)
	s.have[p.Match] = p.SHA256
	if delete(lacks, p.Match); !s.root.Has(p.Match, p.SHA256) {
		lacks[p.Match] = all
	}
	return nil
}
