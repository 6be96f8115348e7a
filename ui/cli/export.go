package cli

import (
	"bufio"
	"compress/gzip"
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
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/history"
)

// exporting is one run of the command.
type exporting struct {
	*storeOpener
	cmd       *cobra.Command
	format    exchange.Format
	to        string   // "": standard output
	at        string   // "": now
	moment    momentOf // of at; nil: now
	in        string   // only this folder or memory
	overwrite bool
}

func exportCommand(p *program) *cobra.Command {
	ex := &exporting{storeOpener: &p.storeOpener}
	var format string
	cmd := &cobra.Command{
		Use:         "export",
		Annotations: map[string]string{overview: "a history", whole: ""},
		Short:       "Export a store's history, or its files",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ex.cmd = cmd
			ex.format, err = exchange.ParseFormat(format)
			if err != nil {
				err = fmt.Errorf("unknown format %q: must be jsonl, git or folder", format)
			} else if ex.format == exchange.Simple {
				err = errors.New("the simple format is for import only; use jsonl")
			}
			if err != nil {
				return &misuse{err, cmd.CommandPath()}
			}
			return ex.run()
		},
	}
	cmd.Flags().StringVar(&format, "format", string(exchange.JSONLines), "`FORMAT` is jsonl, git or folder")
	cmd.Flags().StringVarP(&ex.to, "output", "o", "", "write to file or folder `OUT`; default: standard output (-)")
	cmd.Flags().StringVar(&ex.at, "at", "", "files as they were at this `TIME` or right after this change")
	cmd.Flags().StringVar(&ex.in, "path", "", "only the files in this folder, or this memory (`PATH`)")
	complete(cmd, "path", p.completePaths)
	complete(cmd, "at", p.completeChanges)
	cmd.Flags().BoolVar(&ex.overwrite, "overwrite", false, "replace the file, or write to a folder that is not empty")
	complete(cmd, "format", cobra.FixedCompletions([]string{"jsonl", "git", "folder"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (ex *exporting) run() error {
	if ex.to == stdStream && ex.format != exchange.Folder {
		ex.to = ""
	}
	switch {
	case ex.format == exchange.Folder && ex.to == stdStream:
		return misusef(ex.cmd.CommandPath(), "files can't be written to standard output: name a folder with --output")
	case ex.format == exchange.Folder && ex.to == "":
		return misusef(ex.cmd.CommandPath(), "name a folder with --output")
	case ex.format != exchange.Folder && ex.at != "":
		return misusef(ex.cmd.CommandPath(), "--at needs --format folder: a history is exported completely")
	case ex.format != exchange.Folder && ex.in != "":
		return misusef(ex.cmd.CommandPath(), "--path needs --format folder: a history is exported completely")
	case ex.format == exchange.JSONLines && isArchive(ex.to):
		return &misuse{&hinted{fmt.Errorf("export to %s: a history of JSON lines is no archive", ex.to),
			"name it FILE.jsonl or FILE.jsonl.gz; `memend backup FILE.tar.gz` packs the whole home"}, ""}
	case ex.to == "" && ex.terminal:
		return misusef(ex.cmd.CommandPath(), "not writing a history to a terminal: name a file with --output, or use a pipe")
	}
	if ex.at != "" {
		var err error
		if ex.moment, err = momentArg(&ex.console, ex.cmd.CommandPath(), ex.at); err != nil {
			return err
		}
	}
	return ex.withPast(ex.cmd.Context(), nil, func(s *engine.Store) error {
		switch {
		case ex.format == exchange.Folder:
			return ex.folder(s)
		case ex.to == "":
			_, left, err := ex.history(s, ex.out)
			return errors.Join(err, left)
		}
		write := ex.file
		if ex.format == exchange.Git && exchange.IsRepo(ex.to) {
			write = ex.repo
		}
		n, left, err := write(s)
		if err != nil {
			return fmt.Errorf("export to %s: %w", ex.to, err)
		}
		return ex.done(s, exportedJSON{Changes: n, Output: ex.to}, plural(n, "change"), left)
	})
}

// isArchive reports whether a file's name promises files in an archive.
func isArchive(name string) bool {
	return slices.ContainsFunc([]string{".zip", ".tar", ".tar.gz", ".tgz", ".7z"}, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) })
}

// done reports what was exported, and then what was left out.
func (ex *exporting) done(s *engine.Store, j exportedJSON, counted string, left error) error {
	ex.answer(j, "exported %s of store %s to %s", counted, ex.safe(s.Info().Name), ex.safe(ex.to))
	if left != nil {
		return fmt.Errorf("export to %s: %w", ex.to, left)
	}
	return nil
}

// splitExportError separates the error about content missing from an export, after which the export
// is still complete, from other errors.
func splitExportError(err error) (left, failed error) {
	if what := (*versions.LeftOutError)(nil); errors.As(err, &what) {
		return what, nil
	}
	return nil, err
}

// entries returns the memories to write as files.
func (ex *exporting) entries(s *engine.Store) ([]versions.Entry, error) {
	es, err := ex.tree(s)
	if err != nil || ex.in == "" {
		return es, err
	}
	at, err := pathArg(s, ex.cmd.CommandPath(), ex.in)
	if err != nil {
		return nil, err
	}
	es = slices.DeleteFunc(es, func(e versions.Entry) bool { return !e.Path.In(at) })
	if len(es) == 0 {
		return nil, fmt.Errorf("%w: %s", versions.ErrNoMemory, at.Tool())
	}
	return es, nil
}

// tree lists all memories at the requested moment.
func (ex *exporting) tree(s *engine.Store) ([]versions.Entry, error) {
	if ex.moment == nil {
		return history.Tree(ex.cmd.Context(), s)
	}
	m, err := ex.moment(ex.cmd.Context(), s)
	if err != nil {
		return nil, err
	}
	return history.TreeAt(ex.cmd.Context(), s, m.Change)
}

// writer writes a history in one format.
type writer interface {
	Write(versions.Item) error
	Close() error
}

// history writes the whole history, except what left describes.
func (ex *exporting) history(s *engine.Store, to io.Writer) (changes int, left, err error) {
	var w writer
	if ex.format == exchange.Git {
		w = exchange.NewGitWriter(to)
	} else {
		w = exchange.NewJSONWriter(to)
	}
	g := ex.progress("exporting")
	defer g.end()
	left, err = splitExportError(exchange.Export(ex.cmd.Context(), s, func(it versions.Item) error {
		if it.Record != nil {
			g.step()
			changes++
		}
		return w.Write(it)
	}))
	if err != nil {
		return changes, nil, err
	}
	return changes, left, w.Close()
}

// repo appends to a repository.
func (ex *exporting) repo(s *engine.Store) (changes int, left, err error) {
	changes, err = exchange.AppendTo(ex.cmd.Context(), ex.to, func(w io.Writer) (err error) {
		_, left, err = ex.history(s, w)
		return err
	})
	return changes, left, err
}

// file writes to a temporary file first, so that the target is never incomplete.
func (ex *exporting) file(s *engine.Store) (changes int, left, err error) {
	if _, err := os.Lstat(ex.to); err == nil && !ex.overwrite {
		return 0, nil, fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(ex.to), ".memend-export-*")
	if err != nil {
		return 0, nil, toCreate(errors.Unwrap(err)) // without the name of the temporary file
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 64<<10)
	var to io.Writer = b
	pack := func() error { return nil }
	if strings.HasSuffix(ex.to, ".gz") {
		z := gzip.NewWriter(b)
		to, pack = z, z.Close
	}
	if changes, left, err = ex.history(s, to); err != nil {
		return changes, nil, err
	}
	for _, step := range []func() error{pack, b.Flush, f.Sync, f.Close} {
		if err = step(); err != nil {
			return changes, nil, err
		}
	}
	return changes, left, os.Rename(f.Name(), ex.to)
}

func (ex *exporting) folder(s *engine.Store) error {
	ctx := ex.cmd.Context()
	es, err := ex.entries(s)
	if err != nil {
		return err
	}
	es = slices.DeleteFunc(es, func(e versions.Entry) bool {
		if e.Redacted == nil {
			return false
		}
		fmt.Fprintf(ex.err, "memend: memory %s is left out: its content was redacted\n", e.Memory)
		return true
	})
	n, err := exchange.WriteFolder(ex.to, es, func(e versions.Entry) ([]byte, error) { return history.Content(ctx, s, e.Version) }, ex.overwrite)
	left, err := splitExportError(err)
	if err != nil {
		return err
	}
	return ex.done(s, exportedJSON{Memories: n, Output: ex.to}, plural(n, "memory"), left)
}
