package editing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// externalJob is a memory that is edited in another program. The program gets a copy in a
// separate folder of the home: swap files and partial saves there can't become memories,
// and redactions find them.
type externalJob struct {
	path     memfs.Path
	original []byte
	hash     versions.Hash
	copy     *drafts.EditCopy
	file     string
	line     int
	command  string
	failed   error // the error of the program
}

// ErrNoEditor means that no external editor is configured.
var ErrNoEditor = errors.New("no editor is set: VISUAL or EDITOR names one")

// External opens a memory in the external editor.
func (r *Room) External(req screen.External) tea.Cmd {
	return r.writable(req.Path, func() tea.Cmd {
		return r.Leaving("edit "+req.Path.String(), func() tea.Cmd { return r.outside(req) })
	})
}

func (r *Room) outside(req screen.External) tea.Cmd {
	r.opening.Stop()
	ctx, store, command, last := r.env.Ctx, r.cfg.Store, r.cfg.Editor, r.last()
	return func() tea.Msg {
		j, err := prepare(ctx, store, req.Path, req.Line, command)
		return screen.Then(func() tea.Cmd {
			switch {
			case err != nil:
				return r.say("edit "+req.Path.String()+": "+err.Error(), true)
			case !last():
				return j.remove()
			}
			return r.run(j)
		})
	}
}

// prepare makes the copy for the other program.
func prepare(ctx context.Context, store Store, p memfs.Path, line int, command string) (*externalJob, error) {
	j := &externalJob{path: p, line: line}
	var err error
	if j.command, err = EditorCommand(command); err != nil {
		return nil, err
	}
	if j.original, err = readAll(ctx, store, p); err != nil {
		return nil, err
	}
	j.hash = sha256.Sum256(j.original)
	if j.copy, _, err = store.NewEditCopy(safeName(p.Base()), j.original); err != nil {
		return nil, err
	}
	j.file = j.copy.File()
	return j, nil
}

// EditorCommand returns the command of the external editor: the configured one, or VISUAL or
// EDITOR, or else ErrNoEditor.
func EditorCommand(configured string) (string, error) {
	for _, s := range []string{configured, os.Getenv("VISUAL"), os.Getenv("EDITOR")} {
		if strings.TrimSpace(s) != "" {
			return s, nil
		}
	}
	return "", ErrNoEditor
}

// EditorAt returns the words of the command that opens a file at a line, from 1, for editors that
// are known to support it; others open it at the beginning. As git does, it lets the shell read a
// command with more than a name: $HOME and ~ are expanded, and quotes are the shell's.
func EditorAt(command, file string, line int) []string {
	words, err := SplitCommand(command)
	if err != nil { // the shell says what is wrong with it
		words = strings.Fields(command)
	}
	args := editorArgs(words[0], file, line)
	switch {
	case runtime.GOOS == "windows":
		return append(words, args...)
	case strings.ContainsAny(command, shellSigns):
		return append([]string{"sh", "-c", command + ` "$@"`, command}, args...)
	}
	return append([]string{command}, args...)
}

// shellSigns mean something to a shell.
const shellSigns = "|&;<>()$`\\\"' \t\n*?[#~=%"

// editorArgs returns the arguments that open a file at a line.
func editorArgs(name, file string, line int) (args []string) {
	at := strconv.Itoa(max(line, 1))
	switch strings.TrimSuffix(filepath.Base(name), ".exe") {
	case "vi", "vim", "nvim", "gvim", "view", "nano", "pico", "emacs", "emacsclient", "kak", "micro", "joe", "jed", "ne", "mg", "gedit", "ex", "vis":
		return append(args, "+"+at, file)
	case "hx", "helix", "subl", "zed":
		return append(args, file+":"+at)
	case "code", "codium", "cursor":
		return append(args, "--wait", "--goto", file+":"+at)
	}
	return append(args, file)
}

// run gives the terminal to the editor until it ends.
func (r *Room) run(j *externalJob) tea.Cmd {
	words := EditorAt(j.command, j.file, j.line)
	cmd := exec.Command(words[0], words[1:]...)
	return r.env.Do(screen.Terminal{Do: terminal.Exec(cmd, func(err error) tea.Msg {
		return screen.Then(func() tea.Cmd { return r.external(j, err) })
	})})
}

// remove erases the copy: its text is in the store, or was not changed.
func (j *externalJob) remove() tea.Cmd {
	return func() tea.Msg {
		if err := j.copy.Remove(); err != nil {
			return screen.Notice{Text: "erase " + j.file + ": " + err.Error(), Bad: true}
		}
		return nil
	}
}

// external goes on after the other program has ended.
func (r *Room) external(j *externalJob, failed error) tea.Cmd {
	j.failed = failed
	return func() tea.Msg {
		content, err := j.copy.Read()
		return screen.Then(func() tea.Cmd { return r.externalRead(j, content, err) })
	}
}

// externalRead saves the edited copy.
func (r *Room) externalRead(j *externalJob, content []byte, err error) tea.Cmd {
	switch {
	case err != nil:
		return r.say("read "+j.file+": "+err.Error(), true)
	case bytes.Equal(content, j.original) && j.failed != nil:
		return tea.Batch(j.remove(), r.say("editor "+j.command+": "+j.failed.Error(), true))
	case bytes.Equal(content, j.original):
		return tea.Batch(j.remove(), r.say(j.path.String()+": not changed in the editor", false))
	case r.cfg.ReadOnly:
		return r.say("read-only: the text is kept in "+j.file, true)
	case j.failed != nil:
		return r.askFailed(j, content)
	}
	return r.saveExternal(j, content)
}

func (r *Room) saveExternal(j *externalJob, content []byte) tea.Cmd {
	return r.write(draft{job: j, content: content}, j.hash)
}

// askFailed asks what to do with the text after the program failed: it may be incomplete,
// or the person may have discarded it.
func (r *Room) askFailed(j *externalJob, content []byte) tea.Cmd {
	body := j.command + " ended with an error (" + j.failed.Error() + ") and left a text of " + j.path.String() + " that differs from what is saved."
	return r.env.Do(screen.Choose{Title: "not saved", Text: body, Options: []screen.Option{
		{Key: "s", Label: "save the text it left", Then: func() tea.Cmd { return r.saveExternal(j, content) }},
		{Key: "e", Label: "edit it again", Then: func() tea.Cmd { return r.run(j) }},
		{Key: "l", Label: "leave it in " + j.file, Then: func() tea.Cmd {
			return r.say(j.path.String()+": the text is kept in "+j.file, false)
		}},
	}})
}

// safeName returns a file name that is similar to another: editors use its extension, and
// the rest must be safe in shells.
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
