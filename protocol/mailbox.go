package protocol

import "strings"

// MailboxScheme begins the endpoint of an agent that the manager reaches through a mailbox, see package mailbox.
const MailboxScheme = "mailbox:"

// MailboxID returns the id of the mailbox in an endpoint such as "mailbox:0123456789abcdef0123456789abcdef", and false
// for any other endpoint.
func MailboxID(endpoint string) (id string, ok bool) {
	id, ok = strings.CutPrefix(endpoint, MailboxScheme)
	return id, ok && len(id) == 32 && strings.Trim(id, "0123456789abcdef") == ""
}
