package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/engine"
)

func editCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "edit PATH[:LINE]",
		Annotations:       map[string]string{overview: "in $EDITOR", changes: always},
		Short:             "Edit a memory in $EDITOR",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			editor, err := editorCommand(&p.storeOpener, cmd, "`memend write PATH` writes a memory from standard input")
			if err != nil {
				return err
			}
			return p.withStoreAt(cmd.Context(), pathsOf(args[0]), func(s *engine.Store) error {
				path, of, err := pathAndLines(cmd.Context(), s, cmd.CommandPath(), args[0])
				if err != nil {
					return err
				}
				return editMemory(&p.caller, cmd, s, path, of.from, editor)
			})
		},
	}
}

func editMemory(p *caller, cmd *cobra.Command, s *engine.Store, path memfs.Path, line int, editor string) error {
	old, err := readMemory(cmd.Context(), s, path)
	isNew := errors.Is(err, memfs.ErrNotExist)
	switch {
	case err != nil && !isNew:
		return err
	case int64(len(old)) > versions.DefaultMaxBytes: // before the editor, not after the work in it
		return &versions.TooBigError{Path: path, Limit: versions.DefaultMaxBytes}
	case !utf8.Valid(old):
		return &hinted{fmt.Errorf("edit %s: not UTF-8 text", path.Tool()), "an editor would damage it; edit the file itself if you must"}
	}
	pre := versions.Pre{Absent: isNew}
	if !isNew {
		pre.SHA256 = hashOf(old)
	}
	write := func(text []byte, pre versions.Pre) error { return writeMemory(p, cmd, s, path, text, pre) }
	d := draft{what: "edit " + path.Tool(), name: drafts.EditName(path), text: old, line: line}
	d.again = func(file string) string {
		return fmt.Sprintf("; `memend write %s --file %s` overwrites the memory with it", shellWord(path.Tool()), shellWord(file))
	}
	return d.edit(&p.console, cmd, s, editor, func(text []byte) error {
		if bytes.Equal(text, old) {
			reportChange(&p.console, versions.Change{})
			return nil
		}
		err := write(text, pre)
		if errors.As(err, new(*versions.ConflictError)) && p.canAsk() {
			fmt.Fprintf(p.err, "%s was changed by someone else while you edited it.\n", p.toolPath(path))
			if p.agrees("Overwrite it with your text? Their version stays in its history.") {
				err = write(text, versions.Pre{})
			}
		}
		return err
	})
}

// A draft is a text that a person edits in an editor.
type draft struct {
	what  string // the operation that errors are about: "edit /memories/a.md"
	name  string // of the file that the editor opens
	text  []byte
	line  int                      // where the editor begins, if it is not 0
	again func(file string) string // says how to use a text that was kept after an error; may be nil
}

// edit opens a draft in an editor and calls save with what the person leaves. It keeps a text that was edited and not saved.
func (d draft) edit(p *console, cmd *cobra.Command, s *engine.Store, editor string, save func([]byte) error) error {
	file, left, err := s.NewEditCopy(d.name, d.text)
	if err != nil {
		return err
	}
	for _, name := range left {
		fmt.Fprintf(p.err, "memend: an earlier edit was not saved; its text is in %s\n", p.safe(name))
	}
	failed := runEditor(p, cmd, editor, file.File(), d.line)
	text, err := file.Read()
	switch {
	case err != nil:
		return errors.Join(failed, err, file.Keep())
	case failed != nil && bytes.Equal(text, d.text):
		return errors.Join(failed, file.Remove())
	case failed != nil:
		err = failed
	case !utf8.Valid(text):
		err = fmt.Errorf("%s: the edited text is not UTF-8", d.what)
	default:
		err = save(text)
	}
	if err == nil {
		return file.Remove()
	}
	hint := "your text is kept in " + file.File()
	if d.again != nil {
		hint += d.again(file.File())
	}
	return errors.Join(&hinted{err, hint}, file.Keep())
}

// editorCommand returns the editor of the settings. Without a terminal it would block, and its escape codes
// would go into a pipe: instead says what to use.
func editorCommand(p *storeOpener, cmd *cobra.Command, instead string) (string, error) {
	if !p.me.typed {
		return "", &misuse{&hinted{fmt.Errorf("%s: no terminal for an editor", cmd.CommandPath()), instead}, ""}
	}
	conf, err := p.settings()
	if err != nil {
		return "", err
	}
	return conf.Editor, nil
}

// runEditor opens a file in the editor from the settings or the environment.
func runEditor(p *console, cmd *cobra.Command, editor, file string, line int) error {
	command, err := editing.EditorCommand(editor)
	if err != nil {
		command = "vi"
		if runtime.GOOS == "windows" {
			command = "notepad"
		}
	}
	words := editing.EditorAt(command, file, line)
	run := exec.CommandContext(cmd.Context(), words[0], words[1:]...)
	run.Stdin, run.Stdout, run.Stderr = p.in, p.stdout, p.err
	if screen, ok := p.in.(*os.File); ok && !p.terminal { // standard output is a pipe, which is for the result
		run.Stdout = screen
	}
	// ^C belongs to the editor: if it ended memend too, the editor and the shell would both
	// read the terminal.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	if err := run.Run(); err != nil {
		return &hinted{fmt.Errorf("editor %s: %w", command, err), "$EDITOR, or editor in `memend config`, names another one; the shell runs it: quote a space in its path"}
	}
	return nil
}
