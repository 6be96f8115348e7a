package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/gitsync"
)

// importing is one run of the command.
type importing struct {
	*storeOpener
	cmd       *cobra.Command
	format    exchange.Format // "": detect
	into      string
	subdir    string
	overwrite bool
	skipped   []string // what was skipped, for --json
}

func importCommand(p *program) *cobra.Command {
	im := &importing{storeOpener: &p.storeOpener}
	var format string
	cmd := &cobra.Command{
		Use:         "import FILE|DIR|-",
		Annotations: map[string]string{overview: "a history", changes: always},
		Short:       "Import a history, or a folder of files",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			im.cmd = cmd
			if format != "" {
				if im.format, err = exchange.ParseFormat(format); err != nil {
					return &misuse{err, cmd.CommandPath()}
				}
			}
			return im.run(args[0])
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "`FORMAT` is jsonl, simple, git or folder; default: detected")
	cmd.Flags().StringVar(&im.into, "into", "", "import the files of a folder below `PATH`")
	cmd.Flags().StringVar(&im.subdir, "subdir", "", "import only `DIR` of a git history")
	cmd.Flags().BoolVar(&im.overwrite, "overwrite", false, "let the files of a folder replace memories")
	complete(cmd, "format", cobra.FixedCompletions([]string{"jsonl", "simple", "git", "folder"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (im *importing) run(name string) error {
	if name == "-" {
		return im.file("standard input", im.in, "")
	}
	fi, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return im.open(name)
	}
	format, ops := exchange.DetectFolder(name)
	switch {
	case im.format == "" && format == exchange.Simple:
		return im.open(ops)
	case im.format == exchange.Folder || im.format == "" && format == exchange.Folder:
		return im.folder(name)
	case im.format == exchange.Git || im.format == "":
		return im.repo(name)
	}
	return misusef(im.cmd.CommandPath(), "%s is a folder: --format %s is for files", name, im.format)
}

func (im *importing) open(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return im.file(name, f, name)
}

// file imports the content of a file; fileName is its name, if it has one.
func (im *importing) file(what string, in io.Reader, fileName string) error {
	r, err := exchange.Unzip(in)
	if err == nil && im.format == "" {
		im.format, err = exchange.Detect(r)
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", what, err)
	}
	if im.format == exchange.Folder {
		return misusef(im.cmd.CommandPath(), "%s is not a folder", what)
	}
	source, done, err := im.source(r, fileName)
	if err != nil {
		return fmt.Errorf("import %s: %w", what, err)
	}
	defer done()
	return im.history(what, source)
}

func (im *importing) source(r *bufio.Reader, fileName string) (source iter.Seq2[versions.Item, error], done func(), err error) {
	done = func() {}
	switch im.format {
	case exchange.JSONLines:
		return exchange.ReadJSON(r), done, im.noSubdir()
	case exchange.Git:
		return nil, nil, exchange.ErrStream
	}
	var blobs io.Reader
	if fileName != "" {
		f, err := exchange.OpenBlobs(fileName)
		if err != nil {
			return nil, nil, err
		}
		if f != nil {
			done = func() { _ = f.Close() }
			if blobs, err = exchange.Unzip(f); err != nil {
				return nil, nil, errors.Join(err, f.Close())
			}
		}
	}
	return exchange.ReadSimple(r, blobs), done, im.noSubdir()
}

func (im *importing) noSubdir() error {
	if im.subdir != "" {
		return misusef(im.cmd.CommandPath(), "--subdir is for git histories")
	}
	return nil
}

func (im *importing) repo(dir string) error {
	r, err := exchange.OpenRepo(im.cmd.Context(), dir, im.subdir)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if on, err := im.goOn(dir); on || err != nil {
		return err
	}
	return im.history(dir, r.History(im.cmd.Context(), im.skip))
}

// goOn takes in what is new in a repository whose history the store has; false if the store has none of it.
func (im *importing) goOn(dir string) (on bool, err error) {
	err = im.withStore(im.cmd.Context(), func(s *engine.Store) error {
		ctx, end := im.withProgress(im.cmd.Context(), "")
		o := gitsync.Options{}
		r, started, err := gitsync.GoOn(ctx, s, im.by, dir, im.subdir, o)
		end()
		on = started
		if errors.As(err, new(*gitsync.RewrittenError)) {
			err = &hinted{err, "nothing was done; at a terminal import asks whether to take in what is new: the changes of these commits stay here until they are undone"}
			if im.canAsk() {
				fmt.Fprintf(im.err, "memend: import %s: %s\n", im.safe(dir), im.safe(err.Error()))
				if !im.confirm("Take in what is new? The changes of these commits stay in the store.") {
					return nil
				}
				o.Rewrite = true
				r, _, err = gitsync.GoOn(ctx, s, im.by, dir, im.subdir, o)
				end()
			}
		}
		if err != nil {
			return fmt.Errorf("import %s: %w", dir, err)
		}
		if !on {
			return nil
		}
		for _, left := range r.LeftOut {
			im.skip(left)
		}
		n := versions.Imported{Changes: len(r.Taken)}
		for _, c := range r.Taken {
			n.Versions += c.Versions
		}
		im.answer(importedJSON{n, r.Held, im.skipped}, "imported %s that came since into store %s", plural(n.Changes, "change"), im.safe(s.Info().Name))
		if len(r.Held) > 0 {
			fmt.Fprintf(im.err, "memend: %s for a person: %s lists them\n", draw.Plural(len(r.Held), "change waits", "changes wait"), im.hintText("`memend review`"))
		}
		return nil
	})
	return on, err
}

type importedJSON struct {
	versions.Imported
	Held []int64  `json:"held_changes,omitempty"`
	Left []string `json:"left_out,omitempty"`
}

func (im *importing) history(what string, source iter.Seq2[versions.Item, error]) error {
	if im.into != "" || im.overwrite {
		return misusef(im.cmd.CommandPath(), "--into and --overwrite are for folders of files; a history keeps its paths")
	}
	return im.withStore(im.cmd.Context(), func(s *engine.Store) error {
		g := im.progress("importing")
		n, err := exchange.Import(im.cmd.Context(), s, im.by, func(yield func(versions.Item, error) bool) {
			for it, err := range source {
				if it.Record != nil {
					g.step()
				}
				if !yield(it, err) {
					return
				}
			}
		})
		g.end()
		if err != nil {
			return fmt.Errorf("import %s: %w", what, err)
		}
		im.answer(importedJSON{Imported: n, Left: im.skipped}, "imported %s with %s into store %s: %s", plural(n.Changes, "change"), plural(n.Versions, "version"), im.safe(s.Info().Name), plural(n.Memories, "memory"))
		return nil
	})
}

func (im *importing) folder(dir string) error {
	if err := im.noSubdir(); err != nil {
		return err
	}
	return im.withStore(im.cmd.Context(), func(s *engine.Store) error {
		into, err := pathArg(s, im.cmd.CommandPath(), cmp.Or(im.into, memfs.Root.String()))
		if err != nil {
			return err
		}
		files, err := exchange.ReadFolder(im.cmd.Context(), dir, into, im.skip)
		if err != nil {
			return fmt.Errorf("import %s: %w", dir, err)
		}
		c, err := exchange.ImportFiles(im.cmd.Context(), s, im.by, files, im.overwrite)
		if err != nil {
			return fmt.Errorf("import %s: %w", dir, err)
		}
		reportChange(&im.console, c)
		return nil
	})
}

// skip reports something that is skipped.
func (im *importing) skip(what string) {
	im.skipped = append(im.skipped, what)
	fmt.Fprintf(im.err, "memend: %s\n", text.Field(what))
}
