package outside

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/memend/memend/versions/disk"
)

// ClaudeCode is the name of the agent whose transcripts and hooks are read; it uses the same
// name as an MCP client.
const ClaudeCode = "claude-code"

// Following selects the transcripts of Claude Code to follow.
type Following struct {
	Config string // Claude Code's folder
	// Folders returns the folders of stores: only projects whose agents may touch one are followed.
	Folders func() []string
	Now     func() time.Time
	// Poll is the interval of polling where the system does not report changes; 0 means two
	// seconds.
	Poll time.Duration
}

const (
	lookback   = 2 * time.Second // calls that ended earlier were reported already or are ignored
	batchDelay = 20 * time.Millisecond
	newFile    = 10 * time.Minute // a transcript written within this time may be active: its open calls are read
	backRead   = 1 << 20          // bytes at its end that are read for them
	listing    = time.Minute      // interval of listing the transcripts
	polling    = 2 * time.Second
)

// Follow reads what sessions of Claude Code append to their transcripts and passes the calls that
// end from now on to emit, until ctx ends. It ignores older entries. It never writes, and retries
// what it can't read.
func Follow(ctx context.Context, f Following, emit func([]Call)) {
	w := &follower{f: f, emit: emit, since: f.Now().Add(-lookback), tails: map[string]*followed{}, watched: map[string]bool{}, ours: map[string]bool{}}
	if w.f.Poll == 0 {
		w.f.Poll = polling
	}
	if fs, err := disk.NewWatch(); err == nil {
		w.fs = fs
		defer func() { _ = fs.Close() }()
	}
	w.list(ctx, true)
	w.read("")
	w.run(ctx)
}

type follower struct {
	f       Following
	emit    func([]Call)
	since   time.Time
	fs      *disk.Watch // nil: no notifications, only polling
	tails   map[string]*followed
	watched map[string]bool
	ours    map[string]bool // folders of followed projects
	known   []Project       // the projects found last
	asOf    string          // the state of the folder of projects at that time
}

// followed is a transcript and its calls that wait for results.
type followed struct {
	tail
	reader Reader
}

// run waits for notifications, and also polls at intervals because some may be lost.
func (w *follower) run(ctx context.Context) {
	every := listing
	if w.fs == nil {
		every = w.f.Poll
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	changed, relist := map[string]bool{}, false
	for {
		var events chan fsnotify.Event
		var lost <-chan struct{}
		if w.fs != nil {
			events, lost = w.fs.Events, w.fs.Lost
		}
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if len(changed) == 0 && !relist {
				due.Reset(batchDelay)
			}
			switch {
			case strings.HasSuffix(e.Name, ".jsonl"):
				changed[e.Name] = true
			case e.Has(fsnotify.Remove), e.Has(fsnotify.Rename):
				delete(w.watched, e.Name)
			case e.Has(fsnotify.Create):
				relist = true
			}
		case <-lost:
			relist = true
			due.Reset(batchDelay)
		case <-tick.C:
			w.list(ctx, false)
			w.read("")
		case <-due.C:
			if relist {
				w.list(ctx, false)
				w.read("")
			}
			for file := range changed {
				w.read(file)
			}
			clear(changed)
			relist = false
		}
	}
}

// list finds the transcripts to follow. Those of the first listing are followed from their ends,
// later ones from their beginnings.
func (w *follower) list(ctx context.Context, first bool) {
	w.watch(w.f.Config) // projects may appear in it
	w.watch(filepath.Join(w.f.Config, "projects"))
	for _, p := range w.projects(ctx) {
		if !w.near(p) {
			continue
		}
		w.watch(p.Folder)
		w.ours[p.Folder] = true
		all, _ := Transcripts(p.Folder)
		for _, t := range all {
			if t.Session != "" && t.Agent == "" && w.f.Now().Sub(t.Modified) < listing+newFile { // subagents may start
				w.watch(filepath.Join(p.Folder, t.Session))
			}
			w.watch(filepath.Dir(t.File))
			w.add(t, first)
		}
	}
}

// projects returns all projects. Determining their paths costs reads in each, so that is repeated
// only when a project appeared, or one whose path is unknown has changed.
func (w *follower) projects(ctx context.Context) []Project {
	top := filepath.Join(w.f.Config, "projects")
	names, _ := folders(top, maxProjects)
	asOf := strings.Join(names, "/")
	for _, p := range w.known {
		if p.Path == "" {
			if info, err := os.Stat(p.Folder); err == nil {
				asOf += info.ModTime().String()
			}
		}
	}
	if asOf != w.asOf || w.known == nil {
		w.known, _ = Projects(ctx, w.f.Config)
		w.asOf = asOf
	}
	return w.known
}

// watch subscribes to the notifications of a folder. A missing one is retried.
func (w *follower) watch(folder string) {
	if w.fs == nil || w.watched[folder] {
		return
	}
	if w.fs.Add(folder) == nil {
		w.watched[folder] = true
	}
}

func (w *follower) add(t Transcript, first bool) {
	if w.tails[t.File] != nil {
		return
	}
	x := &followed{reader: Reader{Now: w.f.Now, Session: t.Session, Subagent: subagentOf(t)}}
	switch {
	case !first:
		x.tail = tail{file: t.File}
	case w.f.Now().Sub(t.Modified) < newFile:
		x.tail = *tailFrom(t.File, backRead)
	default:
		x.tail = *tailFrom(t.File, 0)
	}
	w.tails[t.File] = x
}

// read reports what is new in a transcript, or in all.
func (w *follower) read(file string) {
	if file == "" {
		for file := range w.tails {
			w.read(file)
		}
		return
	}
	x := w.tails[file]
	if x == nil {
		w.found(file)
		return
	}
	if since := w.f.Now().Add(-lookback); since.Before(w.since) { // the clock was set back
		w.since = since
	}
	var calls []Call
	_ = x.tail.read(func(line []byte) { // what can't be read now is retried
		for _, c := range x.reader.Line(line) {
			if !c.Ended.Before(w.since) {
				calls = append(calls, c)
			}
		}
	})
	if len(calls) > 0 {
		w.emit(calls)
	}
}

// found starts to follow a transcript that appeared in a watched folder.
func (w *follower) found(file string) {
	dir, project, session := filepath.Dir(file), filepath.Dir(file), ""
	if filepath.Base(dir) == "subagents" {
		session = filepath.Base(filepath.Dir(dir))
		project = filepath.Dir(filepath.Dir(dir))
	}
	if !w.ours[project] {
		return
	}
	l := lister{room: maxTranscripts}
	l.files(dir, session)
	for _, t := range l.out {
		w.add(t, false)
	}
	if w.tails[file] != nil {
		w.read(file)
	}
}

func (w *follower) near(p Project) bool { return nearness{w.f.Config, w.f.Folders()}.of(p) }

// nearness decides which projects' agents may touch the folders of stores.
type nearness struct {
	config  string
	folders []string
}

// of reports whether the agents of a project may touch a store: the store's folder is the
// project's, one contains the other, or all projects share it.
func (n nearness) of(p Project) bool {
	folder := resolved(p.Folder)
	path := p.Path
	if path != "" {
		path = resolved(path)
	}
	config, projects := resolved(n.config), resolved(filepath.Join(n.config, "projects"))
	for _, store := range n.folders {
		switch {
		case within(store, folder), within(folder, store):
			return true
		case path != "" && (within(store, path) || within(path, store)):
			return true
		case within(store, config) && !within(store, projects): // of agents that work in any project
			return true
		}
	}
	return false
}
