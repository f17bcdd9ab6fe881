package standalone

import "testing"

func TestMatchesOfARunAreAsManyAsItsFilesAllow(t *testing.T) {
	for _, c := range []struct{ players, referees, files, most, want int }{
		{4, 2, 1024, 256, 1},
		{10_000, 2, 1 << 20, 10_000, 2500}, // a whole round
		{10_000, 2, 1 << 20, 256, 128},     // 256 matches keep two cores busy
		{10_000, 2, 2048, 10_000, 128},     // 256 matches, 8 files each
		{10_000, 1, 2048, 10_000, 256},
	} {
		if got := matchesAtOnce(c.players, c.referees, c.files, c.most); got != c.want {
			t.Errorf("%d players, %d referees, %d files: %d matches at once, want %d", c.players, c.referees, c.files, got, c.want)
		}
	}
}
