package backup

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"agentleague/config"
	"agentleague/engine/line"
	"agentleague/league"
)

// An Archive is a backup that was read and found whole: every file has the SHA-256 of the manifest, nothing is in it
// that does not belong to one of its leagues, and the chain of each log holds.
type Archive struct {
	Manifest Manifest

	zip  *zip.ReadCloser
	size map[string]File
	at   map[string]*zip.File
	logs map[string][]line.Sound
	last map[string]*league.State // what the logs come to
}

// maxFile is the most that one file of a backup may come to, so that a crafted one fills no memory.
const maxFile = 4 << 30

// Open reads a backup. One that was changed is refused with the name of the file in it.
func Open(path string) (*Archive, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a := &Archive{zip: z, size: map[string]File{}, at: map[string]*zip.File{},
		logs: map[string][]line.Sound{}, last: map[string]*league.State{}}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, z.Close()))
	}
	return a, nil
}

// Close lets go of the file.
func (a *Archive) Close() error { return a.zip.Close() }

// check reads every file of the archive once and holds it against the manifest. After it nothing in the archive can
// surprise: not a name that is there twice, not a changed byte.
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
		a.size[f.Name] = f
		if _, err := a.read(f.Name); err != nil {
			return err
		}
		if !slices.ContainsFunc(a.Manifest.Leagues, func(l League) bool { return belongs(f.Name, l.ID) }) || !fs.ValidPath(f.Name) {
			return fmt.Errorf("%s belongs to none of its leagues", f.Name)
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

// readManifest reads what the archive should hold. A format of another version is refused with what to do.
func (a *Archive) readManifest() error {
	if a.at[manifestFile] == nil {
		return errors.New("it has no manifest.json; is it a file that `league backup` wrote?")
	}
	text, err := readAll(a.at[manifestFile])
	if err == nil {
		err = json.Unmarshal(text, &a.Manifest)
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

// checkLeague holds the log of a league against the manifest.
func (a *Archive) checkLeague(l League) error {
	if err := config.CheckLeagueID(l.ID); err != nil {
		return err
	}
	head, err := a.read(headName(l.ID))
	if err != nil {
		return err
	}
	text, err := a.read(logName(l.ID))
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

// read returns a file of the manifest, which has to be as the manifest says.
func (a *Archive) read(name string) ([]byte, error) {
	want, listed := a.size[name]
	if !listed || a.at[name] == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	text, err := readAll(a.at[name])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if fileOf(name, text) != want {
		return nil, fmt.Errorf("%s was changed: it does not have the SHA-256 of the manifest", name)
	}
	return text, nil
}

// readAll unpacks a file, up to maxFile bytes: a small archive can unpack to any size.
func readAll(f *zip.File) ([]byte, error) {
	if f.UncompressedSize64 > maxFile {
		return nil, fmt.Errorf("it says that it has %d bytes", f.UncompressedSize64)
	}
	from, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	var out bytes.Buffer
	_, err = io.Copy(&out, io.LimitReader(from, maxFile))
	return out.Bytes(), err
}
