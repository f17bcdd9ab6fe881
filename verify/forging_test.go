package verify_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A forging is something that a forger does.
type forging func(f *forger)

// is reports whether an event is of a kind, and about an agent, a match or a round. "" is any.
func (e logged) is(kind, about string) bool {
	if e.Kind != kind || about == "" {
		return e.Kind == kind
	}
	m := e.members()
	for _, name := range []string{"id", "match", "round"} {
		if v, ok := m[name]; ok && fmt.Sprint(v) == about {
			return true
		}
	}
	return false
}

// members are those of the event.
func (e logged) members() (m map[string]any) {
	d := json.NewDecoder(bytes.NewReader(e.Event))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		panic(err)
	}
	return m
}

// with is the event with another text.
func (e logged) with(text string) logged {
	e.Event = json.RawMessage(text)
	return e
}

// other is another event of the same moment.
func (e logged) other(kind, text string) logged { return logged{kind, e.At, json.RawMessage(text)} }

// find returns the first event of a kind about something.
func (f *forger) find(kind, about string) logged {
	f.t.Helper()
	for _, l := range f.log {
		for _, e := range l.Events {
			if e.is(kind, about) {
				return e
			}
		}
	}
	f.t.Fatalf("there is no %s of %s", kind, about)
	return logged{}
}

// changed is the text of the first event of a kind about something, with another value in a member; nil takes it out.
func (f *forger) changed(kind, about, path string, value any) string {
	f.t.Helper()
	all := f.find(kind, about).members()
	names := strings.Split(path, ".")
	m, last := all, names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		m = m[name].(map[string]any)
	}
	if m[last] = value; value == nil {
		delete(m, last)
	}
	text, err := json.Marshal(all)
	f.must(err)
	return string(text)
}

// swap puts others in the place of the first event of a kind about something.
func swap(kind, about string, edit func(e logged) []logged) forging {
	return swapNth(1, kind, about, edit)
}

func swapNth(nth int, kind, about string, edit func(e logged) []logged) forging {
	return func(f *forger) {
		f.t.Helper()
		seen := 0
		f.events(func(e logged) []logged {
			if e.is(kind, about) {
				if seen++; seen == nth {
					return edit(e)
				}
			}
			return []logged{e}
		})
		if seen < nth {
			f.t.Fatalf("there are %d %s of %s", seen, kind, about)
		}
	}
}

// gone puts nothing in the place of an event.
func gone(logged) []logged { return nil }

func drop(kind, about string) forging { return swap(kind, about, gone) }

func twice(kind, about string) forging {
	return swap(kind, about, func(e logged) []logged { return []logged{e, e} })
}

// before and after put an event beside the first of a kind about something.
func before(kind, about, added, text string) forging {
	return swap(kind, about, func(e logged) []logged { return []logged{e.other(added, text), e} })
}

func after(kind, about, added, text string) forging {
	return swap(kind, about, func(e logged) []logged { return []logged{e, e.other(added, text)} })
}

// later appends an event in a separate line after that of the first event of a kind about a subject.
func later(kind, about, added, text string) forging {
	return func(f *forger) {
		f.lines(func(lines []logLine) []logLine {
			at := lineOf(lines, kind, about)
			last := lines[at].Events[len(lines[at].Events)-1]
			return slices.Insert(lines, at+1, logLine{At: lines[at].At, Events: []logged{last.other(added, text)}})
		})
	}
}

// set gives a member of the first event of a kind about something another value; nil takes it out.
func set(kind, about, path string, value any) forging {
	return func(f *forger) {
		f.t.Helper()
		text := f.changed(kind, about, path, value)
		swap(kind, about, func(e logged) []logged { return []logged{e.with(text)} })(f)
	}
}

// add appends a member to the first event of a kind about a subject.
func add(kind, about, member string) forging {
	return swap(kind, about, func(e logged) []logged {
		return []logged{e.with(strings.TrimSuffix(string(e.Event), "}") + "," + member + "}")}
	})
}

// A retelling changes a result and its record.
type retelling = func(r *outcome, rec *record)

// in changes the result of a match that counts, and its record.
func in(match string, edit retelling) forging {
	return func(f *forger) {
		f.t.Helper()
		f.result(match, edit)
	}
}

// all does one thing after the other.
func all(of ...forging) forging {
	return func(f *forger) {
		f.t.Helper()
		for _, do := range of {
			do(f)
		}
	}
}

// replace changes a text in a file, which has to be there.
func replace(name, old, text string) forging {
	return func(f *forger) {
		f.t.Helper()
		was := string(f.root[name].Data)
		now := edited(was, old, text)
		if now == was {
			f.t.Fatalf("%s has no %s", name, old)
		}
		f.put(name, []byte(now))
	}
}

// edited is a text with the first of old replaced, in JSON that is spaced or not.
func edited(was, old, text string) string {
	if !strings.Contains(was, old) {
		old, text = unspaced(old), unspaced(text)
	}
	return strings.Replace(was, old, text, 1)
}

// unspaced is JSON without the spaces behind its colons and commas.
func unspaced(text string) string { return strings.NewReplacer(`": `, `":`, `, "`, `,"`).Replace(text) }

// remove takes files away.
func remove(names ...string) forging {
	return func(f *forger) {
		f.t.Helper()
		for _, name := range names {
			if f.root[name] == nil {
				f.t.Fatalf("there is no %s", name)
			}
			delete(f.root, name)
		}
	}
}

// silenced removes the final signatures: no player has signed the end of the log.
var silenced = remove(lastFile)

// cutAfter ends the log after the line with an event of a kind about something.
func cutAfter(kind, about string) forging {
	return func(f *forger) {
		f.t.Helper()
		f.lines(func(lines []logLine) []logLine { return lines[:lineOf(lines, kind, about)+1] })
	}
}

// lineOf is the index of the line with the first event of a kind about something.
func lineOf(lines []logLine, kind, about string) int {
	return slices.IndexFunc(lines, func(l logLine) bool {
		return slices.ContainsFunc(l.Events, func(e logged) bool { return e.is(kind, about) })
	})
}

// earlier gives a line the time of the one before.
func earlier(lines []logLine, i int) []logLine {
	for k := range lines[i].Events {
		lines[i].Events[k].At = lines[i-1].Events[0].At
	}
	return lines
}
