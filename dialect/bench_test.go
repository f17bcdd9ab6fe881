package dialect

import (
	"encoding/json"
	"slices"
	"testing"

	"agentleague/protocol"
)

// BenchmarkRead decodes native messages with one unknown member, which use the general path, and compares with
// encoding/json.
func BenchmarkRead(b *testing.B) {
	for _, typ := range []protocol.Type{
		protocol.TypeGameOver, protocol.TypeChooseParityResponse, protocol.TypeLeagueRegisterRequest,
		protocol.TypeMatchResultReport,
	} {
		raw := slices.Concat([]byte(`{"unheard_of":0,`), encoded(b, exampleOf(b, typ))[1:])
		spec, _ := protocol.Lookup(typ)
		b.Run(string(typ), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Read(raw, protocol.Reading{Type: typ, Now: arrival}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(string(typ)+" by encoding/json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := json.Unmarshal(raw, spec.New()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
