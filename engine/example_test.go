package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"agentleague/engine"
	"agentleague/engine/journal"
)

// A log grows by one entry at a time. An append names the last entry that the caller has seen: if another process has
// appended since, the append is refused and nothing is written.
func ExampleEngine() {
	dir, err := os.MkdirTemp("", "data")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e, err := journal.Open(dir, journal.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	ctx := context.Background()
	first, err := e.Append(ctx, "spring", 0, []byte(`["the league is created"]`))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := e.Append(ctx, "spring", first.Seq, []byte(`["P01 has registered"]`)); err != nil {
		log.Fatal(err)
	}
	_, err = e.Append(ctx, "spring", first.Seq, []byte(`["P02 has registered"]`))
	fmt.Println("refused:", errors.Is(err, engine.ErrFenced))

	for entry, err := range e.Read(ctx, "spring", 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(entry.Seq, string(entry.Data))
	}
	// Output:
	// refused: true
	// 1 ["the league is created"]
	// 2 ["P01 has registered"]
}
