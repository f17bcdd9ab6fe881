package protocol

import "testing"

// BenchmarkHot reads and writes each message of every match and round in our own form.
func BenchmarkHot(b *testing.B) {
	for _, e := range examples() {
		typ := e.message.Head().MessageType
		if plans[typ] == nil {
			continue
		}
		raw, err := Encode(e.message)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("read/"+string(typ), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := quick(raw, Reading{Type: typ, Reply: true}); !ok {
					b.Fatal("it is not read by plan")
				}
			}
		})
		b.Run("general/"+string(typ), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := decodeAny(raw, Reading{Type: typ, Reply: true}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("write/"+string(typ), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Encode(e.message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
