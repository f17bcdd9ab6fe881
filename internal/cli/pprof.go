package cli

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"time"

	"agentleague/rpc"
)

// profile serves this process's pprof profiles at the address of --pprof, in the background. Without the flag it does
// nothing.
func (a *app) profile() error {
	if a.pprof == "" {
		return nil
	}
	server := &http.Server{Addr: a.pprof, Handler: profiles(a.network.net.Host), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.ListenAndServe(); err != nil {
			fmt.Fprintf(a.err, "league: --pprof: %v\n", err)
		}
	}()
	return nil
}

// profiles returns the handler of the pprof pages. It checks the Host header, so that a third-party web page cannot
// read memory contents or cause load.
func profiles(host string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	return rpc.HostCheck{Hosts: []string{host}}.Wrap(mux)
}
