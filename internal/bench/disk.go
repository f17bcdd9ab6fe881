package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// A Disk holds the sizes of the files of a league for each of its results, in KiB. It is zero without results.
type Disk struct {
	Log    float64 `json:"log"`    // of the league
	Record float64 `json:"record"` // compressed, in the records.log of its referee; a manager in another root stores as much
	Copy   float64 `json:"copy"`   // of the record for people, in data/matches
}

// diskOf measures the files in the data directory of a league.
func diskOf(root string, results int) (d Disk, err error) {
	if results == 0 {
		return d, nil
	}
	err = fs.WalkDir(os.DirFS(root), "data", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		kib := float64(info.Size()) / 1024 / float64(results)
		switch folder := strings.Split(name, "/")[1]; {
		case folder == "leagues" && path.Base(name) == "journal.jsonl":
			d.Log += kib
		case folder == "referees" && path.Base(name) == "records.log":
			d.Record += kib
		case folder == "matches":
			d.Copy += kib
		}
		return nil
	})
	return d, err
}

// extents are numbers of leagues and of players in each, for which [Result.extrapolated] has a column.
var extents = [][2]float64{{1000, 4}, {1000, 100}, {1, 10000}, {100, 10000}, {1000, 10000}}

// extrapolated is the table of one round of many leagues, in which every player plays once. It multiplies the figures
// of a match.
func (r Result) extrapolated() [][]string {
	const mib = 1024
	head := []string{""}
	rows := [][]string{{"matches a round"}, {"CPU of all processes, s"}, {"logs, MiB"}, {"records with the referees, MiB"},
		{"records and copies with the managers, MiB"}, {"players in one process of many, MiB"}}
	cpu := 0.
	if r.CPUMsPerMatch != nil {
		cpu = r.CPUMsPerMatch.Median
	}
	for _, of := range extents {
		head = append(head, fmt.Sprintf("%s × %s", number(of[0]), number(of[1])))
		matches := of[0] * of[1] / 2
		for i, value := range []float64{matches, matches * cpu / 1000, matches * r.Disk.Log / mib, matches * r.Disk.Record / mib,
			matches * (r.Disk.Record + r.Disk.Copy) / mib, of[0] * of[1] * r.RSSPerIdlePlayer / mib} {
			rows[i] = append(rows[i], number(value))
		}
	}
	return append([][]string{head}, rows...)
}
