package roster

import (
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestARosterIsReadAsSpreadsheetsWriteIt(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		text string
		want []string
	}{
		"a header":                  {"id,Name\n1,Ada\n2,Bo\n", []string{"Ada", "Bo"}},
		"no header":                 {"Ada,1\nBo,2\n", []string{"Ada", "Bo"}},
		"a mark at its beginning":   {"\ufeffname\nAda\n", []string{"Ada"}},
		"semicolons":                {"group;name\n1;\"Müller, Eva\"\n", []string{"Müller, Eva"}},
		"blank lines and spaces":    {"\n  Ada  \n\n ,\nBo", []string{"Ada", "Bo"}},
		"lines of another system":   {"name\r\nAda\r\nBo\r\n", []string{"Ada", "Bo"}},
		"a list that we have made":  {"name,key,address\n'=cmd(),k,a\n'tis,k,a\n", []string{"=cmd()", "'tis"}},
		"a header in later columns": {"a,b,name\nx,y,Ada\n", []string{"Ada"}},
		"an export of Moodle":       {"First name,Last name,ID number\nAda,Lovelace,1\n", []string{"Ada Lovelace"}},
		"German headings":           {"Nachname;Vorname;Gruppe\nGroß;Eva;A\n", []string{"Eva Groß"}},
		"Name is the surname":       {"Name\tVorname\nGroß\tEva\n", []string{"Eva Groß"}},
		"an export of Canvas":       {"Student,ID\n    Points Possible,\nAda,1\n", []string{"Ada"}},
		"public names":              {"name,agent\nAda,Fox\nBo,\n", []string{"Fox", "Bo"}},
	} {
		if got, err := parse("f.csv", []byte(test.text)); err != nil || !slices.Equal(got.Names(), test.want) {
			t.Errorf("%s: got %q, %v; want %q", what, got.Names(), err, test.want)
		}
	}
}

func TestAWrongRosterIsToldByFileAndLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       "f.csv: no names found",
		"name\n":                                 "f.csv: no names found",
		"Ada\n\nBo\nAda\n":                       `f.csv:4: "Ada" is also in line 1`,
		"a,name\nonly\n":                         "f.csv:2: it has 1 columns, and the names are in column 2",
		"a,name\nx,\n":                           "f.csv:2: the name is missing",
		"Ada\n\"Bo\n":                            "f.csv:2: ",
		"Ada\n" + strings.Repeat("x", 65) + "\n": "f.csv:2: ",
		"Ada\nB\x1bo\n":                          "f.csv:2: ",
		"M\xfcller\n":                            "f.csv: the file is not in UTF-8",
	} {
		if _, err := parse("f.csv", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// An invited name is the same after it was written to the list and read again.
func FuzzARosterComesBackFromItsList(f *testing.F) {
	f.Add("name\nAda\n=1\n'=1\n")
	f.Add("\ufeffa;name\n1;Bo\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parse("f.csv", []byte(text))
		if err != nil {
			return
		}
		names := r.Names()
		var list []protocol.Invitation
		for _, name := range names {
			list = append(list, protocol.Invitation{DisplayName: name, Key: "k", Address: "a"})
		}
		var out strings.Builder
		if err := Write(&out, list); err != nil {
			t.Fatal(err)
		}
		if again, err := parse("list.csv", []byte(out.String())); err != nil || !slices.Equal(again.Names(), names) {
			t.Errorf("got %q, %v; want %q", again.Names(), err, names)
		}
	})
}
