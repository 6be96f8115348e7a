package agents

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Marking what a session changed, or one change, as reviewed.

func (p *Pane) reviewDisabled() string {
	if !p.InDetail || p.talk() != nil {
		return p.sessionDisabled()
	}
	if why := p.emptyDisabled(); why != "" {
		return why
	}
	if a, _ := p.selected(); a.Read {
		return "a read changes nothing"
	}
	return ""
}

// markReviewed marks the memories that the selected session or change wrote as reviewed, each up
// to its last version among them.
func (p *Pane) markReviewed() tea.Cmd {
	ctx, store := p.env.Ctx, p.store
	if !p.InDetail || p.talk() != nil {
		_, id := p.selectedSession()
		return func() tea.Msg {
			upTo, err := sessionMemories(ctx, store, id)
			return reviewedMsg(upTo, err)
		}
	}
	a, _ := p.selected()
	of := *a
	return func() tea.Msg {
		upTo := map[versions.MemoryID]int64{}
		err := addMemories(ctx, store, of, upTo)
		return reviewedMsg(upTo, err)
	}
}

// reviewedMsg returns the request to mark memories as reviewed.
func reviewedMsg(upTo map[versions.MemoryID]int64, err error) tea.Msg {
	switch {
	case err != nil:
		return screen.Notice{Text: "keep: " + err.Error(), Bad: true}
	case len(upTo) == 0:
		return screen.Notice{Text: "it changed nothing here"}
	}
	return screen.MarkReviewed{UpTo: upTo, What: "kept " + draw.Plural(len(upTo), "memory", "memories")}
}

// sessionMemories returns the memories that a session changed, each with the last change.
func sessionMemories(ctx context.Context, store Store, id versions.SessionID) (map[versions.MemoryID]int64, error) {
	upTo := map[versions.MemoryID]int64{}
	filter := versions.ActivityFilter{Session: id, NoReads: true}
	for at := versions.Cursor(""); ; {
		page, next, err := store.Activity(ctx, filter, at, maxInserted)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			if err := addMemories(ctx, store, a, upTo); err != nil {
				return nil, err
			}
		}
		if at = next; at == "" {
			return upTo, nil
		}
	}
}

// addMemories adds the memories of a change.
func addMemories(ctx context.Context, store Store, a versions.Activity, upTo map[versions.MemoryID]int64) error {
	if a.Memory != "" {
		upTo[a.Memory] = max(upTo[a.Memory], a.Change.Number)
		return nil
	}
	_, list, err := store.Change(ctx, a.Change.Number)
	for _, v := range list {
		upTo[v.Memory] = max(upTo[v.Memory], v.Change)
	}
	return err
}
