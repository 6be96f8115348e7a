package outside

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
)

// Past reconstructs the contents of memories before their first scan from the transcripts of
// Claude Code.
type Past struct {
	Config string // Claude Code's folder
	Home   string // the folder that ~ means in a shell command
}

// Texts returns the texts that transcripts prove, in order for each memory. It reads the transcripts
// of projects near the store that were written since the time in asked.
func (p Past) Texts(ctx context.Context, store versions.StoreInfo, asked []versions.Unexplained, first bool) ([]versions.Recalled, error) {
	since := time.Time{}
	if !first {
		for i, a := range asked {
			if i == 0 || a.Since.Before(since) {
				since = a.Since
			}
		}
	}
	calls, err := p.collect(ctx, store, since)
	if err != nil {
		return nil, err
	}
	about := map[memfs.Path]versions.Unexplained{}
	for _, a := range asked {
		about[a.Path] = a
	}
	var paths []memfs.Path
	for path := range calls.of {
		if _, ok := about[path]; ok || first {
			paths = append(paths, path)
		}
	}
	if len(calls.ran) > 0 { // a shell command that names a folder may have written any of them
		for path := range about {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b memfs.Path) int { return strings.Compare(a.String(), b.String()) })
	var out []versions.Recalled
	for _, path := range slices.Compact(paths) {
		out = append(out, calls.chain(path, about[path])...)
	}
	return out, ctx.Err()
}

// Calls returns the calls that ended since a time, as evidence of the store.
func (p Past) Calls(ctx context.Context, store versions.StoreInfo, since time.Time) ([]versions.Evidence, error) {
	calls, err := p.collect(ctx, store, since)
	if err != nil {
		return nil, err
	}
	return calls.all, nil
}

// transcriptCalls holds the calls found in transcripts, in the order of their ends.
type transcriptCalls struct {
	all []versions.Evidence
	of  map[memfs.Path][]Call // calls that name a memory
	ran []shellCall
}

// shellCall is a shell command that names a path.
type shellCall struct {
	Call
	path memfs.Path
}

// collect collects the calls from the transcripts of the projects near a store.
func (p Past) collect(ctx context.Context, store versions.StoreInfo, since time.Time) (*transcriptCalls, error) {
	projects, _ := Projects(ctx, p.Config) // unreadable ones are unknown
	near := nearness{p.Config, []string{store.Folder}}
	var all []Transcript
	for _, project := range projects {
		if near.of(project) {
			in, _ := Transcripts(project.Folder)
			all = append(all, in...)
		}
	}
	// A transcript that continues another one repeats its calls: the older one counts.
	slices.SortStableFunc(all, func(a, b Transcript) int { return a.Modified.Compare(b.Modified) })
	out := &transcriptCalls{of: map[memfs.Path][]Call{}}
	in := Stores{All: []versions.StoreInfo{store}, Home: p.Home}
	known := map[string]bool{}
	for _, t := range all {
		if t.Modified.Before(since.Add(-ticks)) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, c := range callsIn(t, filepath.Base(store.Folder)) {
			if c.Failed || c.Ended.IsZero() || c.Ended.Before(since) || c.ToolUse != "" && known[c.ToolUse] {
				continue
			}
			known[c.ToolUse] = c.ToolUse != ""
			for _, placed := range in.Place(c) {
				out.all = append(out.all, placed.Evidence)
				if path := placed.Evidence.Path; c.Op == versions.CallRan {
					out.ran = append(out.ran, shellCall{c, path})
				} else if c.Op == versions.CallWrote || c.Op == versions.CallStarted {
					out.of[path] = append(out.of[path], c)
				}
			}
		}
	}
	slices.SortStableFunc(out.all, func(a, b versions.Evidence) int { return a.Ended.Compare(b.Ended) })
	for _, calls := range out.of {
		slices.SortStableFunc(calls, func(a, b Call) int { return a.Ended.Compare(b.Ended) })
	}
	return out, nil
}

