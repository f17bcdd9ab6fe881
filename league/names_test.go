package league

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"agentleague/protocol"
)

func TestNamesThatLookAlikeHaveOneSkeleton(t *testing.T) {
	for _, c := range [][]string{
		{"Agent Alpha", "agent alpha", "AGENT  ALPHA", " Agent\u00a0Alpha ", "Agent\u3000Alpha", "Ag\u200bent Al\u00adpha",
			"\u202eAgent Alpha\u202c", "\u0410g\u0435nt \u0391lph\u0430", "Ａｇｅｎｔ Ａｌｐｈａ", "𝐀𝐠𝐞𝐧𝐭 𝔸𝕝𝕡𝕙𝕒", "Agent\ufe0f Alpha",
			"Agent A1pha", "Agent AIpha", "Agent A|pha", "agen\U000E0074t alpha", "\u0251gent alpha"},
		{"Zoë", "Zoe\u0308", "ZOË", "Zo\u0435\u0308"},
		{"modern", "rnodern", "MODERN", "\u043codern"},
		{"Bob0", "bobo", "\u0412obO", "B\u03bfb\u06f5"},
		{"istanbul", "İstanbul", "ıstanbul", "ISTANBUL"},
		{"Straße", "STRASSE"},
		{"NEO", "\u039dEO"},
		{"Вася", "вася", "ВАСЯ"},
		{"", " ", "\u200b", "\u3164", "\u202e"},
	} {
		for _, name := range c {
			if got, want := Skeleton(name), Skeleton(c[0]); got != want {
				t.Errorf("%+q: got %+q, want %+q as of %+q", name, got, want, c[0])
			}
		}
	}
}

func TestNamesThatDifferHaveDifferentSkeletons(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"Agent Alpha", "AgentAlpha", "Agent Beta", "Agent N", "Agent V", "Agent U", "Agent Y", "Agent 2", "Agent 12", "Agent 22",
		"Zoë", "Zoe", "Вася", "Катя", "爱丽丝", "爱丽", "שלום", "سلام", "🦊", "🐺", "Agent Alpha (2)", "Agent Alpha (3)", "a_b", "a-b",
	} {
		if other := seen[Skeleton(name)]; other != "" {
			t.Errorf("%q and %q have one skeleton", name, other)
		}
		seen[Skeleton(name)] = name
	}
	for n := range 24 {
		for m := range n {
			a, b := fmt.Sprint("player ", n), fmt.Sprint("player ", m)
			if Skeleton(a) == Skeleton(b) {
				t.Errorf("%q and %q have one skeleton", a, b)
			}
		}
	}
}

// ambiguous are letters whose upper case and lower case resemble different ASCII letters.
const ambiguous = "ΝνΥυƼƽ"

func TestLookAlikes(t *testing.T) {
	classes, seen := 0, map[rune]bool{}
	for class := range strings.FieldsSeq(lookAlikes) {
		classes++
		want := Skeleton(class[:1])
		for _, r := range class {
			if seen[r] {
				t.Errorf("%q is in two classes", r)
			}
			seen[r] = true
			if got := Skeleton(string(r)); got != want {
				t.Errorf("%q: got %q, want %q", r, got, want)
			}
			for _, other := range []rune{unicode.ToLower(r), unicode.ToUpper(r)} {
				if got := Skeleton(string(other)); got != want && !strings.ContainsRune(ambiguous, r) {
					t.Errorf("%q, another case of %q: got %q, want %q", other, r, got, want)
				}
			}
		}
	}
	if classes < 30 {
		t.Errorf("%d classes", classes)
	}
}

// TestSkeletonOfEveryCharacter checks the laws for each character of Unicode.
func TestSkeletonOfEveryCharacter(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) && (r < 0x30000 || r > 0xdffff) {
			checkSkeleton(t, "x"+string(r)+"y")
		}
	}
}

func checkSkeleton(t *testing.T, name string) {
	t.Helper()
	skeleton := Skeleton(name)
	if again := Skeleton(skeleton); again != skeleton {
		t.Errorf("%+q: the skeleton %+q has the skeleton %+q", name, skeleton, again)
	}
	if strings.ContainsFunc(skeleton, func(r rune) bool { return unicode.Is(defaultIgnorable, r) }) {
		t.Errorf("%+q: %+q has a character that is not displayed", name, skeleton)
	}
}

