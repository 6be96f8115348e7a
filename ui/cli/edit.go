package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) editCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit PATH[:LINE]",
		Short: "Edit a memory in $EDITOR",
		Long: `Edit a memory, or write a new one, in the editor that the settings,
$VISUAL or $EDITOR name; PATH:42 opens it at that line where it is known how the
editor is told.

When the memory was changed by somebody else meanwhile, nothing is overwritten:
your text stays in a file that is named, and on a terminal you are asked what to
do.`,
		Example: `  memtrail edit notes/plan.md
  memtrail edit notes/plan.md:42
  EDITOR="code --wait" memtrail edit MEMORY.md`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := p.person()
			if err != nil {
				return err
			}
			conf, err := p.settings()
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				path, of, err := pathAndLines(cmd.Context(), s, cmd.CommandPath(), args[0])
				if err != nil {
					return err
				}
				return p.edit(cmd, s, by, path, of.from, conf.Editor)
			})
		},
	}
}

func (p *program) edit(cmd *cobra.Command, s *versions.Store, by versions.By, path memfs.Path, line int, editor string) error {
	old, err := readMemory(cmd, s, path)
	isNew := errors.Is(err, memfs.ErrNotExist)
	switch {
	case err != nil && !isNew:
		return err
	case !utf8.Valid(old):
		return &hinted{fmt.Errorf("edit %s: not UTF-8 text", path.Tool()), "an editor would damage it; edit the file itself if you must"}
	}
	pre := versions.Pre{Absent: isNew}
	if !isNew {
		pre.SHA256 = hashOf(old)
	}
	folder, err := os.MkdirTemp("", "memtrail-edit-") // 0700: nobody else reads along
	if err != nil {
		return err
	}
	file := filepath.Join(folder, fileName(path))
	text, err := p.runEditor(cmd, editor, file, line, old)
	if err == nil && bytes.Equal(text, old) {
		p.println("nothing to change")
		return os.RemoveAll(folder)
	}
	if err == nil {
		err = p.write(cmd, s, by, path, text, pre)
	}
	var conflict *versions.ConflictError
	if errors.As(err, &conflict) && p.overwriteAnyway(path) {
		err = p.write(cmd, s, by, path, text, versions.Pre{})
	}
	if err != nil {
		return &hinted{err, fmt.Sprintf("your text is kept in %s; `memtrail write %s --file %s` writes it over what is there", file, path.Tool(), file)}
	}
	return os.RemoveAll(folder)
}

// fileName keeps the ending, by which editors choose their colours, and nothing
// that an editor or a shell could take amiss.
func fileName(path memfs.Path) string {
	ending := filepath.Ext(path.Base())
	for _, r := range strings.TrimPrefix(ending, ".") {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return "memory.md"
		}
	}
	return "memory" + ending
}

// runEditor lets a person edit the content in a file, with the editor of the
// settings or the environment's, and gives what became of it.
func (p *program) runEditor(cmd *cobra.Command, editor, file string, line int, content []byte) ([]byte, error) {
	words, err := ui.EditorCommand(editor)
	if errors.Is(err, ui.ErrNoEditor) {
		words, err = []string{platformEditor()}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return nil, err
	}
	words = ui.EditorAt(words, file, line)
	run := exec.CommandContext(cmd.Context(), words[0], words[1:]...)
	run.Stdin, run.Stdout, run.Stderr = p.in, p.stdout, p.err
	// ^C is for the editor; were it to end memtrail too, both would read the keys.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	if err := run.Run(); err != nil {
		return nil, fmt.Errorf("editor %s: %w", words[0], err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, errors.New("the edited text is not UTF-8")
	}
	return text, nil
}

// platformEditor is the one that is there where nobody names one.
func platformEditor() string {
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "vi"
}

// overwriteAnyway asks what to do about a memory that changed meanwhile, where
// there is somebody to ask.
func (p *program) overwriteAnyway(path memfs.Path) bool {
	if !isTerminal(p.in) || !p.terminal {
		return false
	}
	fmt.Fprintf(p.err, "%s was changed by somebody else while you edited it.\n", p.safe(path.Tool()))
	fmt.Fprint(p.err, "Overwrite it with your text? Their version stays in its history. [y/N] ")
	answer, _ := bufio.NewReader(p.in).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(answer), "y")
}
