package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actions"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/conversation"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/rules"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/ui/trace"
	"github.com/memend/memend/versions"
)

// root performs the requests of panes. Those that change the store are methods of the rooms.
type root struct {
	a *App
	*acting
	*editingRoom
	*ruling
	*syncing
	*decisions
}

type (
	acting      = actions.Room
	editingRoom = editing.Room
	ruling      = rules.Room
	syncing     = branches.Room
	decisions   = deciding.Room
)

var (
	_ screen.Root   = root{}
	_ deciding.Root = root{}
)

// perform performs a request, unless it would change a store that can't be written.
func (a *App) perform(r screen.Request) tea.Cmd {
	if a.cfg.ReadOnly && screen.Writes(r) {
		return a.say("read-only: nothing is written", true)
	}
	return r.Perform(a.root)
}

// Open opens a memory, or the queue at one that was deleted and is to be reviewed: there it can be decided.
func (r root) Open(req screen.Open) tea.Cmd {
	if !req.Again {
		r.a.live.SetFollowing(false)
	}
	if of, ok := r.a.tree.Review.Unreviewed(req.Path); ok && of.Deleted && !req.Again {
		return r.Queue(screen.Queue{Memory: of.Memory})
	}
	return r.a.openMemory(req)
}

func (r root) Edit(req screen.Edit) tea.Cmd {
	r.a.live.SetFollowing(false)
	return r.editingRoom.Edit(req)
}

func (r root) Show(p screen.Pane) tea.Cmd           { return r.a.push(p) }
func (r root) Back() tea.Cmd                        { r.a.back(); return nil }
func (r root) Drop(p screen.Pane) tea.Cmd           { r.a.screens.drop(p); return nil }
func (r root) InFront(p screen.Pane) bool           { return r.a.overlay == nil && r.a.front() == p }
func (r root) FocusTree() tea.Cmd                   { r.a.setFocus(frame.Tree); return nil }
func (r root) FocusMemory() tea.Cmd                 { r.a.setFocus(frame.Memory); return nil }
func (r root) Cycle(by int) tea.Cmd                 { r.a.setFocus(r.a.frame.Next(by)); return nil }
func (r root) Work(w screen.Work) tea.Cmd           { return r.a.jobs.Start(w) }
func (r root) Did(d screen.Did) tea.Cmd             { return r.a.did(d) }
func (r root) OpenStore(s screen.OpenStore) tea.Cmd { return r.a.openStore(s) }

func (r root) Terminal(do tea.Cmd) tea.Cmd {
	r.a.effects = append(r.a.effects, do)
	return nil
}

func (r root) Notice(n screen.Notice) tea.Cmd {
	notice := jobs.Notice{Text: n.Text, Bad: n.Bad, When: r.a.now, Queued: n.Queued}
	if n.Queued && r.a.queueShown() {
		r.a.notices.Log(notice)
		return nil
	}
	return r.a.notices.Say(notice)
}

func (r root) Prompt(p screen.Prompt) tea.Cmd {
	r.a.prompt = r.a.answers.NewPrompt(p)
	return nil
}

func (r root) Choose(q screen.Choose) tea.Cmd {
	c := &dialog.Choice{Name: q.Title, Body: q.Text, Options: q.Options, Cur: len(q.Options) - 1, Arrows: q.Arrows}
	if q.First {
		c.Cur = 0
	}
	if q.Fresh {
		c.Stuck = r.a.lastKey
	}
	if q.Undoes {
		c.Body += " " + r.a.wayBack("undo") + " it."
	}
	r.a.show(c)
	return nil
}

func (r root) Search(s screen.Search) tea.Cmd {
	return r.a.openScreen(r.a.searching(search.Memories, s.Text, s.In))
}

