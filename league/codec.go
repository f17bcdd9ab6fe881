package league

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unicode/utf8"

	"agentleague/protocol"
)

// kinds names the events in the log.
var kinds = map[string]reflect.Type{
	"LeagueCreated": reflect.TypeFor[Created](), "Epoch": reflect.TypeFor[Epoch](),
	"Upgraded": reflect.TypeFor[Upgraded](), "AgentFound": reflect.TypeFor[Found](),
	"AgentRegistered": reflect.TypeFor[Registered](), "AgentState": reflect.TypeFor[AgentState](),
	"DialectLearned": reflect.TypeFor[DialectLearned](), "StartOrdered": reflect.TypeFor[StartOrdered](),
	"LeagueStarted": reflect.TypeFor[Started](), "RoundOpened": reflect.TypeFor[RoundOpened](),
	"RoundPaired": reflect.TypeFor[RoundPaired](), "PlayerJoined": reflect.TypeFor[playerJoined](),
	"PlayerRested": reflect.TypeFor[playerRested](), "CalendarSet": reflect.TypeFor[calendarSet](),
	"AgentInvited": reflect.TypeFor[Invited](), "AgentReadmitted": reflect.TypeFor[Readmitted](),
	"AgentRenamed": reflect.TypeFor[Renamed](), "AgentsMerged": reflect.TypeFor[mergedEvent](),
	"ResultContested": reflect.TypeFor[Contested](), "ResultAnnulled": reflect.TypeFor[Annulled](),
	"MatchAssigned": reflect.TypeFor[MatchAssigned](), "ResultRecorded": reflect.TypeFor[ResultRecorded](),
	"RoundClosed": reflect.TypeFor[RoundClosed](), "Announced": reflect.TypeFor[Announced](),
	"Paused": reflect.TypeFor[Paused](), "Resumed": reflect.TypeFor[Resumed](),
	"Drained": reflect.TypeFor[Drained](), "Withdrawn": reflect.TypeFor[Withdrawn](),
	"LeagueCompleted": reflect.TypeFor[Completed](), "LeagueCancelled": reflect.TypeFor[Cancelled](),
}

// kindOf maps the type of each event to its name in the log. A leanResult, which is the compact form of a
// ResultRecorded, has the same name.
var kindOf = func() map[reflect.Type]string {
	out := map[reflect.Type]string{}
	for name, t := range kinds {
		out[t] = name
	}
	out[reflect.TypeFor[leanResult]()] = "ResultRecorded"
	return out
}()

// Kind returns the name of an event in the log.
func Kind(e Event) string { return kindOf[reflect.TypeOf(e)] }

// An EncodedEvent is an event as it is encoded in an entry of the log.
type EncodedEvent struct {
	Kind  string          `json:"kind"`
	At    time.Time       `json:"at"`
	Event json.RawMessage `json:"event"`
}

// read is a log entry for decoding. Its member Kind comes first and determines the type of Event.
type read struct {
	Kind  string    `json:"kind"`
	At    time.Time `json:"at"`
	Event Event     `json:"event"`
}

// Pick returns the type of the entry's event.
func (r *read) Pick() reflect.Type { return kinds[r.Kind] }

// ErrNewer means that a log has a schema or an event that this version does not support.
var ErrNewer = errors.New("a newer version wrote this log")

// unknown returns the error for an unknown event kind.
func (r *read) unknown() error {
	return fmt.Errorf("unknown event %q: %w", r.Kind, ErrNewer)
}

// UnmarshalJSON is the slow path, for entries with members in an unusual order or with invalid members. The error names
// the invalid member.
func (r *read) UnmarshalJSON(text []byte) error {
	var b EncodedEvent
	if err := protocol.StrictUnmarshal(text, &b); err != nil {
		return err
	}
	r.Kind, r.At = b.Kind, b.At
	t := r.Pick()
	if t == nil {
		return r.unknown()
	}
	e := reflect.New(t)
	if err := protocol.StrictUnmarshal(b.Event, e.Interface()); err != nil {
		return fmt.Errorf("%s: %w", b.Kind, err)
	}
	r.Event = e.Elem().Interface().(Event)
	return nil
}

