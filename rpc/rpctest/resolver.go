package rpctest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
)

// Resolver returns a resolver that resolves every name to the result of next. It calls next once for each IPv4 lookup.
// It runs a DNS server in this process.
func Resolver(next func() netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			var size [2]byte
			if _, err := io.ReadFull(theirs, size[:]); err != nil {
				return
			}
			query := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(theirs, query); err != nil {
				return
			}
			addr := netip.Addr{}
			if asksIPv4(query) {
				addr = next()
			}
			answer := answerName(query, addr)
			_, _ = theirs.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
		}()
		return ours, nil
	}}
}

// asksIPv4 reports whether a DNS query is for an A record. The type follows the name, which has labels of any length.
func asksIPv4(query []byte) bool {
	end := 12
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	return binary.BigEndian.Uint16(query[end+1:]) == 1
}

// answerName returns the answer to a DNS query: an address, or none if the query is for the other address family.
func answerName(query []byte, addr netip.Addr) []byte {
	end := 12
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	kind, question := binary.BigEndian.Uint16(query[end+1:]), query[12:end+5]
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
	if !addr.IsValid() {
		return answer
	}
	answer[7] = 1
	raw := addr.AsSlice()
	answer = append(answer, 0xc0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
	return append(answer, raw...)
}
