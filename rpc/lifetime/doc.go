// Package lifetime is contexts that are ended by hand, for those who make many of them.
//
//	referee ─▶ match ─▶ question ─▶ answer by a call        each a Context, part of what it is the life of
//	                                     │
//	                                     └▶ the connection that waits for the answer
//
// A match has a context for itself, one for each question to a player and one for
// each answer that may come by a call, and every call wants to hear of the end of
// its own. With the standard library that is some sixty objects a match: contexts,
// what cancels them, maps of their children, channels that nobody waits for. A
// [Context] is a field of a struct that exists anyway, has its children in a list
// that they are the links of, and makes a channel only for who asks for it.
package lifetime
