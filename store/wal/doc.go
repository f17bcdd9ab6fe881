// Package wal is an append-only log of entries with group commit.
//
//	Append ─▶ group ─ one write, one fsync for all that wait ─▶ Fold.Apply ─▶ Append returns
//	Open   ─▶ scan: sound frames ─▶ Fold.Apply, a torn tail is cut off, damage is named by its offset
//
// Format, version 1; numbers are little-endian:
//
//	file   "LGSTORE" 1 | generation u32 | crc32c u32 of the 12 bytes before
//	frame  F5 'L' 'G' 01 | length u32 of the entries | crc32c u32 of synced and entries | synced u64 | entries
//	entry  kind u8 | codec u8 | key length u16 | body length u32 | key | body
//
// A frame is one commit group. Its field synced is the offset up to which the file was durable before the frame was
// written. An invalid frame below the synced offset of a later sound frame is damage, since it was durable once. Any
// other invalid end is a torn write, which was never acknowledged. The codec of a body is none, s2 or zstd. Compaction
// packs entries into blocks: an entry of kind [Block], whose body is a list of entries.
//
// Only one process may write a log at a time, which the caller must ensure; any number may read it.
package wal