// EncodeEvent encodes an event for the log. It returns an error if the result could not be decoded again.
func EncodeEvent(at time.Time, e Event) (EncodedEvent, error) {
	if year := at.UTC().Year(); year < 0 || year > 9999 {
		return EncodedEvent{}, fmt.Errorf("encode %T: a time in the year %d cannot be written", e, year)
	}
	raw, err := protocol.Marshal(e)
	if err != nil {
		return EncodedEvent{}, fmt.Errorf("encode %T: %w", e, err)
	}
	if key := protocol.RepeatedKey(raw); key != "" || !utf8.Valid(raw) { // it could not be read again
		return EncodedEvent{}, fmt.Errorf("encode %T: the member %q occurs twice, or it is not UTF-8", e, key)
	}
	return EncodedEvent{Kind: kindOf[reflect.TypeOf(e)], At: at.UTC(), Event: raw}, nil
}

// EncodeBatch encodes one entry of the log, byte for byte as encoding/json would. It does not validate the events,
// which are encoded already.
func EncodeBatch(events []EncodedEvent) []byte {
	size := 2
	for _, e := range events {
		size += len(e.Event) + 96
	}
	b := append(make([]byte, 0, size), '[')
	for i, e := range events {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"kind":"`...), e.Kind...), `","at":"`...)
		b = append(e.At.AppendFormat(b, time.RFC3339Nano), `","event":`...)
		b = append(append(b, e.Event...), '}')
	}
	return append(b, ']')
}

// DecodeBatch decodes one entry of the log: the events of one write, and their common time. It is as strict as
// [protocol.StrictUnmarshal].
func DecodeBatch(data []byte) (at time.Time, events []Event, err error) {
	var batch []read
	return decode(data, &batch, func(r *read) *read { return r })
}

// decode decodes an entry of the log. It rejects unknown members, since each could be a rule that this version would
// violate. The type T determines which parts of a result are kept; room is an empty buffer to decode into, and entry
// returns the entry in a T.
func decode[T any](data []byte, room *[]T, entry func(*T) *read) (at time.Time, events []Event, err error) {
	if err := protocol.StrictUnmarshal(data, room); err != nil {
		return at, nil, fmt.Errorf("log entry: %w", err)
	}
	batch := *room
	if len(batch) == 0 {
		return at, nil, errors.New("log entry: it holds no events")
	}
	at, events = entry(&batch[0]).At, make([]Event, len(batch))
	for i := range batch {
		b := entry(&batch[i])
		switch {
		case kinds[b.Kind] == nil:
			return at, nil, fmt.Errorf("log entry: %w", b.unknown())
		case b.Event == nil:
			return at, nil, fmt.Errorf("log entry: %s: it has no event", b.Kind)
		case b.At.IsZero():
			return at, nil, fmt.Errorf("log entry: %s: it has no time", b.Kind)
		case !b.At.Equal(at):
			return at, nil, fmt.Errorf("log entry: %s: it has another time than the event before it", b.Kind)
		}
		events[i] = b.Event
	}
	return at, events, nil
}

// DecodeLean is like DecodeBatch, but omits the data that a state of [NewSummaryState] does not keep. It validates that data
// just as strictly.
func DecodeLean(data []byte) (at time.Time, events []Event, err error) {
	room := leanRooms.Get().(*[]leanRead)
	defer func() {
		clear(*room) // the events are the caller's
		*room = (*room)[:0]
		leanRooms.Put(room)
	}()
	return decode(data, room, func(r *leanRead) *read { return &r.read })
}

// leanRooms pools the slices into which DecodeLean decodes, because allocating one for every entry costs more than
// decoding. A pooled slice is empty and zero up to its capacity.
var leanRooms = sync.Pool{New: func() any { return new([]leanRead) }}

// leanRead is a log entry for decoding into a state of [NewSummaryState], which drops parts of results.
type leanRead struct{ read }

// Pick returns the type of the entry's event.
func (r *leanRead) Pick() reflect.Type {
	t := r.read.Pick()
	if t == reflect.TypeFor[ResultRecorded]() {
		return reflect.TypeFor[leanResult]()
	}
	return t
}