func FuzzSkeleton(f *testing.F) {
	for _, name := range []string{"Agent Alpha", "\u0410lph\u0430 ", "i\u0307\u0323", "ﬁ\u200d", "\u0390\u0345", "\xff"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		checkSkeleton(t, name)
		name = strings.ToValidUTF8(name, "")
		skeleton := Skeleton(name)
		for what, other := range map[string]string{
			"spaces around it": "  " + name + "\u3000", "a zero-width space": name + "\u200b", "a soft hyphen": "\u00ad" + name,
		} {
			if got := Skeleton(other); got != skeleton {
				t.Errorf("%+q with %s: got %+q, want %+q", name, what, got, skeleton)
			}
		}
		if upper := strings.ToUpper(name); isASCII(name) && Skeleton(upper) != skeleton {
			t.Errorf("%q: the skeleton depends on case", name)
		}
		if clean := CleanName(name); CleanName(clean) != clean {
			t.Errorf("%+q: cleaning %+q changes it", name, clean)
		}
	})
}

func BenchmarkSkeletons(b *testing.B) {
	for what, name := range map[string]string{"ascii": "Agent Alpha %d", "mixed": "\u0410g\u0435nt Zoë %d"} {
		names := make([]string, 10_000)
		for i := range names {
			names[i] = fmt.Sprintf(name, i)
		}
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				for _, name := range names {
					Skeleton(name)
				}
			}
		})
	}
}

func TestReservedNames(t *testing.T) {
	for name, want := range map[string]bool{
		"P01": true, "p01": true, "P12345": true, "REF01": true, "ref99": true, "PO1": true, "\u042001": true, "Ｐ０１": true,
		"P\u06f0\u06f1": true, "P0\u200b1": true, "admin": true, "Admin": true, "\u0430dmin": true, "adrnin": true,
		"league_manager": true, "League Manager": true, "Referee": true, "r\u0435f\u0435r\u0435\u0435": true, "MANAGER": true,
		"Pool": false, "Pol": false, "Ref": false, "P": false, "P1": false, "Player 1": false, "Referee Alpha": false,
		"Admiral": false, "P01 (2)": false, "Referee (2)": false, "Agent P01": false, "R01": false,
	} {
		if got := ReservedName(name); got != want {
			t.Errorf("%+q: got %v, want %v", name, got, want)
		}
	}
}

// at moves an applicant to a port.
func at(ap Application, port int) Application {
	ap.Meta.ContactEndpoint = fmt.Sprintf("http://localhost:%d/mcp", port)
	ap.Place = fmt.Sprintf("localhost:%d/mcp", port)
	return ap
}

// names lists the players of a season as they are displayed.
func (s *season) names() (out string) {
	for _, a := range s.state.Roster(protocol.RolePlayer) {
		out += a.ID + " " + a.Name + ", "
	}
	return strings.TrimSuffix(out, ", ")
}

