// Package conform compares messages with the rules of the documents that describe league.v2.
//
// A league in grading mode (strict) refuses a message that breaks a rule with an error, and counts every broken rule.
// The package is pure.
//
//	text of a message ─▶ Request, Reply ─▶ violations ─▶ Refusal: the error of the first one that has one
package conform
