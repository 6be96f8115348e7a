package ui

import (
	"errors"
	"io/fs"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/config"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
)

// editSettings opens the settings file in the external editor. A file that does not exist is
// created first, with every setting commented out.
func (a *App) editSettings() tea.Cmd {
	file, configured, read := a.cfg.Settings, a.cfg.Editor, a.cfg.ReadSettings
	if file == "" {
		return a.say("this system has no folder for settings: --config FILE names a file", true)
	}
	failed := func(err error) tea.Msg { return screen.Notice{Text: "settings: " + err.Error(), Bad: true} }
	open := func() tea.Msg {
		command, err := editing.EditorCommand(configured)
		if err != nil {
			return failed(err)
		}
		if err := config.Init(file); err != nil && !errors.Is(err, fs.ErrExist) {
			return failed(err)
		}
		words := editing.EditorAt(command, file, 1)
		cmd := exec.Command(words[0], words[1:]...)
		return screen.Then(func() tea.Cmd {
			return a.out.Do(screen.Terminal{Do: terminal.Exec(cmd, func(err error) tea.Msg {
				if err != nil {
					return failed(err)
				}
				return screen.Then(func() tea.Cmd { return readSettings(file, read) })
			})})
		})
	}
	return tea.Sequence(a.editing.Flush(), open)
}

// readSettings reports whether the file can be used at the next start. The running program keeps
// the settings that it started with.
func readSettings(file string, read func() error) tea.Cmd {
	return func() tea.Msg {
		if err := read(); err != nil {
			return screen.Notice{Text: err.Error() + " · the settings of this session stay", Bad: true}
		}
		return screen.Notice{Text: file + " is without errors: it applies at the next start"}
	}
}
