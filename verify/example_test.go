package verify_test

import (
	"bytes"
	"fmt"
	"log"

	"agentleague/verify"
)

// A league is verified from its files alone: every value that does not follow from the others is reported with its
// place. The root of a league on disk is os.DirFS("SHARED").
func ExampleLeague() {
	root, err := played() // four players, to the end
	if err != nil {
		log.Fatal(err)
	}
	v := verify.League(root, "league_2025_even_odd", verify.Proofs{})
	fmt.Println("ok:", v.OK)
	fmt.Println("matches that follow from moves and draw:", v.Verified)
	fmt.Println("draws that follow from the promised secret:", v.Proven)

	const table = "data/leagues/league_2025_even_odd/standings.json"
	forged := bytes.Replace(root[table].Data, []byte(`"rank": 1`), []byte(`"rank": 2`), 1)
	v = verify.League(changed(root, table, forged), "league_2025_even_odd", verify.Proofs{})
	for _, d := range v.Differences {
		fmt.Printf("%s, line %d, %s: want %s, found %s\n", d.File, d.Line, d.Field, d.Want, d.Found)
	}
	// Output:
	// ok: true
	// matches that follow from moves and draw: 6
	// draws that follow from the promised secret: 6
	// data/leagues/league_2025_even_odd/standings.json, line 9, rank: want 1, found 2
}
