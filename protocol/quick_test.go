package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// quickAgrees fails unless decoding and encoding by plan equal the general path.
func quickAgrees(t *testing.T, raw []byte, r Reading) (planned bool) {
	t.Helper()
	m, ok := quick(raw, r)
	if !ok {
		return false
	}
	want, warnings, err := decodeAny(raw, r, nil)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%s: read by plan, but it is worth a remark: %v %v", raw, err, warnings)
	}
	if got := bytes.TrimSpace(raw); string(m.Head().Source()) != string(got) {
		t.Fatalf("%s: got the source %s", raw, m.Head().Source())
	}
	long, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	m.Head().source, want.Head().source, m.Head().plain = nil, nil, false
	if !reflect.DeepEqual(m, want) {
		t.Fatalf("%s:\n got %+v\nwant %+v", raw, m, want)
	}
	short, err := Encode(m)
	if err != nil || sorted(t, short) != sorted(t, long) {
		t.Fatalf("%s: written again without what it came as: %s, %v", raw, short, err)
	}
	if oracle, err := json.Marshal(withoutNilLists(m)); err != nil || string(oracle) != string(short) {
		t.Fatalf("got  %s\nwant %s, %v", short, oracle, err)
	}
	if general, err := marshalGeneral(m); err != nil || string(general) != string(short) {
		t.Fatalf("by the general path: got  %s\nwant %s, %v", general, short, err)
	}
	return true
}

// withoutNilLists returns a copy of m in which no list or object that is written is nil.
func withoutNilLists(m Message) any {
	v := reflect.New(reflect.TypeOf(m).Elem())
	v.Elem().Set(reflect.ValueOf(m).Elem())
	fillLists(v.Elem())
	return v.Interface()
}

// fillLists makes the nil lists and objects of a struct empty. A struct that it points to is copied first.
func fillLists(v reflect.Value) {
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		switch {
		case !field.IsExported():
		case f.Kind() == reflect.Struct:
			fillLists(f)
		case f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Struct:
			c := reflect.New(f.Type().Elem())
			c.Elem().Set(f.Elem())
			fillLists(c.Elem())
			f.Set(c)
		case f.Type() == rawMessage || strings.Contains(field.Tag.Get("json"), ",omit"):
		case f.Kind() == reflect.Slice && f.IsNil():
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		case f.Kind() == reflect.Map && f.IsNil():
			f.Set(reflect.MakeMap(f.Type()))
		}
	}
}

func TestLongQuickAgrees(t *testing.T) {
	planned := map[Type]bool{}
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			t.Fatal(err)
		}
		typ := e.message.Head().MessageType
		for _, strict := range []bool{false, true} {
			for _, reply := range []bool{false, true} {
				if quickAgrees(t, raw, Reading{Type: typ, Strict: strict, Reply: reply, Now: arrival, Conversation: "conv-new"}) {
					planned[typ] = true
				}
			}
		}
		for _, other := range alterations(raw) {
			quickAgrees(t, other, Reading{Type: typ, Now: arrival, Conversation: "conv-new"})
		}
	}
	for _, typ := range quickTypes {
		if !planned[typ] {
			t.Errorf("%s: our own example is not read by plan", typ)
		}
	}
	for _, d := range readDocuments(t) {
		for _, other := range append(alterations(d.Message), d.Message) {
			quickAgrees(t, other, Reading{Type: d.typ(), Now: arrival, Conversation: "conv-new"})
			quickAgrees(t, other, Reading{Type: d.typ(), Reply: true, Now: arrival, Conversation: "conv-new"})
		}
	}
}

// alterations returns variants of a message: each member absent, null, empty, of another type, duplicated, in other
// letters; and the text truncated.
func alterations(raw []byte) (out [][]byte) {
	var f Fields
	if json.Unmarshal(raw, &f) != nil {
		return nil
	}
	for name, v := range f {
		for _, other := range []string{
			"null", `""`, "0", "-1", "01", "1.5", "true", "[]", "{}", "[null]", `{"a":null}`, `"\u00e9<é"`, "\"\xff\"",
			`"2025-01-15T10:30:00+00:00"`, "nul", "-0", "1e2", "123456789012345678901", `"a\/b\u0041\""`, `"\ud800"`, `"<&>"`,
			`{"a":1,"a":2}`, `{"a":{"b":[{"c":1,"c":1}]}}`, strings.Repeat("[", 200) + strings.Repeat("]", 200),
		} {
			out = append(out, bytes.Replace(raw, joined(name, v), joined(name, json.RawMessage(other)), 1))
		}
		out = append(out,
			bytes.Replace(raw, joined(name, v), joined(strings.ToUpper(name), v), 1),
			bytes.Replace(raw, joined(name, v), slices.Concat(joined(name, v), []byte(","), joined(name, v)), 1),
			bytes.Replace(raw, joined(name, v), []byte(`"extra":[{"a":1}]`), 1),
			bytes.Replace(raw, joined(name, v), slices.Concat([]byte(" "), joined(name, v), []byte("\n")), 1),
		)
	}
	for n := range raw {
		out = append(out, raw[:n])
	}
	out = append(out, append(bytes.Clone(raw), '}'), append(bytes.Clone(raw), ' '))
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal) // where a member was not found in the text, nothing has changed
}

func joined(name string, v json.RawMessage) []byte {
	return slices.Concat([]byte(`"`+name+`":`), v)
}

func FuzzQuick(f *testing.F) {
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw), string(e.message.Head().MessageType), true)
	}
	for _, d := range readDocuments(f) {
		f.Add([]byte(d.Message), string(d.typ()), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, typ string, reply bool) {
		quickAgrees(t, raw, Reading{Type: Type(typ), Reply: reply, Now: arrival, Conversation: "conv-new"})
	})
}

func examplesByType(t *testing.T) map[Type]Message {
	t.Helper()
	out := map[Type]Message{}
	for _, e := range examples() {
		out[e.message.Head().MessageType] = e.message
	}
	return out
}

func BenchmarkDecode(b *testing.B) {
	for _, e := range examples() {
		if e.message.Head().MessageType != TypeGameOver {
			continue
		}
		raw, _ := Encode(e.message)
		r := Reading{Type: TypeGameOver, Now: arrival}
		b.Run("plan", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = Decode(raw, r)
			}
		})
		b.Run("general", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = decodeAny(raw, r, nil)
			}
		})
		b.Run("write plan", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Encode(e.message)
			}
		})
		b.Run("write general", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = marshalGeneral(e.message)
			}
		})
		return
	}
}
