package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync"

	"agentleague/config"
	"agentleague/protocol"
)

// ErrNoRecord says that there is no such record.
var ErrNoRecord = errors.New("no such record")

// Records is what one referee keeps of the matches it played, so that no result is lost with it:
//
//	data/referees/<id>/<league_id>/<match_id>.<attempt>.json    the record, for everyone
//	data/referees/<id>/<league_id>/round-<n>.jsonl              the records of a round, each a line: those of a large league
//	data/referees/<id>/<league_id>/unreported.jsonl             the orders to play, private, until results are reported
//	data/referees/<id>/<league_id>/undecided/                   matches that wait for their draw, private, until they have a record
//
// Its methods may be called from many goroutines at once.
type Records struct {
	root   *Root
	folder string
	made   sync.Map // the folders of leagues that are on disk, each with its groupSync
	queues sync.Map // of those leagues
}

// Records returns the records of a referee in all leagues.
func (r *Root) Records(referee string) (*Records, error) {
	if err := config.CheckID("referee id", referee); err != nil {
		return nil, err
	}
	return &Records{root: r, folder: "data/referees/" + referee}, nil
}

// Save returns once a record and the order behind it are on disk. Saving the same record again does nothing, also not
// to an order that is gone; saving another one in its place is an error. On a full disk the error is a [FullError].
func (s *Records) Save(ref protocol.RecordRef, document, order []byte) error {
	return s.SaveHashed(ref, document, protocol.RecordHash(document), order)
}

// SaveHashed is Save for whoever has the hash of the document already, as [protocol.RecordHash] writes it. Nothing of
// what it is given is kept.
func (s *Records) SaveHashed(ref protocol.RecordRef, document []byte, hash string, order []byte) error {
	return s.root.told(s.save(ref, document, hash, order))
}

// save keeps the record of a match for good, with the order that it was played by. It returns once both are on
// disk.
func (s *Records) save(ref protocol.RecordRef, document []byte, hash string, order []byte) error {
	name, err := s.name(ref)
	if err != nil {
		return err
	}
	if !isAbout(document, ref) {
		if err := checkRecord(document, ref); err != nil {
			return fmt.Errorf("%s.json: %w", name, err)
		}
	}
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	if protocol.OneLine(document) {
		return s.saveLine(ref, document, hash, order)
	}
	s.lines(ref.LeagueID).files.Store(true)
	if there, err := s.compare(name, document); there || err != nil {
		return err
	}
	if err := s.write(ref, s.root.path(name), document, order); errors.Is(err, fs.ErrExist) {
		_, err = s.compare(name, document)
		return err
	} else if err != nil {
		return err
	}
	return s.syncFolder(path.Dir(name))
}

// write puts the record and the order on disk, at the same time, and then gives the record its name: one without an
// order counts as reported.
func (s *Records) write(ref protocol.RecordRef, path string, document, order []byte) error {
	var failed error
	var writing sync.WaitGroup
	writing.Go(func() { failed = s.queue(ref.LeagueID).add(ref, order) })
	public, err := writeTemp(path+".json", document, 0o644)
	writing.Wait()
	if public != "" {
		defer os.Remove(public)
	}
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return publish(public, path+".json", os.Link)
}

// saveLine keeps a record as a line of its round's file. All that are saved at the same time share one write and one
// sync of their orders, and then one of their records.
func (s *Records) saveLine(ref protocol.RecordRef, document []byte, hash string, order []byte) error {
	var sum [sha256.Size]byte
	if n, err := hex.Decode(sum[:], []byte(hash)); n != len(sum) || err != nil {
		return fmt.Errorf("match %s: %q is not the hash of a record", ref.MatchID, hash)
	}
	lines, orders, key := s.lines(ref.LeagueID), s.queue(ref.LeagueID), lineKey{ref.MatchID, ref.Attempt}
	if err := lines.stage(key, document, sum, func() error { return orders.stage(ref, order) }); err != nil {
		return err
	}
	if err := orders.synced.do(orders.commit); err != nil {
		return err
	}
	return lines.kept(key)
}

// lines are the records of a league that are no files of their own.
func (s *Records) lines(league string) *roundLog { return s.queue(league).lines }

// queue returns the orders of a league.
func (s *Records) queue(league string) *queue {
	q, ok := s.queues.Load(league)
	if !ok {
		q, _ = s.queues.LoadOrStore(league, newQueue(s.root, s.folder+"/"+league, league))
	}
	return q.(*queue)
}

// Close lets go of the files that are kept open. Saving opens them again.
func (s *Records) Close() error {
	s.queues.Range(func(_, q any) bool {
		q.(*queue).close()
		q.(*queue).lines.close()
		return true
	})
	return nil
}

// syncFolder returns once the names in a league's folder are on disk.
func (s *Records) syncFolder(name string) error {
	group, _ := s.made.LoadOrStore(name, newGroupSync())
	return group.(*groupSync).do(func() error { return syncFolder(s.root.path(name)) })
}

// SaveOrder returns once the order behind a record is replaced on disk. One that is gone, since the result was
// reported, does not come back.
func (s *Records) SaveOrder(ref protocol.RecordRef, order []byte) error {
	if _, err := s.name(ref); err != nil {
		return err
	}
	return s.root.told(s.queue(ref.LeagueID).replace(ref, order))
}

