package cli

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

func backupCommand(p *program) *cobra.Command {
	var restore bool
	cmd := &cobra.Command{
		Use:         "backup FILE.tar.gz|DIR|-",
		Annotations: map[string]string{overview: "copy the home", changes: "restore"},
		Short:       "Copy memend's home while it is in use",
		RunE: func(cmd *cobra.Command, args []string) error {
			if restore {
				home, err := p.homeFolder()
				if err != nil {
					return err
				}
				return restoreBackup(cmd.Context(), &p.console, home, args[0])
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return makeBackup(cmd.Context(), &p.console, t, args[0]) })
		},
	}
	cmd.Flags().BoolVar(&restore, "restore", false, "restore a copy to an empty home")
	return cmd
}

// packed reports whether a backup with this name is a single file, and whether it is
// compressed.
func packed(name string) (file, compressed bool) {
	name = strings.ToLower(name)
	compressed = strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
	return compressed || strings.HasSuffix(name, ".tar"), compressed
}

func makeBackup(ctx context.Context, p *console, t *engine.Trail, to string) error {
	g := p.progress("backing up")
	g.unit = "file"
	b, err := writeBackup(ctx, p, t, to, func() { g.step() })
	g.end()
	if errors.Is(err, fs.ErrExist) {
		err = &hinted{err, "name a file that is not there, or an empty folder"}
	}
	if err != nil {
		return toCreate(err)
	}
	report := p.println
	switch {
	case to == stdStream: // standard output is the backup
		report = func(format string, args ...any) { fmt.Fprintf(p.err, "memend: "+format+"\n", args...) }
		fallthrough
	case !p.json:
		report("backed up %s, %s and %s to %s", plural(b.Stores, "store"), plural(int(b.Versions), "version"), plural(b.Files, "file"), p.safe(streamName(to, "standard output")))
		for _, folder := range b.Elsewhere {
			report("folder not copied, only its history: %s", p.safe(folder))
		}
	default:
		p.emit(backupJSON{to, b})
	}
	for _, name := range b.Damaged {
		fmt.Fprintf(p.err, "memend: left out, because its text is damaged in the trail: %s\n", p.safe(name))
	}
	if len(b.Damaged) > 0 {
		return errReported
	}
	return nil
}

func writeBackup(ctx context.Context, p *console, t *engine.Trail, to string, each func()) (b versions.Backup, err error) {
	file, compressed := packed(to)
	dir := filepath.Dir(to)
	switch {
	case to == stdStream && p.terminal:
		return b, misusef("memend backup", "not writing a backup to a terminal: name a file, or use a pipe")
	case to == stdStream:
		dir = os.TempDir()
	case !file:
		return stores.Backup(ctx, t, to, each)
	default:
		if _, err := os.Lstat(to); err == nil {
			return b, fmt.Errorf("back up to %s: %w", to, fs.ErrExist)
		}
	}
	temp, err := os.MkdirTemp(dir, ".memend-backup-*")
	if err != nil {
		return b, fmt.Errorf("back up to %s: %w", streamName(to, "standard output"), errors.Unwrap(err)) // without the name of the temporary folder
	}
	defer func() { _ = os.RemoveAll(temp) }()
	folder, part := filepath.Join(temp, "home"), filepath.Join(temp, "file")
	if b, err = stores.Backup(ctx, t, folder, each); err != nil {
		return b, err
	}
	if to == stdStream {
		return b, archive(folder, p.out, true)
	}
	if err := pack(folder, part, compressed); err != nil {
		return b, fmt.Errorf("back up to %s: %w", to, err)
	}
	return b, os.Rename(part, to)
}

// pack writes the files of a folder to a tar archive.
func pack(folder, to string, compressed bool) (err error) {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(archive(folder, f, compressed), f.Close())
}

func archive(folder string, w io.Writer, compressed bool) (err error) {
	if compressed {
		z := gzip.NewWriter(w)
		defer func() { err = errors.Join(err, z.Close()) }()
		w = z
	}
	t := tar.NewWriter(w)
	defer func() { err = errors.Join(err, t.Close()) }()
	return t.AddFS(os.DirFS(folder))
}

// restoreBackup restores a backup to the home.
func restoreBackup(ctx context.Context, p *console, home, from string) error {
	fail := func(err error) error {
		return fmt.Errorf("restore %s to home %s: %w", streamName(from, "standard input"), home, err)
	}
	empty := func() error {
		if ok, err := isEmptyHome(ctx, home); err != nil || ok {
			return err
		}
		return &hinted{fmt.Errorf("%w: the home is not empty", fs.ErrExist), "name another home with --home, or move this one away; nothing was written"}
	}
	if err := empty(); err != nil {
		return fail(err)
	}
	file, compressed := packed(from)
	if from != stdStream {
		if fi, err := os.Stat(from); err != nil {
			return fail(errors.Unwrap(err))
		} else if !fi.IsDir() && !file {
			return fail(errNoBackup)
		}
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o700); err != nil {
		return fail(err)
	}
	part, err := os.MkdirTemp(filepath.Dir(home), ".memend-restore-*") // 0700
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(part) }()
	if from == stdStream {
		err = unpack(p.in, part, true)
	} else if file {
		var f *os.File
		if f, err = os.Open(from); err == nil {
			err = errors.Join(unpack(f, part, compressed), f.Close())
		}
	} else {
		err = os.CopyFS(part, os.DirFS(from))
	}
	if err == nil {
		if _, serr := os.Stat(filepath.Join(part, "trail.db")); serr != nil {
			err = errNoBackup
		}
	}
	if err != nil {
		return fail(err)
	}
	if err := empty(); err != nil { // unpacking took its time
		return fail(err)
	}
	if err := os.RemoveAll(home); err != nil {
		return fail(err)
	}
	if err := os.Rename(part, home); err != nil {
		return fail(err)
	}
	p.answer(restoredJSON{from, home}, "restored %s to home %s", p.safe(streamName(from, "standard input")), p.safe(home))
	return nil
}

// emptyHome are the files of a home in which nobody made anything: its trail and its logs.
var emptyHome = []string{"trail.db", "trail.db-wal", "trail.db-shm", "trail.lock", "log"}

// isEmptyHome reports whether a home doesn't exist, or holds no store, no change and no file of use.
func isEmptyHome(ctx context.Context, home string) (bool, error) {
	files, err := os.ReadDir(home)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || slices.ContainsFunc(files, func(f fs.DirEntry) bool { return !slices.Contains(emptyHome, f.Name()) }) {
		return false, err
	}
	if len(files) == 0 {
		return true, nil
	}
	t, err := engine.Open(ctx, home, versions.Options{Look: true})
	if err != nil {
		return false, err
	}
	empty, err := t.IsEmpty(ctx)
	return empty, errors.Join(err, t.Close())
}

// errNoBackup means that a file or folder was not written by "memend backup".
var errNoBackup = errors.New("not a backup of a home: it has no trail.db")

// unpack extracts a tar archive to a folder, and writes nothing outside it.
func unpack(r io.Reader, folder string, compressed bool) error {
	if compressed {
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		r = z
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, r) // read to the end, to verify the checksum
			return err
		}
		if err == nil {
			err = unpackFile(root, h, t)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, h *tar.Header, content io.Reader) error {
	name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o700)
	case tar.TypeReg:
	default:
		return nil // backups contain only files and folders
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
