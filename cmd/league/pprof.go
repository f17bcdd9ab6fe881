package main

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"time"
)

// profile serves the profiles of this process, for those who make it faster.
func (a *app) profile() error {
	if a.pprof == "" {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	server := &http.Server{Addr: a.pprof, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.ListenAndServe(); err != nil {
			fmt.Fprintf(a.err, "league: --pprof: %v\n", err)
		}
	}()
	return nil
}