func TestForeignAgentsOfOneName(t *testing.T) {
	s := newSeason(t, Created{})
	for port, name := range []string{"Agent Alpha", "Agent Alpha", "agent \u0430lpha", "P02", "P01", "Referee", "Referee"} {
		s.admitted(at(applicant(protocol.RolePlayer, name), port+1))
	}
	want := "P01 Agent Alpha, P02 Agent Alpha (2), P03 agent \u0430lpha (3), P04 P02 (2), P05 P01 (2), P06 Referee (2), " +
		"P07 Referee (3)"
	if got := s.names(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.admitted(at(applicant(protocol.RolePlayer, "P08"), 8))
	if got := s.state.Agents["P08"].Name; got != "P08" {
		t.Errorf("an agent that calls itself by its own id is called %q", got)
	}
	if findings := auditOf(t, s); len(findings) > 0 {
		t.Errorf("the log: %+v", findings)
	}
}

func auditOf(t *testing.T, s *season) []Finding {
	t.Helper()
	a, err := NewAudit(entries(s.log), func(*protocol.MatchResultReport, string, string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return a.Findings
}

func TestReservedNamesAreRefusedToNativeAgents(t *testing.T) {
	for _, name := range []string{"P01", "REF07", "admin", "\u0430dmin", "league_manager", "Referee", "manager"} {
		s := newSeason(t, Created{})
		d := Admit(s.state, native(applicant(protocol.RolePlayer, name)), roomy)
		if d.No == nil || d.No.Kind != protocol.DuplicateName || d.No.Of != "" || d.No.Advice == "" {
			t.Errorf("%+q: got %s %+v", name, d.word(), d.No)
		}
	}
	s := newSeason(t, Created{})
	s.write(Invited{Role: protocol.RolePlayer, Name: "admin"},
		Registered{Role: protocol.RolePlayer, ID: "P01", Name: "P02", Place: "localhost:1/mcp"})
	if got := len(auditOf(t, s)); got != 2 {
		t.Errorf("%d findings, want one for the invitation and one for the name", got)
	}
}

// TestLookAlikesOfANativeAgent tries to be displayed as a native agent is.
func TestLookAlikesOfANativeAgent(t *testing.T) {
	for _, name := range []string{
		"Team Fox", "team fox", "T\u0435am F\u043ex", "Team\u200b Fox", "\u202eTeam Fox", "Team  Fox", "Ｔｅａｍ Fox", "Tearn Fox",
	} {
		for _, invited := range []bool{false, true} {
			s := newSeason(t, Created{})
			if invited {
				s.write(Invited{Role: protocol.RolePlayer, Name: "Team Fox"})
			} else {
				s.register(protocol.RolePlayer, "Team Fox")
			}
			thief := at(applicant(protocol.RolePlayer, name), 9)
			thief.Now = s.now.Add(time.Hour)
			if err := CheckMeta(thief.Role, &thief.Meta); err != nil {
				t.Fatal(err)
			}
			if d := Admit(s.state, thief, roomy); d.No == nil || d.No.Kind != protocol.DuplicateName {
				t.Errorf("%+q, invited %v: got %s", name, invited, d.word())
			}
			err := s.state.Clone().Apply(s.now, Registered{Role: protocol.RolePlayer, ID: "P09", Name: thief.Meta.DisplayName})
			if err == nil {
				t.Errorf("%+q, invited %v: the log takes it", name, invited)
			}
		}
	}
	s := newSeason(t, Created{})
	s.register(protocol.RolePlayer, "Team Fox")
	s.admitted(at(applicant(protocol.RolePlayer, "Team Wolf"), 8))
	renamed := at(applicant(protocol.RolePlayer, "T\u0435am F\u043ex"), 8)
	if d := Admit(s.state, renamed, roomy); d.word() != "P02=" {
		t.Errorf("an agent that takes the name later: got %s", d.word())
	}
}

func TestSilentPredecessorIsReplaced(t *testing.T) {
	s := newSeason(t, Created{})
	s.admitted(at(applicant(protocol.RolePlayer, "Agent Alpha"), 1), at(applicant(protocol.RolePlayer, "Referee"), 2))
	for name, id := range map[string]string{"AGENT Alpha": "P01", "referee": "P02"} {
		old := s.state.Agents[id]
		ap := at(applicant(protocol.RolePlayer, name), 9+len(name))
		ap.Now = old.RegisteredAt.Add(replaceAfter + time.Second)
		if d := Admit(s.state, ap, roomy); d.word() != id+"?" {
			t.Fatalf("%s: got %s, want %s to be asked", name, d.word(), id)
		}
		ap.Answers = map[string]bool{AskedAs(old): false}
		full := roomy
		full.MaxPlayers = 2
		d := Admit(s.state, ap, full)
		if d.word() != id || d.Yes.Endpoint != ap.Meta.ContactEndpoint || d.Yes.Name != old.Name {
			t.Fatalf("%s: got %s %+v", name, d.word(), d.Yes)
		}
		ap.Answers[AskedAs(old)] = true
		if d := Admit(s.state, ap, full); d.No == nil || d.No.Kind != protocol.LeagueFull {
			t.Errorf("%s, full, the other answers: got %s", name, d.word())
		}
		s.write(*d.Yes)
	}
	if got, want := s.names(), "P01 Agent Alpha, P02 Referee (2)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.write(Withdrawn{ID: "P01"})
	ap := at(applicant(protocol.RolePlayer, "Agent Alpha"), 77)
	ap.Now = s.now.Add(time.Hour)
	if d := Admit(s.state, ap, roomy); d.word() != "P03" || d.Yes.Name != "Agent Alpha (2)" {
		t.Errorf("the name of a withdrawn agent: got %s %+v", d.word(), d.Yes)
	}
}

func TestRenamesByRegistrationAreLimited(t *testing.T) {
	s := newSeason(t, Created{})
	ap := at(applicant(protocol.RolePlayer, "name"), 1)
	s.admitted(ap)
	for n := range MaxRenames {
		ap.Meta.DisplayName = fmt.Sprint("name ", n)
		d := Admit(s.state, ap, roomy)
		if d.Yes == nil || !d.Renames {
			t.Fatalf("%d: got %s, renames %v", n, d.word(), d.Renames)
		}
		s.write(*d.Yes)
	}
	last := ap.Meta.DisplayName
	if d := Admit(s.state, ap, roomy); d.word() != "P01=" {
		t.Errorf("under its own name: got %s", d.word())
	}
	ap.Meta.DisplayName = "one more"
	if d := Admit(s.state, ap, roomy); d.No == nil || d.No.Kind != protocol.RateLimited || !strings.Contains(d.No.Advice, last) {
		t.Errorf("got %s %+v", d.word(), d.No)
	}
	s.write(Renamed{ID: "P01", Name: "fixed", By: "admin"})
	if d := Admit(s.state, ap, roomy); d.word() != "P01=" || d.Yes.Name != "fixed" {
		t.Errorf("after the organizer named it: got %s %+v", d.word(), d.Yes)
	}
}

func TestOrganizerRenames(t *testing.T) {
	s := newSeason(t, Created{})
	s.register(protocol.RolePlayer, "Team Fox")
	s.write(Invited{Role: protocol.RolePlayer, Name: "Team Owl"})
	s.admitted(at(applicant(protocol.RolePlayer, "Agent Alpha"), 1))
	for name, kind := range map[string]*protocol.Kind{
		"Team F\u043ex": protocol.DuplicateName, "team owl": protocol.DuplicateName, "admin": protocol.DuplicateName,
		"P03": protocol.DuplicateName, "": protocol.InvalidMessage, "\u202eabc": protocol.InvalidMessage,
		"P02": nil, "AGENT ALPHA": nil, "Agent Beta": nil,
	} {
		err := s.state.CheckRename(s.state.Agents["P02"], name)
		if kind == nil && err != nil || kind != nil && !protocol.Is(err, kind) {
			t.Errorf("%+q: got %v", name, err)
		}
		if got := s.state.Clone().Apply(s.now, Renamed{ID: "P02", Name: name}); (got == nil) != (err == nil) {
			t.Errorf("%+q: the log says %v", name, got)
		}
	}
	if err := s.state.CheckRename(s.state.Agents["P01"], "P01"); err == nil {
		t.Error("a native agent may be called by an id")
	}
	s.write(Renamed{ID: "P01", Name: "Team Wolf", By: "admin"}, Renamed{ID: "P02", Name: "Team Fox", By: "admin"})
	if got, want := s.names(), "P01 Team Wolf, P02 Team Fox"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	back := native(applicant(protocol.RolePlayer, "Team Fox"))
	back.Taken = &TakenPlace{ID: "P01", Generation: 1}
	if d := Admit(s.state, back, roomy); d.word() != "P01" || d.Yes.Name != "Team Wolf" {
		t.Errorf("it comes back under its old name: got %s %+v", d.word(), d.Yes)
	}
	forged := *Admit(s.state, back, roomy).Yes
	forged.Name = "Team Bear"
	if err := s.state.Clone().Apply(s.now, forged); err == nil {
		t.Error("the log lets an agent undo the organizer's name")
	}
	if err := s.state.Clone().Apply(s.now, Renamed{ID: "P09", Name: "x"}); err == nil {
		t.Error("an agent that never registered was renamed")
	}
	if o := s.state.Orders[len(s.state.Orders)-1]; o.What != "rename" || o.ID != "P02" || o.By != "admin" {
		t.Errorf("the order is noted as %+v", o)
	}
}

func TestOrganizerMerges(t *testing.T) {
	for _, answers := range []bool{true, false} {
		s := newSeason(t, Created{})
		s.admitted(at(applicant(protocol.RolePlayer, "Agent Alpha"), 1), at(applicant(protocol.RolePlayer, "Agent Alpha"), 2))
		kept, gone := s.state.Agents["P01"], s.state.Agents["P02"]
		s.write(Merge(kept, gone, answers, "admin")...)
		kept, gone = s.state.Agents["P01"], s.state.Agents["P02"]
		want := "http://localhost:2/mcp"
		if answers {
			want = "http://localhost:1/mcp"
		}
		if got := s.names(); got != "P01 Agent Alpha" || kept.Endpoint != want || gone.Merged != "P01" || gone.Live() {
			t.Errorf("answers %v: got %s at %s, and %+v", answers, got, kept.Endpoint, gone)
		}
		if !answers && kept.CallsItself != "P02" {
			t.Errorf("the kept agent calls itself %q, want P02", kept.CallsItself)
		}
		again := at(applicant(protocol.RolePlayer, "Agent Alpha"), 2)
		again.Wanted = "P02"
		d, word := Admit(s.state, again, roomy), "P03"
		if !answers {
			word = "P01="
		}
		if d.word() != word {
			t.Errorf("answers %v: the agent of the other endpoint is %s, want %s", answers, d.word(), word)
		}
		if findings := auditOf(t, s); len(findings) > 0 {
			t.Errorf("the log: %+v", findings)
		}
		for _, e := range []Event{Registered{Role: protocol.RolePlayer, ID: "P02", Name: "x"}, Readmitted{ID: "P02"},
			Renamed{ID: "P02", Name: "x"}, mergedEvent{Kept: "P02", Gone: "P01"}} {
			if err := s.state.Clone().Apply(s.now, e); err == nil {
				t.Errorf("the log takes %#v of an agent that is gone", e)
			}
		}
	}
}

func TestMergesThatAreRefused(t *testing.T) {
	s := newSeason(t, Created{})
	s.register(protocol.RolePlayer, "native")
	s.write(Invited{Role: protocol.RolePlayer, Name: "fox"})
	fox := at(applicant(protocol.RolePlayer, "fox"), 3)
	fox.Invitation = "fox"
	s.admitted(at(applicant(protocol.RolePlayer, "a"), 1), at(applicant(protocol.RolePlayer, "b"), 2), fox,
		at(applicant(protocol.RoleReferee, "judge"), 4))
	for _, c := range [][2]string{{"P01", "P02"}, {"P02", "P01"}, {"P02", "P04"}, {"P02", "P02"}, {"P02", "REF01"}, {"P02", "P09"}} {
		if err := s.state.Clone().Apply(s.now, mergedEvent{Kept: c[0], Gone: c[1]}); err == nil {
			t.Errorf("%s and %s were merged", c[0], c[1])
		}
	}
	s.write(StartWith(s.state, everybodyReached)...)
	if err := s.state.Apply(s.now, mergedEvent{Kept: "P02", Gone: "P03"}); err == nil {
		t.Error("two agents were merged after the start")
	}
}

// TestOlderLogsCompareTexts folds a log that was written before names were compared by their skeletons.
func TestOlderLogsCompareTexts(t *testing.T) {
	s, now := NewState(), time.Now()
	apply := func(s *State, events ...Event) error {
		for _, e := range events {
			if err := s.Apply(now, e); err != nil {
				return err
			}
		}
		return nil
	}
	a := Registered{Role: protocol.RolePlayer, ID: "P01", Name: "Fox", Place: "localhost:1/mcp", Generation: 1}
	b := Registered{Role: protocol.RolePlayer, ID: "P02", Name: "fox", Place: "localhost:2/mcp", Generation: 1}
	if err := apply(s, Created{Schema: 1}, Invited{Role: protocol.RolePlayer, Name: "Owl"},
		Invited{Role: protocol.RolePlayer, Name: "owl"}, a, b,
		Registered{Role: protocol.RolePlayer, ID: "P03", Name: "admin", Place: "localhost:3/mcp"}); err != nil {
		t.Fatal(err)
	}
	if err := apply(s.Clone(), Renamed{ID: "P01", Name: "x"}); err == nil {
		t.Error("a log of schema 1 renames")
	}
	if err := apply(s, Upgraded{Schema: 2, ManagerKey: protocol.AgreementPublic(managerKey)}, a, b,
		Registered{Role: protocol.RolePlayer, ID: "P04", Name: "Owl", Invitation: "Owl", Place: "localhost:4/mcp"},
		Registered{Role: protocol.RolePlayer, ID: "P05", Name: "owl", Invitation: "owl", Place: "localhost:5/mcp"}); err != nil {
		t.Errorf("after the upgrade: %v", err)
	}
	if err := apply(s, Registered{Role: protocol.RolePlayer, ID: "P06", Name: "FOX", Place: "localhost:6/mcp"}); err == nil {
		t.Error("a newcomer has a name that looks alike")
	}
	if got := s.Called("fox"); got != "fox" {
		t.Errorf("an ambiguous name means %s", got)
	}
}

func TestBothWaysToTheSkeletonOfASCII(t *testing.T) {
	for _, name := range []string{"", " ", "Agent  Alpha\t1|I0O ", "Mm rn", "\x00\x7f~", "P01 (2)"} {
		if got, want := asciiSkeleton(name), skeletonPass(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
