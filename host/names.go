package host

import "fmt"

// greek lists the names of unnamed agents, in order.
var greek = []string{
	"Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota", "Kappa", "Lambda", "Mu",
	"Nu", "Xi", "Omicron", "Pi", "Rho", "Sigma", "Tau", "Upsilon", "Phi", "Chi", "Psi", "Omega",
}

// NameOf returns the name of the n-th agent of a run, counted from 0: Agent Alpha, Agent Beta, … Agent 25.
func NameOf(kind string, n int) string {
	if n < len(greek) {
		return kind + " " + greek[n]
	}
	return fmt.Sprintf("%s %d", kind, n+1)
}
