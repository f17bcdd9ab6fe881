package rpc

// NewServer makes a server of listeners that a test has opened.
var NewServer = newServer
