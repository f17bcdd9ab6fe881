package check

import (
	"encoding/xml"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// JUnit returns a report as JUnit XML, which CI systems read. A warning is a passed test with output.
func JUnit(r protocol.Report) ([]byte, error) {
	role := RoleName(r.Role)
	suite := junitSuite{
		Name: fmt.Sprintf("league check: %s at %s", role, r.URL), Tests: len(r.Steps), Failures: r.Failed,
		Skipped: r.Skipped, Time: seconds(r.Elapsed),
	}
	for _, s := range r.Steps {
		c := junitCase{Class: "league.check." + role, Name: s.ID + " " + s.Name, Time: seconds(s.Elapsed)}
		switch s.Status {
		case protocol.Fail:
			c.Failure = &junitText{Message: s.Detail, Type: s.Clause, Text: Details(s)}
		case protocol.Skip:
			c.Skipped = &junitText{Message: s.Detail}
		case protocol.Warn:
			c.Out = "WARN " + s.Detail + "\n" + Details(s)
		}
		suite.Cases = append(suite.Cases, c)
	}
	b, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	return append([]byte(xml.Header), append(b, '\n')...), err
}

// seconds formats a duration with three decimals, as JUnit readers expect.
func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// The types below are the common subset of the JUnit dialects.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

// A junitSuite is a whole check; Time is in seconds.
type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

// A junitCase is one step. It has passed if neither Failure nor Skipped is set.
type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitText `xml:"failure"`
	Skipped *junitText `xml:"skipped"`
	Out     string     `xml:"system-out,omitempty"`
}

// A junitText is the reason why a step failed or was skipped. Text has the request and the response.
type junitText struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Details returns the lines that explain a step: request, response, fix and clause of the specification.
func Details(s protocol.CheckStep) string {
	var b strings.Builder
	for _, line := range [][2]string{{"sent", s.Sent}, {"got", s.Received}, {"fix", s.Fix}, {"spec", s.Quote}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-5s %s\n", line[0], strings.Join(strings.Fields(line[1]), " "))
		}
	}
	return b.String()
}

// Reference is where a clause is found.
func Reference(clause string) string {
	return fmt.Sprintf("doc/protocol-spec.md#%s", strings.ReplaceAll(strings.ToLower(clause), " ", "-"))
}

// RoleName is how a person calls a role.
func RoleName(r protocol.Role) string {
	if r == protocol.RoleManager {
		return "manager"
	}
	return string(r)
}
