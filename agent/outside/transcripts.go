package outside

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/versions/disk"
)

const maxTranscripts = 1 << 16 // of one project, subagents' included

// Transcript is the journal of a session or of a subagent in it.
type Transcript struct {
	File     string
	Session  string // "" if only the lines contain it: subagents of old versions
	Agent    string // the subagent's id; "" for the session itself
	Size     int64
	Modified time.Time
}

// Transcripts lists the transcripts of a project, subagents' included, the most recently written first.
// A missing folder has none.
func Transcripts(folder string) ([]Transcript, error) {
	l := lister{room: maxTranscripts}
	for _, session := range l.files(folder, "") {
		l.files(filepath.Join(folder, session, "subagents"), session)
	}
	return l.sorted()
}

// sessions is like Transcripts but does not search the folders of sessions.
func sessions(folder string) ([]Transcript, error) {
	l := lister{room: maxTranscripts}
	l.files(folder, "")
	return l.sorted()
}

// lister collects transcripts.
type lister struct {
	room   int
	out    []Transcript
	failed []error
}

func (l *lister) sorted() ([]Transcript, error) {
	slices.SortStableFunc(l.out, func(a, b Transcript) int { return b.Modified.Compare(a.Modified) })
	return l.out, errors.Join(l.failed...)
}

// files adds the transcripts in a folder, of a session's subagents if a session is given, and returns
// the names of its subfolders.
func (l *lister) files(folder, session string) (below []string) {
	entries, err := disk.ReadDir(folder, l.room)
	l.failed = append(l.failed, ignoreNotExist(err))
	l.room -= len(entries)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok {
			if e.IsDir() {
				below = append(below, e.Name())
			}
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		t := Transcript{File: filepath.Join(folder, e.Name()), Session: session, Size: info.Size(), Modified: info.ModTime()}
		if agent, is := strings.CutPrefix(name, "agent-"); is || session != "" {
			t.Agent = agent
		} else {
			t.Session = name
		}
		l.out = append(l.out, t)
	}
	return below
}