// callsIn returns the calls of a transcript that may concern a folder with the given name. Most
// lines are long and contain no call; they are skipped by a substring search.
func callsIn(t Transcript, folder string) (out []Call) {
	r := Reader{Now: time.Now, Session: t.Session, Subagent: subagentOf(t)}
	name := []byte(folder)
	var last []byte
	_ = (&tail{file: t.File}).read(func(line []byte) { // unreadable parts are unknown
		if bytes.Contains(line, []byte(`"timestamp"`)) {
			last = append(last[:0], line...)
		}
		switch {
		case bytes.Contains(line, []byte(`"tool_use"`)) && bytes.Contains(line, name):
		case len(r.open.calls) > 0 && bytes.Contains(line, []byte(`"tool_use_id"`)):
		case bytes.Contains(line, []byte(`"instructions"`)) && bytes.Contains(line, []byte(indexName)):
		default:
			return
		}
		out = append(out, r.Line(line)...)
	})
	if ahead := clockAhead(t, last); ahead > ticks {
		for i := range out {
			if !out[i].Began.IsZero() {
				out[i].Began = out[i].Began.Add(-ahead)
			}
			out[i].Ended = out[i].Ended.Add(-ahead)
		}
	}
	return out
}

// clockAhead returns how far the clock of a transcript is ahead of the file system's: its last line
// can't have been written after the file was. A call with a time in the future would be later than
// every scan of a memory, and each scan would record it again.
func clockAhead(t Transcript, last []byte) time.Duration {
	var l lineHeader
	if json.Unmarshal(last, &l) != nil {
		return 0
	}
	at, err := time.Parse(time.RFC3339Nano, string(l.Timestamp))
	if err != nil {
		return 0
	}
	return at.Sub(t.Modified)
}

// subagentOf returns the type of the subagent that wrote a transcript, from the file beside it, or
// "" for the main agent.
func subagentOf(t Transcript) string {
	if t.Agent == "" {
		return ""
	}
	var about struct {
		Kind string `json:"agentType"`
	}
	if f, err := disk.OpenRegular(strings.TrimSuffix(t.File, ".jsonl") + ".meta.json"); err == nil {
		_ = json.NewDecoder(io.LimitReader(f, headBytes)).Decode(&about)
		_ = f.Close()
	}
	return about.Kind
}

const (
	clocks = 50 * time.Millisecond // maximum difference between the clocks of the file system and a transcript
	ticks  = 2 * time.Second       // maximum resolution of file times, that of FAT
)

// chain returns the texts of one memory that its calls prove. A call reports the file's content
// before it: if that is not what the previous call left, somebody else wrote it. Calls with an
// unknown result count if the next known text is what they make of the last one.
func (t *transcriptCalls) chain(path memfs.Path, a versions.Unexplained) []versions.Recalled {
	c := chain{path: path}
	if a.Held != nil {
		if b, known := a.Held(); known {
			c.now = fileState{known: true, text: string(b)}
		}
	}
	var disk []byte
	var at time.Time
	if a.Holds != nil {
		disk, at = a.Holds()
	}
	c.crlf = strings.Contains(string(disk), "\r\n") || strings.Contains(c.now.text, "\r\n")
	c.now.text = plainEnds(c.now.text)
	for _, call := range t.of[path] {
		if !call.Ended.After(a.Since) {
			continue
		}
		if call.Op == versions.CallStarted || call.After == nil {
			c.waiting = append(c.waiting, call)
			continue
		}
		c.before(call)
		c.add(*call.After, call, call.Ended)
	}
	if disk != nil && !(c.now.known && !c.now.gone && c.now.text == plainEnds(string(disk))) {
		c.last(plainEnds(string(disk)), at, t.ran)
	}
	for i := range c.out {
		if c.crlf && !c.out[i].Deleted {
			c.out[i].Text = bytes.ReplaceAll(c.out[i].Text, []byte("\n"), []byte("\r\n"))
		}
	}
	if n := len(c.out); n > 0 && disk != nil && plainEnds(string(disk)) == plainEnds(string(c.out[n-1].Text)) {
		c.out[n-1].Text = disk // with its original line ends
	}
	return c.out
}

// plainEnds returns a text with "\n" line ends.
func plainEnds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// fileState is the content of a file.
type fileState struct {
	known, gone bool
	text        string
}

// chain collects the contents that a memory had.
type chain struct {
	path    memfs.Path
	crlf    bool
	now     fileState
	waiting []Call // calls since then whose results are unknown
	out     []versions.Recalled
}

