package backup

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Limits of a backup. [Open] checks them before it unpacks anything, and [Take] enforces them too.
const (
	maxEntries = 200_000
	maxTotal   = 32 << 30 // bytes of all files, unpacked
	maxFile    = 1 << 30  // bytes of one file, unpacked
	maxText    = 64 << 20 // bytes of the manifest, settings or a secret, which are read whole
	maxRatio   = 100      // unpacked to packed; logs and records, which are full of hashes and keys, have less than 20
	minRatio   = 1 << 20  // a smaller file may have any ratio
	minTotal   = 64 << 20 // a smaller backup too
)

// checkArchive returns an error if a zip of size bytes has invalid names in its directory, or if its unpacked
// files would exceed a limit.
func checkArchive(all []*zip.File, size int64) error {
	if len(all) > maxEntries {
		return fmt.Errorf("it has %d files: want at most %d", len(all), maxEntries)
	}
	total := uint64(0)
	for _, f := range all {
		if err := checkName(f.Name); err != nil {
			return err
		}
		unpacked, packed := f.UncompressedSize64, f.CompressedSize64
		switch {
		case unpacked > maxFile:
			return fmt.Errorf("%s has %d bytes unpacked: want at most %d", f.Name, unpacked, maxFile)
		case f.Name == manifestFile && unpacked > maxText:
			return fmt.Errorf("%s has %d bytes: want at most %d", f.Name, unpacked, maxText)
		case unpacked > minRatio && unpacked/maxRatio > packed:
			return fmt.Errorf("%s has %d bytes unpacked and %d packed: want at most %d times as many", f.Name, unpacked, packed, maxRatio)
		}
		total += unpacked // no overflow: maxEntries of maxFile
	}
	switch {
	case total > maxTotal:
		return fmt.Errorf("it has %d bytes unpacked: want at most %d", total, uint64(maxTotal))
	case total > minTotal && total/maxRatio > uint64(size): // entries can share packed bytes
		return fmt.Errorf("it has %d bytes unpacked and %d packed: want at most %d times as many", total, size, maxRatio)
	}
	return nil
}

// checkName returns an error for a name that could lead out of the data directory on any operating system.
func checkName(name string) error {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:\x00") {
		return fmt.Errorf("%q is not a name in a root", name)
	}
	return nil
}
