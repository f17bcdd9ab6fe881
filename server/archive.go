package server

import (
	"archive/zip"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
)

// archive writes what proves a league, as a zip of the root's folders: first its
// log, then the records, so that no record is missing which the log tells of.
func (c *Server) archive(ctx context.Context, id string, w io.Writer) error {
	l, err := c.visit(id)
	if err != nil {
		return err
	}
	root := os.DirFS(l.Env.Dir())
	z := zip.NewWriter(w)
	for _, dir := range []string{path.Join("data/leagues", id), path.Join("data/matches", id)} {
		if err := addFolder(ctx, z, root, dir); err != nil {
			return err
		}
	}
	return z.Close()
}

// addFolder adds the files below a folder, which may not be there.
func addFolder(ctx context.Context, z *zip.Writer, root fs.FS, dir string) error {
	if _, err := fs.Stat(root, dir); err != nil {
		return nil
	}
	return fs.WalkDir(root, dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || d.IsDir() {
			return err
		}
		from, err := root.Open(name)
		if err != nil {
			return nil // a file that is being replaced
		}
		defer from.Close()
		to, err := z.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, from)
		return err
	})
}
