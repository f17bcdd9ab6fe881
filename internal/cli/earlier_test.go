package cli

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// unpackRoot writes a root of testdata/roots, named by the commit of the program that made it, into a folder.
func unpackRoot(commit, dir string) error {
	f, err := os.Open(filepath.Join("testdata", "roots", commit+".tar.gz"))
	if err != nil {
		return err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(name, 0o755)
		} else {
			var text []byte
			if text, err = io.ReadAll(archive); err == nil {
				err = os.WriteFile(name, text, h.FileInfo().Mode())
			}
		}
		if err != nil {
			return err
		}
	}
}

// unpackInto unpacks a root of an earlier version, such as: unpack 8ecaacf SHARED
func unpackInto(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: unpack COMMIT ROOT")
	}
	ts.Check(unpackRoot(args[0], ts.MkAbs(args[1])))
}