func (r root) Conversation(at screen.Conversation) tea.Cmd {
	cfg := &r.a.cfg
	return r.a.openScreen(conversation.New(r.a.env(), conversation.Config{
		At: at, Store: r.a.others, Here: r.a.info.ID,
		Read: func(ctx context.Context) (talk.Recorded, error) { return cfg.recorded(ctx, at.Session) },
	}))
}

// Reviewed follows each reading of the store, too.
func (r root) Reviewed() tea.Cmd {
	r.Began(r.a.live.Last().Number)
	return r.a.updateReviewState()
}

func (r root) Queue(at screen.Queue) tea.Cmd { return r.a.openScreen(r.a.queue(at)) }

func (r root) Timeline(change int64) tea.Cmd {
	return r.a.openScreen(timeline.New(r.a.env(), r.a.cfg.Store, change, r.a.memory.Path()))
}

func (r root) Trace(from screen.Trace) tea.Cmd {
	cfg := &r.a.cfg
	return r.a.openScreen(trace.New(r.a.env(), trace.Config{Trail: cfg.Trail, Store: cfg.Store, ID: r.a.info.ID, Prompt: cfg.prompt, From: from, ReadOnly: cfg.ReadOnly}))
}

func (r root) Blame(b screen.Blame) tea.Cmd {
	blame := r.a.memory.ShowBlame()                     // before moving to the line: blame starts at the current position
	r.a.out.Do(screen.Open{Path: b.Path, Line: b.Line}) // which ends follow mode
	return blame
}

func (r root) History(h screen.History) tea.Cmd { return r.a.showVersions(h) }

func (r root) ShowChange(change int64) tea.Cmd {
	opened := r.a.openHistory()
	return tea.Batch(opened, r.a.history.ShowChange(change))
}

// Undo undoes a change, or what the person did last: a change, or a decision about one.
func (r root) Undo(n int64) tea.Cmd {
	if n != 0 {
		return r.acting.Undo(n)
	}
	after, ok := r.After()
	if !ok {
		return r.a.say("your decision is being written", true)
	}
	now := r.a.now
	return r.UndoNewest(after, r.Final(), now, func() tea.Cmd {
		if cmd, ok := r.UndoDecision(); ok {
			return cmd
		}
		return r.AskUndo(now)
	})
}

// Redo redoes a change, or what was undone last: a change, or a decision about one.
func (r root) Redo(n int64) tea.Cmd {
	after, ok := r.RedoAfter()
	if n == 0 && !ok {
		return r.a.say("your decision is being written", true)
	}
	return r.acting.Redo(n, after, r.RedoDecision)
}

func (r root) Decided() tea.Cmd                    { return r.a.live.LoadTrust() }
func (r root) Moved(from, to memfs.Path) tea.Cmd   { return r.a.moved(from, to) }
func (r root) ReviewNext(by int) tea.Cmd           { return r.a.reviewNext(by) }
func (r root) ReviewChanged() tea.Cmd              { return tea.Batch(r.a.live.Reload(), r.a.memory.ReadReview()) }
func (r root) Follow() tea.Cmd                     { return r.a.live.Follow() }
func (r root) Followed() tea.Cmd                   { return r.a.showHistory() }
func (r root) Refresh() tea.Cmd                    { return r.a.refresh() }
func (r root) StoreEvent(e versions.Event) tea.Cmd { return r.a.storeEvent(e) }
func (r root) Now(t time.Time) tea.Cmd             { r.a.setNow(t); return nil }

func (r root) Grown(session versions.SessionID) tea.Cmd {
	if r.a.agents == nil {
		return nil
	}
	return r.a.agents.Grown(session)
}

func (r root) StoreProblem(err error) tea.Cmd {
	a := r.a
	notice := "watch the store: " + err.Error()
	if a.overlay == nil && len(a.screens) == 0 && !a.frame.Panes[frame.Tree].Empty() && a.tree.ShowsProblem() {
		a.notices.Log(jobs.Notice{Text: notice, Bad: true, When: a.now}) // the tree shows the error itself
		return nil
	}
	return a.say(notice, true)
}
