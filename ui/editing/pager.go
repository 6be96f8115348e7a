package editing

import (
	"errors"
	"io"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
)

// Pager shows a file in the pager. The pager reads it as its input: the file is opened as every
// other of the store, and its name is no argument.
func (r *Room) Pager(p memfs.Path) tea.Cmd {
	ctx, store := r.env.Ctx, r.cfg.Store
	failed := func(err error) tea.Cmd { return r.say("show "+p.String()+": "+err.Error(), true) }
	return func() tea.Msg {
		command, err := pagerCommand(os.Getenv, exec.LookPath)
		if err != nil {
			return screen.Then(func() tea.Cmd { return failed(err) })
		}
		f, err := store.Open(ctx, p)
		if err != nil {
			return screen.Then(func() tea.Cmd { return failed(err) })
		}
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stdin = io.NewSectionReader(f, 0, f.Size())
		return screen.Then(func() tea.Cmd {
			return r.env.Do(screen.Terminal{Do: terminal.Exec(cmd, func(err error) tea.Msg {
				f.Close()
				return screen.Then(func() tea.Cmd {
					if err != nil {
						return failed(err)
					}
					return nil
				})
			})})
		})
	}
}

// pagerCommand returns the pager with its arguments: the configured one, or else less, which shows control
// characters instead of sending them to the terminal. more sends them, and so does cat, which stands for no pager.
func pagerCommand(getenv func(string) string, look func(string) (string, error)) ([]string, error) {
	for _, name := range []string{"MEMEND_PAGER", "PAGER"} {
		if words, err := SplitCommand(getenv(name)); err == nil && len(words) > 0 && words[0] != "cat" {
			return words, nil
		}
	}
	if _, err := look("less"); err != nil {
		return nil, errors.New("there is no less: name a pager in $PAGER")
	}
	return []string{"less"}, nil
}
