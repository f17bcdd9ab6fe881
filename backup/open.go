package backup

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"agentleague/config"
	"agentleague/engine/line"
	"agentleague/league"
)

// An Archive is a verified backup: every file has the SHA-256 of the manifest, each file belongs to one of its
// leagues, and the hash chain of each log is intact.
type Archive struct {
	Manifest Manifest

	zip  *zip.ReadCloser
	size map[string]File
	at   map[string]*zip.File
	logs map[string][]line.Sound
	last map[string]*league.State // the final states of the logs
}

// Open opens and verifies a backup. For a modified backup, or one above a limit, it returns an error that names
// the file.
func Open(path string) (*Archive, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err == nil {
		err = checkArchive(z.File, info.Size())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, z.Close()))
	}
	a := &Archive{zip: z, size: map[string]File{}, at: map[string]*zip.File{},
		logs: map[string][]line.Sound{}, last: map[string]*league.State{}}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, z.Close()))
	}
	return a, nil
}

// Close closes the file.
func (a *Archive) Close() error { return a.zip.Close() }

// check reads every file of the archive once and compares it with the manifest.
func (a *Archive) check() error {
	for _, f := range a.zip.File {
		if a.at[f.Name] != nil {
			return fmt.Errorf("%s is in it twice", f.Name)
		}
		a.at[f.Name] = f
	}
	if err := a.readManifest(); err != nil {
		return err
	}
	for _, f := range a.Manifest.Files {
		if !slices.ContainsFunc(a.Manifest.Leagues, func(l League) bool { return belongs(f.Name, l.ID) }) {
			return fmt.Errorf("%s belongs to none of its leagues", f.Name)
		}
		a.size[f.Name] = f
		if err := a.copy(io.Discard, f.Name); err != nil {
			return err
		}
	}
	if len(a.at) != len(a.size)+1 {
		return fmt.Errorf("it has %d files, and its manifest names %d", len(a.at)-1, len(a.size))
	}
	for _, l := range a.Manifest.Leagues {
		if err := a.checkLeague(l); err != nil {
			return fmt.Errorf("league %s: %w", l.ID, err)
		}
	}
	return nil
}

// readManifest reads the manifest. For an unsupported format it returns an error that names the remedy.
func (a *Archive) readManifest() error {
	if a.at[manifestFile] == nil {
		return errors.New("it has no manifest.json; is it a file that `league backup` wrote?")
	}
	var text bytes.Buffer
	err := unpack(&text, a.at[manifestFile])
	if err == nil {
		err = json.Unmarshal(text.Bytes(), &a.Manifest)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", manifestFile, err)
	}
	if a.Manifest.Format != format {
		return fmt.Errorf("it is a backup of format %q, and this program reads %s; use the program that wrote it", a.Manifest.Format, format)
	}
	if len(a.Manifest.Leagues) == 0 {
		return errors.New("it holds no league")
	}
	return nil
}

// checkLeague compares the log of a league with the manifest.
func (a *Archive) checkLeague(l League) error {
	if err := config.CheckLeagueID(l.ID); err != nil {
		return err
	}
	head, err := a.read(headName(l.ID), maxText)
	if err != nil {
		return err
	}
	text, err := a.read(logName(l.ID), maxFile)
	if err != nil {
		return err
	}
	lines, err := parseLog(l.ID, head, text)
	if err != nil {
		return err
	}
	s, err := fold(lines)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", logName(l.ID), err)
	case s.Created.LeagueID != l.ID:
		return fmt.Errorf("%s is the log of %q", logName(l.ID), s.Created.LeagueID)
	case len(lines) != l.Entries || lines[len(lines)-1].Hash.String() != l.Head:
		return fmt.Errorf("%s does not end where the manifest says", logName(l.ID))
	}
	a.logs[l.ID], a.last[l.ID] = lines, s
	return nil
}

// read returns the content of a file in the manifest. It returns an error if the file is larger than max bytes.
func (a *Archive) read(name string, max int) ([]byte, error) {
	size := a.size[name].Size
	if size > max {
		return nil, fmt.Errorf("%s has %d bytes: want at most %d", name, size, max)
	}
	var out bytes.Buffer
	out.Grow(size)
	err := a.copy(&out, name)
	return out.Bytes(), err
}

// copy unpacks a file to w, and verifies it against the manifest.
func (a *Archive) copy(w io.Writer, name string) error {
	want, listed := a.size[name]
	if !listed || a.at[name] == nil {
		return fmt.Errorf("%s is missing", name)
	}
	sum := sha256.New()
	if a.at[name].UncompressedSize64 == uint64(want.Size) {
		if err := unpack(io.MultiWriter(w, sum), a.at[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
		return fmt.Errorf("%s was changed: it does not have the SHA-256 of the manifest", name)
	}
	return nil
}

// unpack writes the content of a file to w, up to the size in the archive's directory, which checkArchive has
// checked.
func unpack(w io.Writer, f *zip.File) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(w, io.LimitReader(from, int64(f.UncompressedSize64)))
	return err
}
