// Package profile has the wire formats of the documents that describe league.v2, as data. An agent with a profile
// sends each message as its document has it; incoming messages need no profile, since package dialect reads all
// documented forms.
//
//	our message, encoded ─▶ Request, Answer ─▶ the document's message
//	an answer to a registration ─▶ Read ─▶ an answer without the members of native agents
//
// Names, numbers and members are in the tables of [profiles]. A few rules of the documents are about behavior rather
// than form; they are the exported fields of [Profile]. It does no I/O.
package profile