// Reported notes that the manager has a record's result: it is not told again.
func (s *Records) Reported(ref protocol.RecordRef) error {
	if _, err := s.name(ref); err != nil {
		return err
	}
	return s.queue(ref.LeagueID).done(ref)
}

// Document returns a record byte for byte, or [ErrNoRecord].
func (s *Records) Document(ref protocol.RecordRef) ([]byte, error) {
	name, err := s.name(ref)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecord, err) // nothing was ever saved under such a name
	}
	text, err := s.read(name, ref, s.lines(ref.LeagueID).loose())
	if err != nil {
		return nil, err
	}
	if err := checkRecord(text, ref); err != nil {
		return nil, fmt.Errorf("%s.json: damaged: %w", name, err)
	}
	return text, nil
}

// Sealed returns a record byte for byte if it has the hash that its report named, or else [ErrNoRecord].
func (s *Records) Sealed(ref protocol.RecordRef, hash string) ([]byte, error) {
	name, err := s.name(ref)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecord, err)
	}
	text, sum, err := s.lines(ref.LeagueID).hashed(lineKey{ref.MatchID, ref.Attempt})
	if err == nil && hex.EncodeToString(sum[:]) == hash {
		return text, nil
	}
	text, err = s.read(name, ref, true)
	if err == nil && protocol.RecordHash(text) != hash {
		return nil, fmt.Errorf("%s.json: not the one that was reported: %w", name, ErrNoRecord)
	}
	return text, err
}

// read returns a record: a line, or, where there are such files, a file of its own.
func (s *Records) read(name string, ref protocol.RecordRef, files bool) ([]byte, error) {
	text, err := s.lines(ref.LeagueID).get(lineKey{ref.MatchID, ref.Attempt})
	if files && errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(s.root.path(name + ".json"))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noRecord(ref)
	}
	return text, err
}

// noRecord is an [ErrNoRecord] that says which. Most matches have none when they are looked for, and nobody reads it.
type noRecord protocol.RecordRef

func (e noRecord) Error() string {
	return fmt.Sprintf("match %s of %s, attempt %d: %v", e.MatchID, e.LeagueID, e.Attempt, ErrNoRecord)
}

// Unwrap returns ErrNoRecord.
func (e noRecord) Unwrap() error { return ErrNoRecord }

// compare reports whether a record is there already, and fails if it is another one. If it is the same it is on disk.
func (s *Records) compare(name string, document []byte) (there bool, err error) {
	text, err := os.ReadFile(s.root.path(name + ".json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !bytes.Equal(text, document):
		return true, fmt.Errorf("%s.json: there is already another record of this attempt", name)
	}
	return true, s.syncFolder(path.Dir(name))
}

// name returns where a record is, without its ending.
func (s *Records) name(ref protocol.RecordRef) (string, error) {
	if ref.Attempt < 0 {
		return "", fmt.Errorf("match %.64q: attempt %d: want 0 or more", ref.MatchID, ref.Attempt)
	}
	err := errors.Join(config.CheckID("league id", ref.LeagueID), config.CheckID("match id", ref.MatchID))
	return s.folder + "/" + ref.LeagueID + "/" + ref.MatchID + "." + strconv.Itoa(ref.Attempt), err
}

// makeFolder makes a folder durably, once in the life of the process.
func (s *Records) makeFolder(name string) error {
	if _, ok := s.made.Load(name); ok {
		return nil
	}
	if err := s.root.makeFolder(name); err != nil {
		return err
	}
	s.made.LoadOrStore(name, newGroupSync())
	return nil
}

// checkRecord returns an error unless a document is the record that it should be.
func checkRecord(document []byte, ref protocol.RecordRef) error {
	var told protocol.RecordRef
	if err := json.Unmarshal(document, &told); err != nil {
		return err
	}
	if told != ref {
		return fmt.Errorf("it is about match %.64q of %.64q, attempt %d", told.MatchID, told.LeagueID, told.Attempt)
	}
	return nil
}

// isAbout reports whether a document says, before its first list or object, that it is this record: as ours do, which
// need not be read for it. Ids are made of letters that stand in JSON as they are, so that each member can be looked
// for as it is written, where nothing is escaped. It may say no of a record that is the one.
func isAbout(document []byte, ref protocol.RecordRef) bool {
	_, rest, _ := bytes.Cut(document, []byte("{"))
	flat := rest[:max(bytes.IndexAny(rest, "[{"), 0)]
	return bytes.IndexByte(flat, '\\') < 0 && says(flat, `"match_id"`, `"`+ref.MatchID+`"`) && says(flat, `"league_id"`, `"`+ref.LeagueID+`"`) &&
		says(flat, `"attempt"`, strconv.Itoa(ref.Attempt))
}

// says reports whether the members in a text have one of that name, with that value and another member behind it, and
// none that is a second.
func says(flat []byte, name, value string) bool {
	_, after, found := bytes.Cut(flat, []byte(name))
	after, colon := bytes.CutPrefix(after, []byte(":"))
	after, same := bytes.CutPrefix(bytes.TrimPrefix(after, []byte(" ")), []byte(value))
	return found && colon && same && bytes.HasPrefix(after, []byte(",")) && !bytes.Contains(after, []byte(name))
}
