package versions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/versions/disk"
)

// An agent's hook knows the session of a call before the call is made. It writes a note, and the
// MCP server that receives the call finds the note by the id of the tool use. Each note is its own
// file in the folder calls, so it needs no lock: a hook must not wait. Its name is a hash of the
// id, because the id may be any text.
//
// A note needs no more trust than the rest of the home: whoever can write a file there is the same
// user, and can change the trail as well. Redactions erase all notes.
const (
	noteEnd  = ".note"
	maxNotes = 256 // when there are more, the older half is removed
)

// NoteCall stores the agent and the session of a call in a home, until newer notes replace it. The
// note is atomic but not durable: after a system crash, a call may be recorded without its note.
func NoteCall(home string, by By) error {
	if by.ToolUse == "" || by.Session == "" || !sane(by.ToolUse) || !sane(string(by.Session)) || !sane(by.Actor.Name) {
		return fmt.Errorf("%w: a note of a call needs the ids of its session and its tool use", ErrInvalid)
	}
	b, err := json.Marshal(spooled{Agent: by.Actor.Name, Session: by.Session, ToolUse: by.ToolUse})
	if err != nil {
		return err
	}
	dir, err := callsFolder(home)
	if err == nil {
		err = writeCall(dir, noteName(by.ToolUse), b)
	}
	if err == nil {
		err = pruneNotes(dir)
	}
	if err != nil {
		return fmt.Errorf("note the session of a call: %w", disk.Bare(err))
	}
	return nil
}

// NotedCall returns the agent and the session that a hook noted for a call. It returns false when
// there is no readable note.
func (t *Trail) NotedCall(toolUse string) (By, bool) {
	if toolUse == "" {
		return By{}, false
	}
	b, err := os.ReadFile(filepath.Join(t.home, spoolFolder, noteName(toolUse)))
	var x spooled
	if err != nil || json.Unmarshal(b, &x) != nil || x.ToolUse != toolUse {
		return By{}, false
	}
	return By{Actor: Actor{Kind: Agent, Name: x.Agent}, Session: x.Session, ToolUse: x.ToolUse}, x.Session != ""
}

func noteName(toolUse string) string {
	sum := sha256.Sum256([]byte(toolUse))
	return hex.EncodeToString(sum[:16]) + noteEnd
}

// pruneNotes removes the older half of the notes when there are too many. Several processes may
// call it at once.
func pruneNotes(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type note struct {
		name    string
		written time.Time
	}
	var notes []note
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), noteEnd) })
	if len(entries) <= maxNotes {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			notes = append(notes, note{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(notes, func(a, b note) int { return a.written.Compare(b.written) })
	for _, n := range notes[:max(0, len(notes)-maxNotes/2)] {
		if err := os.Remove(filepath.Join(dir, n.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
