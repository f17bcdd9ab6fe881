// Package handout makes a page to print with the invitation of each student: the name, the address and its QR code, and
// the line that joins the league.
//
//	[]protocol.Invitation ─▶ Write ─▶ one HTML file without scripts and links
package handout

import (
	_ "embed"
	"html/template"
	"io"

	"agentleague/protocol"
	"agentleague/web/figures"
)

//go:embed handout.html
var page string

var layout = template.Must(template.Must(template.New("figures").Funcs(figures.Functions).Parse(figures.Templates)).New("handout").Parse(page))

// A Handout is the invitations of a league.
type Handout struct {
	League      string // its title
	Invitations []protocol.Invitation
}

// Style returns the design tokens of all pages.
func (Handout) Style() template.CSS { return template.CSS(figures.Tokens) }

// QR returns the QR code of an invitation's address; nil if the address is too long.
func (Handout) QR(i protocol.Invitation) *figures.QR { return figures.NewQR(i.Address) }

// Write writes the page.
func (h Handout) Write(out io.Writer) error { return layout.Execute(out, h) }
