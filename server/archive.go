package server

import (
	"archive/zip"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"agentleague/store"
)

// archive writes the evidence of a league as a zip: first its log, then the match records, so that every record named
// in the log is included. The logs of referees are left out, because they contain orders.
func (p *leaguePages) archive(ctx context.Context, id string, w io.Writer) error {
	l, err := p.leagues.Visit(id)
	if err != nil {
		return err
	}
	root := os.DirFS(l.Env.Dir())
	z := zip.NewWriter(w)
	if err := addFolder(ctx, z, root, path.Join("data/leagues", id)); err != nil {
		return err
	}
	folder := path.Join("data/matches", id)
	list, _ := store.ShowRecords(root).ReadDir(folder)
	for _, e := range list {
		match, record := strings.CutSuffix(e.Name(), ".json")
		document, err := l.Env.Matches(id).Load(match)
		if err := ctx.Err(); err != nil {
			return err
		}
		if !record || err != nil {
			continue // it is being replaced
		}
		to, err := z.Create(path.Join(folder, e.Name()))
		if err == nil {
			_, err = to.Write(document)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// addFolder adds the files below a folder to z. A missing folder is ignored.
func addFolder(ctx context.Context, z *zip.Writer, root fs.FS, dir string) error {
	if _, err := fs.Stat(root, dir); err != nil {
		return nil
	}
	return fs.WalkDir(root, dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || d.IsDir() || d.Name() == "records.log" {
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
