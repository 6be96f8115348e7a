package cli

import "github.com/memend/memend/versions"

// digestJSON is a digest with what its text form says.
type digestJSON struct {
	StoreID   string                `json:"memory_store_id"`
	Since     stamp                 `json:"since_at"`
	Undecided int                   `json:"undecided"`
	Decisions []decisionJSON        `json:"decisions"`
	Sessions  int                   `json:"sessions"`
	Digested  []digestedSessionJSON `json:"by_session"`
	Undone    int                   `json:"undone_changes"`
	Readers   int                   `json:"reading_sessions"`
	Cut       bool                  `json:"cut,omitempty"`
}

// decisionJSON is a held change, or a memory that others changed.
type decisionJSON struct {
	Held      int64  `json:"held,omitempty"`
	Kind      string `json:"kind,omitempty"`
	MemoryID  string `json:"memory_id,omitempty"`
	Operation string `json:"operation,omitempty"`
	Path      string `json:"path"`
	authorJSON
	Change int64  `json:"change,omitempty"`
	Reason string `json:"reason,omitempty"`
}

type digestedSessionJSON struct {
	authorJSON
	Prompt    string       `json:"prompt,omitempty"`
	Learned   int          `json:"learned"`
	Changed   int          `json:"changed"`
	Forgotten int          `json:"forgotten"`
	Effects   []effectJSON `json:"effects"`
}

type effectJSON struct {
	Did      string `json:"did"`
	MemoryID string `json:"memory_id"`
	Path     string `json:"path,omitempty"`
	From     string `json:"from_path,omitempty"`
	Added    int    `json:"lines_added,omitempty"`
	Removed  int    `json:"lines_removed,omitempty"`
	NewLine  string `json:"new_line,omitempty"`
	OldLine  string `json:"old_line,omitempty"`
	Why      string `json:"why,omitempty"`
}

func digestOf(s versions.StoreInfo, d *digest, effects [][]effect) digestJSON {
	j := digestJSON{string(s.ID), stamp(d.since), d.waiting, []decisionJSON{}, len(d.sessions), []digestedSessionJSON{}, d.undone, d.readers, d.cut}
	waiting, written := d.shownDecisions()
	for _, h := range waiting {
		held := heldOf(h)
		j.Decisions = append(j.Decisions, decisionJSON{Held: h.Number, Kind: held.Kind, Path: held.Path, authorJSON: held.authorJSON, Reason: heldReason(h)})
	}
	for _, m := range written {
		v := m.Last()
		j.Decisions = append(j.Decisions, decisionJSON{MemoryID: string(v.Memory), Operation: string(v.Operation), Path: m.Path().Tool(), authorJSON: authorOf(v), Change: v.Change, Reason: whyOf(m)})
	}
	shown, _ := d.shownSessions()
	for i, s := range shown {
		by := authorJSON{By: &s.Actor, SessionID: string(s.Session), Inferred: s.Inferred, CreatedAt: stamp(s.last().Time)}
		of := digestedSessionJSON{by, s.prompt, len(s.learned), len(s.changed), len(s.forgotten), []effectJSON{}}
		for _, e := range effects[i] {
			of.Effects = append(of.Effects, e.json())
		}
		j.Digested = append(j.Digested, of)
	}
	return j
}

func (e *effect) json() effectJSON {
	j := effectJSON{Did: e.did, MemoryID: string(e.memory), Added: e.added, Removed: e.removed, NewLine: e.line, Why: e.note}
	if !e.path.IsRoot() {
		j.Path = e.path.Tool()
	}
	if !e.from.IsRoot() {
		j.From = e.from.Tool()
	}
	if e.gone || e.did == forgot {
		j.NewLine, j.OldLine = "", e.line
	}
	return j
}
