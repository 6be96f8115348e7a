package outside

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/versions/disk"
)

const maxProjects = 4096 // years of work make some hundred

// Config returns Claude Code's folder for a person's data. It may not exist.
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
	Path   string // the working directory according to transcripts; "" if unknown
}

// Projects lists the projects below Claude Code's folder by name, each with its true path if that can
// be determined. A missing folder has no projects. The error reports what can't be read, beside
// everything else.
//
// The path is the directory with the project's slug: one that its transcripts name, or a parent of one;
// else one that other projects name, because a project folder may hold the memories of a repository that
// is only worked on in its subfolders; else the only one on the disk, because old transcripts are
// deleted, and those of a project that was moved name its old place. If there is none, it is the first
// directory that the project's transcripts name.
func Projects(ctx context.Context, config string) ([]Project, error) {
	top := filepath.Join(config, "projects")
	names, err := folders(top, maxProjects)
	failed := []error{ignoreNotExist(err)}
	var out []Project
	var first []string // the directory that each project's transcripts name first
	all := known{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		p := Project{Folder: filepath.Join(top, name)}
		var dirs []string
		p.Path, dirs, err = workedIn(p.Folder)
		failed = append(failed, err)
		for _, dir := range dirs {
			all.add(dir)
		}
		out, first = append(out, p), append(first, slices.Concat(dirs, []string{""})[0])
	}
	for i, p := range out {
		if name := filepath.Base(p.Folder); p.Path == "" {
			out[i].Path = cmp.Or(all.of(name), onDisk(name, searchedFolders), first[i])
		}
	}
	return out, errors.Join(failed...)
}

// workedIn returns the directory with a project's slug that its transcripts name, or a parent of one that
// they name; "" if none fits. dirs are all directories that were seen, those of the newest transcript first.
func workedIn(folder string) (path string, dirs []string, err error) {
	all, err := sessions(folder)
	for _, t := range all[:min(len(all), askedFiles)] {
		in, failed := directories(t.File)
		err = errors.Join(err, failed)
		dirs = append(dirs, in...)
		k := known{}
		for _, dir := range in {
			k.add(dir)
		}
		if path = k.of(filepath.Base(folder)); path != "" {
			return path, dirs, err
		}
	}
	return "", dirs, err
}

// folders returns the names of the folders in a folder, including links to folders.
func folders(dir string, most int) ([]string, error) {
	entries, err := disk.ReadDir(dir, most)
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

// ignoreNotExist drops the error that a file or folder does not exist.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
