// Package bench measures the cost of a match, against two yardsticks that do not change with the program.
//
//	league of 100 ─▶ R_std ─▶ R_null ─▶ league of 1,000 ─▶ league of 100 ─▶ …
//
// Each part is a separate process, this program started with other arguments, and the parts meet over real HTTP with
// every guarantee on. One part runs at a time, in slices that take turns, so that other load on the machine falls on
// all of them. Ratios of neighbouring slices can be compared between machines; figures in seconds cannot.
package bench
