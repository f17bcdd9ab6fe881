package rpc

import "context"

// viaKey is the context key for the original address of a forwarded request.
type viaKey struct{}

// WithVia records that a request was sent to another address than this agent's, such as "http://10.0.0.1:8000", and
// was forwarded by another manager there. The handler of the request answers for that address too.
func WithVia(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, viaKey{}, address)
}

// Via is the address that a request was sent to, if it was passed on from there; "": it came directly.
func Via(ctx context.Context) string {
	address, _ := ctx.Value(viaKey{}).(string)
	return address
}
