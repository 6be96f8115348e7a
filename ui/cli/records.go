package cli

import (
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// This file defines what --json prints, in the terms of the memory-stores API where it has
// them.

// authorJSON says who made a change, when and how.
type authorJSON struct {
	By        *versions.Actor `json:"created_by,omitempty"`
	SessionID string          `json:"session_id,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Turn      int             `json:"turn,omitempty"`
	Door      string          `json:"door,omitempty"`
	TakenIn   []string        `json:"taken_in,omitempty"`
	Inferred  bool            `json:"inferred,omitempty"` // actor, session and tool use are inferred
	CreatedAt stamp           `json:"created_at,omitzero"`
}

func authorOf(v versions.Version) authorJSON {
	return authorJSON{&v.Actor, string(v.Session), v.ToolUse, v.Turn, doorName(v.Door), inputsOf(v.Inputs), v.Inferred, stamp(v.Time)}
}

// doorName names a door; it is empty for a change that was found in the folder, and if it is not known.
func doorName(d versions.Door) string {
	if d == versions.NoDoor || d == versions.DoorOutside {
		return ""
	}
	return d.String()
}

type entryJSON struct {
	Kind      string          `json:"kind"`
	Path      string          `json:"path,omitempty"`
	ID        string          `json:"id,omitempty"`
	VersionID string          `json:"memory_version_id,omitempty"`
	Change    int64           `json:"change,omitempty"`
	By        *versions.Actor `json:"updated_by,omitempty"`
	UpdatedAt stamp           `json:"updated_at,omitzero"`
	Size      int64           `json:"content_size_bytes"`
	SHA256    string          `json:"content_sha256,omitempty"`
	Binary    bool            `json:"binary,omitempty"`
	Hidden    int             `json:"hidden_characters,omitempty"`
	Target    string          `json:"target,omitempty"`
	Why       string          `json:"why,omitempty"`
	Redacted  stamp           `json:"redacted_at,omitzero"`
}

func entryOf(e versions.Entry) entryJSON {
	j := entryJSON{Kind: e.Kind.String(), Path: e.Path.Tool(), ID: string(e.Memory), VersionID: string(e.Version), Change: e.Change,
		Size: e.Size, Binary: e.Binary, Hidden: e.Hidden}
	switch e.Kind {
	case versions.LinkEntry:
		j.Target = e.Note
	case versions.Unreadable, versions.Memory:
		j.Why = e.Note
	}
	j.UpdatedAt = stamp(e.Time)
	if e.Kind == versions.Memory {
		j.By = &e.Actor
		j.SHA256 = e.SHA256.String()
	}
	if e.Redacted != nil {
		j.Path, j.SHA256, j.Redacted = "", "", stamp(*e.Redacted)
	}
	return j
}

// commitJSON holds the text of the commit that a change was imported from.
type commitJSON struct {
	Subject string `json:"subject,omitempty"`
	Message string `json:"message,omitempty"` // only when a single change is shown
	Email   string `json:"author_email,omitempty"`
}

type versionJSON struct {
	ID        string `json:"id"`
	MemoryID  string `json:"memory_id"`
	Number    int    `json:"number"`
	Change    int64  `json:"change"`
	Operation string `json:"operation"`
	Path      string `json:"path,omitempty"`
	From      string `json:"from_path,omitempty"`
	authorJSON
	Size       int64           `json:"content_size_bytes"`
	SHA256     string          `json:"content_sha256,omitempty"`
	Added      *int            `json:"lines_added,omitempty"`
	Removed    *int            `json:"lines_removed,omitempty"`
	RedactedAt stamp           `json:"redacted_at,omitzero"`
	RedactedBy *versions.Actor `json:"redacted_by,omitempty"`
	Damaged    bool            `json:"content_damaged,omitempty"`
	CopiedFrom *acrossJSON     `json:"copied_from,omitempty"`
	MergedFrom *acrossJSON     `json:"merged_from,omitempty"`
	MovedTo    *acrossJSON     `json:"moved_to,omitempty"`
	commitJSON
	linesJSON
	textJSON
}

func versionOf(v versions.Version) versionJSON {
	j := versionJSON{commitJSON: commitJSON{Subject: v.Subject}, ID: string(v.ID), MemoryID: string(v.Memory), Number: v.Number, Change: v.Change, Operation: string(v.Operation),
		authorJSON: authorOf(v), Size: v.Size, Added: &v.Added, Removed: &v.Removed}
	if !v.Redacted.IsZero() {
		j.RedactedAt, j.RedactedBy = stamp(v.Redacted), &v.RedactedBy
		return j
	}
	j.Path = v.Path.Tool()
	if v.Renamed() {
		j.From = v.From.Tool()
	}
	if v.Operation != versions.Deleted && v.SHA256 != (versions.Hash{}) {
		j.SHA256 = v.SHA256.String()
	}
	j.Damaged = v.Damaged
	switch across := acrossOf(v.Across); v.Operation {
	case versions.Deleted:
		j.MovedTo = across
	case versions.Created:
		j.CopiedFrom = across
	default:
		j.MergedFrom = across
	}
	return j
}

// acrossJSON is a version in another store.
type acrossJSON struct {
	hitStoreJSON
	VersionID string `json:"memory_version_id"`
	Number    int    `json:"number"`
	Path      string `json:"path,omitempty"`
}

func acrossOf(a *versions.Across) *acrossJSON {
	if a == nil {
		return nil
	}
	j := &acrossJSON{hitStoreJSON: hitStoreJSON{string(a.Store), a.Name}, VersionID: string(a.Version), Number: a.Number}
	if !a.Path.IsRoot() {
		j.Path = a.Path.Tool()
	}
	return j
}

// acrossText says where a version of another store is: STORE:PATH@N.
func acrossText(p *console, a *versions.Across) string {
	path := "a redacted path"
	if !a.Path.IsRoot() {
		path = a.Path.Tool()
	}
	return p.safe(fmt.Sprintf("%s:%s@%d", a.Name, path, a.Number))
}

// across says that a memory came from another store or went there, or that one of there was merged into it.
func across(p *console, v versions.Version) string {
	switch {
	case v.Across == nil:
		return ""
	case v.Operation == versions.Deleted && v.Across.Number > 1: // a memory that moved is new there
		return "  (merged into " + acrossText(p, v.Across) + ")"
	case v.Operation == versions.Deleted:
		return "  (moved to " + acrossText(p, v.Across) + ")"
	case v.Operation == versions.Modified:
		return "  (merged with " + acrossText(p, v.Across) + ")"
	}
	return "  (from " + acrossText(p, v.Across) + ")"
}

// uncounted removes the line counts from a version for which they are unknown.
func uncounted(j versionJSON) versionJSON {
	j.Added, j.Removed = nil, nil
	return j
}

type changeJSON struct {
	Change     int64            `json:"change"`         // 0: nothing had to be changed
	Kind       string           `json:"kind,omitempty"` // what was asked for; nothing was for what another program wrote
	Path       string           `json:"path,omitempty"`
	To         string           `json:"to_path,omitempty"`
	Count      int              `json:"versions"`
	Operation  string           `json:"operation,omitempty"`  // of all its versions; absent if they differ
	Operations *versions.Effect `json:"operations,omitempty"` // how many versions each operation made, if they differ
	authorJSON
	Undoes   int64  `json:"undoes,omitempty"`
	UndoesOf string `json:"undoes_session_id,omitempty"`
	UndoneBy int64  `json:"undone_by,omitempty"`
	commitJSON
	Links    []linkJSON    `json:"links,omitempty"`
	Versions []versionJSON `json:"memory_versions,omitempty"`
}

// linkJSON is what another program did to a link.
type linkJSON struct {
	Path string `json:"path"`
	Was  string `json:"target_before,omitempty"`
	Now  string `json:"target,omitempty"`
}

func changeOf(c versions.Change) changeJSON {
	if c.Number == 0 {
		return changeJSON{}
	}
	j := changeJSON{commitJSON: commitJSON{Subject: c.Subject, Email: c.Email}, Change: c.Number, Kind: string(c.Kind), Path: c.Path.Tool(), Count: c.Versions,
		authorJSON: authorJSON{&c.Actor, string(c.Session), c.ToolUse, c.Turn, doorName(c.Door), inputsOf(c.Inputs), c.Inferred, stamp(c.Time)}, Undoes: c.Undoes, UndoesOf: string(c.Of), UndoneBy: c.UndoneBy}
	for _, l := range c.Links {
		j.Links = append(j.Links, linkJSON{l.Path.Tool(), l.Was, l.Now})
	}
	if c.Kind == versions.KindAdopt {
		j.Kind = ""
	}
	switch {
	case c.Versions == 1 && c.Effect.Redacted == 1: // its path is erased
		j.Path = ""
	case c.Kind == versions.KindRename:
		j.To = c.To.Tool()
	}
	if j.Operation = operationOf(c.Effect); j.Operation == "" && c.Effect != (versions.Effect{}) {
		j.Operations = &c.Effect
	}
	return j
}

// operationOf returns the operation of all versions of a change; empty if they differ.
func operationOf(e versions.Effect) string {
	all := e.Found + e.Created + e.Edited + e.Renamed + e.Deleted
	for _, op := range []struct {
		n    int
		name string
	}{{e.Found, "found"}, {e.Created, "created"}, {e.Edited, "modified"}, {e.Renamed, "renamed"}, {e.Deleted, "deleted"}} {
		if op.n > 0 && op.n == all {
			return op.name
		}
	}
	return ""
}

// describeChange describes a change in one line.
func describeChange(p *console, c versions.Change) string {
	return describeChangeWith(p, c, p.toolPath)
}

// describeChangeIn describes a change within a number of columns; long paths lose their middle.
func describeChangeIn(p *console, c versions.Change, room int) string {
	description := describeChange(p, c)
	over := text.Width(description) - room
	if !p.terminal || over <= 0 {
		return description
	}
	return describeChangeWith(p, c, func(path memfs.Path) string {
		s := p.toolPath(path)
		cut := over
		if c.Kind == versions.KindRename || c.Effect.From != memfs.Root {
			cut = (over + 1) / 2 // shorten the other path by as much
		}
		return p.shortenPath(s, text.Width(s)-cut)
	})
}

func (p *console) toolPath(path memfs.Path) string { return p.safe(path.Tool()) }

func describeChangeWith(p *console, c versions.Change, shown func(memfs.Path) string) string {
	return wording.Sentence(c, wording.Notation{Path: shown, Text: p.safe, Arrow: " to ",
		Change:  func(n int64) string { return fmt.Sprintf("change %d", n) },
		Session: func(s versions.SessionID) string { return "session " + p.safe(string(s)) }})
}

// reportChange reports a change and how to undo it.
func reportChange(p *console, c versions.Change) {
	switch {
	case p.json:
		p.emit(changeOf(c))
		return
	case c.Number == 0:
		p.println("nothing to change")
		return
	}
	back := fmt.Sprintf("`memend undo %d` undoes it", c.Number)
	if c.Kind == versions.KindUndo && c.Undoes > 0 {
		back = fmt.Sprintf("`memend redo %d` redoes it", c.Undoes)
	}
	p.println("change %d: %s; %s", c.Number, describeChange(p, c), p.hintText(back))
}
