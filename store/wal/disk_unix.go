//go:build !windows

package wal

// foldersSync reports whether a folder can be synced like a file.
const foldersSync = true
