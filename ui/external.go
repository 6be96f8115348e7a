package ui

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// externalJob is a memory that is edited in another program. The program gets a
// copy in a folder of its own in the home: what it writes there while it works (swap
// files, half of a save) is no memory's business, and redactions find it.
type externalJob struct {
	path     memfs.Path
	original []byte
	hash     versions.Hash
	copy     *drafts.EditCopy
	file     string
	line     int
	command  []string
	failed   error // how the program ended
}

// externalReadyMsg says that the copy is made.
type externalReadyMsg struct {
	job *externalJob
	err error
}

// externalReadMsg brings what the other program made of the copy.
type externalReadMsg struct {
	job     *externalJob
	content []byte
	err     error
}

// ErrNoEditor says that no external editor is known.
var ErrNoEditor = errors.New("no editor is set: VISUAL or EDITOR names one")

func prepareExternal(ctx context.Context, store Store, p memfs.Path, line int, command string) tea.Cmd {
	return func() tea.Msg {
		j := &externalJob{path: p, line: line}
		var err error
		if j.command, err = EditorCommand(command); err != nil {
			return externalReadyMsg{j, err}
		}
		if j.original, err = readAll(ctx, store, p); err != nil {
			return externalReadyMsg{j, err}
		}
		j.hash = sha256.Sum256(j.original)
		if j.copy, _, err = store.NewEditCopy(safeName(p.Base()), j.original); err == nil {
			j.file = j.copy.File()
		}
		return externalReadyMsg{j, err}
	}
}

// EditorCommand is the external editor with its arguments: what was configured,
// else what VISUAL or EDITOR says; ErrNoEditor where nobody says.
func EditorCommand(configured string) ([]string, error) {
	for _, s := range []string{configured, os.Getenv("VISUAL"), os.Getenv("EDITOR")} {
		if strings.TrimSpace(s) == "" {
			continue
		}
		return SplitCommand(s)
	}
	return nil, ErrNoEditor
}

// EditorAt is the command that opens a file at a line, from 1, for the editors
// whose way of saying so is known; the others open it at its beginning.
func EditorAt(command []string, file string, line int) []string {
	args := append([]string{}, command...)
	at := strconv.Itoa(max(line, 1))
	switch strings.TrimSuffix(filepath.Base(command[0]), ".exe") {
	case "vi", "vim", "nvim", "gvim", "view", "nano", "pico", "emacs", "emacsclient", "kak", "micro", "joe", "jed", "ne", "mg", "gedit", "ex", "vis":
		return append(args, "+"+at, file)
	case "hx", "helix", "subl", "zed":
		return append(args, file+":"+at)
	case "code", "codium", "cursor":
		return append(args, "--wait", "--goto", file+":"+at)
	}
	return append(args, file)
}

// run hands the terminal to the editor until it ends.
func (j *externalJob) run() tea.Cmd {
	words := EditorAt(j.command, j.file, j.line)
	cmd := exec.Command(words[0], words[1:]...)
	return terminal.Exec(cmd, func(err error) tea.Msg { return externalDoneMsg{j, err} })
}

// again opens the editor once more on the same copy.
func (j *externalJob) again() tea.Cmd { return j.run() }

// read brings the copy back.
func (j *externalJob) read() tea.Cmd {
	return func() tea.Msg {
		content, err := j.copy.Read()
		return externalReadMsg{j, content, err}
	}
}

// remove erases the copy: its text is in the store, or is what was there before.
func (j *externalJob) remove() tea.Cmd {
	return func() tea.Msg {
		if err := j.copy.Remove(); err != nil {
			return screen.Notice{Text: "erase " + j.file + ": " + err.Error(), Bad: true}
		}
		return nil
	}
}

// external goes on when the other program has ended.
func (a *App) external(msg externalDoneMsg) tea.Cmd {
	msg.job.failed = msg.err
	return msg.job.read()
}

func (a *App) externalRead(msg externalReadMsg) tea.Cmd {
	j := msg.job
	switch {
	case msg.err != nil:
		return a.say("read "+j.file+": "+msg.err.Error(), true)
	case bytes.Equal(msg.content, j.original) && j.failed != nil:
		return tea.Batch(j.remove(), a.say("editor "+j.command[0]+": "+j.failed.Error(), true))
	case bytes.Equal(msg.content, j.original):
		return tea.Batch(j.remove(), a.say(j.path.String()+": not changed in the editor", false))
	case a.cfg.ReadOnly:
		return a.say("read-only: the text is kept in "+j.file, true)
	case j.failed != nil:
		a.askFailed(j, msg.content)
		return nil
	}
	return a.saveExternal(j, msg.content)
}

func (a *App) saveExternal(j *externalJob, content []byte) tea.Cmd {
	return a.write(0, draft{path: j.path, content: content, job: j}, j.hash)
}

// askFailed asks what to do with the text of a program that ended with an error: it
// may be half of a text, or one that the person had given up.
func (a *App) askFailed(j *externalJob, content []byte) {
	body := j.command[0] + " ended with an error (" + j.failed.Error() + ") and left a text of " + j.path.String() + " that differs from what is saved."
	a.show(&dialog.Choice{Name: "not saved", Body: body, Cur: 2, Options: []screen.Option{
		{Key: "s", Label: "save the text it left", Then: func() tea.Cmd { return a.saveExternal(j, content) }},
		{Key: "e", Label: "edit it again", Then: j.again},
		{Key: "l", Label: "leave it in " + j.file, Then: func() tea.Cmd {
			return a.say(j.path.String()+": the text is kept in "+j.file, false)
		}},
	}})
}

// safeName is a name for a file of ours that keeps the look of another: editors
// go by its ending, and shells should not trip over the rest.
func safeName(name string) string {
	out := []byte{}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-' {
			out = append(out, c)
		} else if len(out) > 0 && out[len(out)-1] != '_' {
			out = append(out, '_')
		}
	}
	s := strings.TrimLeft(string(out), ".-_")
	if len(s) > 100 {
		s = s[len(s)-100:]
	}
	if s == "" {
		return "memory.txt"
	}
	return s
}
