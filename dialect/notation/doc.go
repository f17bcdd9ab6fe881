// Package notation encodes dialects and encodings as text, for START_MATCH, reports and the log of a league. Package
// dialect defines their meaning.
package notation
