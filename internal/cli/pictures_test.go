package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/web"
	"agentleague/web/webtest"
)

// picturesMost limits the pictures of the README together, in bytes.
const picturesMost = 300 << 10

// The pictures of the README are of a real league. With LEAGUE_PICTURES=1, as in make pictures, they are made anew.
func TestPicturesOfTheReadme(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "docs", "pictures")
	if os.Getenv("LEAGUE_PICTURES") != "" {
		takePictures(t, folder)
	}
	sum := int64(0)
	for _, name := range []string{"wall.png", "match.png"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatalf("%v: make pictures makes it", err)
		}
		sum += info.Size()
	}
	if sum > picturesMost {
		t.Errorf("the pictures have %d bytes, want at most %d", sum, picturesMost)
	}
}

// takePictures plays a league of Connect Four, and saves its wall and its longest match.
func takePictures(t *testing.T, folder string) {
	root := rootFor(t, "even_odd")
	endpoint := start(t, "manager", "--root", root, "--port", "0").endpoint()
	start(t, "create", "spring_cup", "--game", "connect_four", "--players", "8", "--referees", "2",
		"--bots", "minimax,minimax:4,minimax:2,random,minimax:3,random,minimax:1,random", "--manager", endpoint, "--root", root).status()
	base := strings.TrimSuffix(endpoint, "/mcp")
	p := &pageOfLeague{t: t, root: root, url: base + "/leagues/spring_cup", api: base + "/api/v1/leagues/spring_cup"}
	tab := webtest.Start(t).Tab(t, webtest.Screen{Name: "readme", Width: 1280, Height: 800, Scale: 1})
	tab.Open(p.url + "/live")
	tab.Await("the end of the league", `document.querySelector(".champion")`)
	webtest.Get[bool](tab, `document.querySelector("[data-live=podium]").hidden = true`)
	tab.Await("the middle of the replays", `[...document.querySelectorAll(".tile")].filter((e) => e.at >= 5 && !e.classList.contains("ended")).length >= 4`)
	tab.Picture(filepath.Join(folder, "wall.png"))

	var longest web.MatchView
	for round := 1; round <= 7; round++ {
		for match := 1; match <= 4; match++ {
			m := p.recorded(fmt.Sprintf("R%dM%d", round, match))
			if m.Status == protocol.Win && len(m.Positions) > len(longest.Positions) {
				longest = m
			}
		}
	}
	tab.Show(webtest.Screen{Name: "readme", Width: 1280, Height: 890, Scale: 1})
	tab.Open(p.url + "/matches/" + longest.MatchID)
	for range 10 { // the losing move is searched for in the background
		if webtest.Get[bool](tab, `!!document.querySelector(".mistake")`) {
			break
		}
		tab.Open(p.url + "/matches/" + longest.MatchID)
	}
	tab.Picture(filepath.Join(folder, "match.png"))
}
