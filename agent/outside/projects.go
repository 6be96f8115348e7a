package outside

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const maxProjects = 4096 // somebody who works for years has some hundred

// Config is the folder in which Claude Code keeps what is a person's. It need not
// exist.
func Config() (string, error) {
	if dir := strings.TrimSpace(os.Getenv("CLAUDE_CONFIG_DIR")); dir != "" {
		return filepath.Abs(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".claude"), nil
}

// Project is what Claude Code keeps of one working directory.
type Project struct {
	Folder string // `projects/<slug>` below Config
	Path   string // the working directory, as transcripts say it; "" when nothing tells it
}

// Projects lists the projects below Claude Code's folder by name, each with its true
// path as far as anything tells it. No such folder: no projects. What of it can't be
// read is told in the error, beside all that can.
//
// A project without transcripts of its own is there too: old ones are deleted, and one
// project folder may hold the memories of a repository that is only worked on in its
// folders. Its path is then one that other projects name, or one above that, or the only
// directory on the disk that it can have its name of.
func Projects(ctx context.Context, config string) ([]Project, error) {
	top := filepath.Join(config, "projects")
	names, err := folders(top, maxProjects)
	failed := []error{absentIsFine(err)}
	var out []Project
	all := known{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		p := Project{Folder: filepath.Join(top, name)}
		var said []string
		p.Path, said, err = workedIn(p.Folder)
		failed = append(failed, err)
		for _, dir := range said {
			all.add(dir)
		}
		out = append(out, p)
	}
	for i, p := range out {
		if name := filepath.Base(p.Folder); p.Path == "" {
			out[i].Path = cmp.Or(all.of(name), onDisk(name, searchedFolders))
		}
	}
	return out, errors.Join(failed...)
}

// workedIn is the directory that a project is of: the one that its transcripts name
// and that it has its name of, or lies above one that they name. Where none fits (a
// project folder that was renamed, say) it is the first that they name. said are all
// that were seen.
func workedIn(folder string) (path string, said []string, err error) {
	all, err := sessions(folder)
	for _, t := range all[:min(len(all), askedFiles)] {
		in, failed := directories(t.File)
		err = errors.Join(err, failed)
		said = append(said, in...)
		k := known{}
		for _, dir := range in {
			k.add(dir)
		}
		if path = k.of(filepath.Base(folder)); path != "" {
			return path, said, err
		}
	}
	if len(said) > 0 {
		path = said[0]
	}
	return path, said, err
}

// folders are the names of the folders in a folder, and of links to folders.
func folders(dir string, most int) ([]string, error) {
	entries, err := readDir(dir, most)
	var out []string
	for _, e := range entries {
		isDir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			isDir = err == nil && info.IsDir()
		}
		if isDir {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// absentIsFine makes no error of a file or folder that isn't there.
func absentIsFine(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
