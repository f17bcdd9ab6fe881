// Package bench measures what a league costs, against two yardsticks that do not change with the program.
//
//	league of 100 ─▶ R_std ─▶ R_null ─▶ league of 1,000 ─▶ league of 100 ─▶ …
//
// Each part is a process of its own, the program started with other arguments, and they meet over real HTTP with every
// guarantee on. One thing runs at a time, in slices that take turns, so that whatever else the machine does falls on
// all of them. What counts is the ratio of neighbours; figures in seconds are the machine's.
package bench