func (c *chain) add(text string, by Call, at time.Time) {
	c.put(versions.Recalled{Text: []byte(text), By: byOf(by)}, at)
	c.now, c.waiting = fileState{known: true, text: text}, nil
}

func byOf(c Call) versions.By {
	if c.Session == "" || c.Agent == "" {
		return versions.By{}
	}
	return versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: c.Who()}, Session: versions.SessionID(c.Session), ToolUse: c.ToolUse}
}

// put appends a text that is later than the previous one.
func (c *chain) put(r versions.Recalled, at time.Time) {
	if n := len(c.out); n > 0 && !at.After(c.out[n-1].At) {
		at = c.out[n-1].At.Add(time.Microsecond)
	}
	r.Path, r.At = c.path, at
	c.out = append(c.out, r)
}

// before updates the known content with what a call reports from before it.
func (c *chain) before(call Call) {
	began := cmp.Or(call.Began, call.Ended).Add(-time.Microsecond)
	switch {
	case call.Created && c.now.known && !c.now.gone: // somebody had deleted it
		c.put(versions.Recalled{Deleted: true}, began)
		c.now, c.waiting = fileState{known: true, gone: true}, nil
	case call.Before == nil, c.now.known && !c.now.gone && c.now.text == *call.Before:
	default:
		if by, ok := c.explained(*call.Before); ok {
			c.add(*call.Before, by, by.Ended)
			return
		}
		c.add(*call.Before, Call{}, began)
	}
}

// explained returns the call that produced a text, if only one run made calls since the last known
// text and they produce it from that.
func (c *chain) explained(text string) (by Call, ok bool) {
	made, known := c.now.text, c.now.known
	for i, w := range c.waiting {
		if w.Op != versions.CallWrote || i > 0 && w.Session != by.Session {
			return by, false
		}
		by = w
		if w.input == nil {
			return by, false
		}
		switch {
		case w.Tool == "Write" && w.input.Content != nil:
			made, known = *w.input.Content, true
		case w.Tool == "Edit" && known:
			next := edited(&made, []oneEdit{{w.input.OldString, w.input.NewString, w.input.ReplaceAll}})
			if next == nil {
				return by, false
			}
			made = *next
		default:
			return by, false
		}
	}
	return by, len(c.waiting) > 0 && known && unstamped(made) == unstamped(text)
}

// last appends the current content of the file if calls with unknown results, or shell commands,
// explain it.
func (c *chain) last(text string, at time.Time, ran []shellCall) {
	if by, ok := c.explained(text); ok {
		c.add(text, by, by.Ended)
		return
	}
	var by []Call
	take := func(w Call) {
		if !w.Began.IsZero() && !at.Before(w.Began.Add(-clocks)) && !at.After(w.Ended.Add(clocks)) {
			by = append(by, w)
		}
	}
	for _, w := range c.waiting {
		if w.Op != versions.CallStarted || (!c.now.known || c.now.gone) && w.After != nil && *w.After == text {
			take(w)
		}
	}
	for _, w := range ran {
		if c.path.In(w.path) {
			take(w.Call)
		}
	}
	if who, ok := common(by); ok {
		c.add(text, who, at)
	}
}

// common returns what calls have in common that may each have written a text: without the id of the call if there are
// several. ok is false if they are of several agents or sessions.
func common(calls []Call) (by Call, ok bool) {
	for i, c := range calls {
		switch {
		case i == 0:
			by = c
		case c.Session != by.Session || c.Who() != by.Who():
			return Call{}, false
		case c.ToolUse != by.ToolUse: // one command may name several paths
			by.ToolUse = ""
		}
	}
	return by, by.Session != ""
}

// unstamped returns a text without what Claude Code adds to the frontmatter of a memory, for
// comparison.
func unstamped(text string) string {
	head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !strings.HasPrefix(text, "---\n") || !ok {
		return text
	}
	var lines []string
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch key {
		case "metadata", "node_type", "originSessionId", "modified":
		default:
			lines = append(lines, key+":"+strings.Trim(strings.TrimSpace(value), `"'`))
		}
	}
	return strings.Join(lines, "\n") + "\n---\n" + strings.TrimSpace(body)
}
