// Package conversation is the screen of the conversation of one session, at one of its calls: why something was changed.
package conversation

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

// Config holds what the screen works with.
type Config struct {
	At screen.Conversation
	// Read returns what is recorded of the conversation. It may block.
	Read func(ctx context.Context) (talk.Recorded, error)
	// Store and Here are those of a talk.Config.
	Store func(context.Context, versions.StoreID) (talk.Store, error)
	Here  versions.StoreID
}

type view = talk.View

// Pane is the screen. New returns one.
type Pane struct {
	*view
	env    screen.Env
	cancel context.CancelFunc
	at     screen.Conversation
	keys   *keys.Map[*Pane]
}

// New returns the screen; Start reads the conversation.
func New(env screen.Env, cfg Config) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	env = env.During(ctx)
	kept := &late{read: sync.OnceValues(func() (talk.Recorded, error) { return cfg.Read(ctx) })}
	v := talk.New(env, talk.Config{ID: cfg.At.Session, Recorded: kept, Record: true, Store: cfg.Store, Here: cfg.Here, Call: cfg.At.Call})
	v.SetFocused(true)
	return &Pane{view: v, env: env, cancel: cancel, at: cfg.At, keys: paneKeys(env.Keys)}
}

func paneKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("why", bindings, []keys.Action[*Pane]{
		{ID: "screen.back", Short: "back", Do: func(p *Pane, _ int) tea.Cmd { return p.env.Do(screen.Back{}) }},
	})
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return paneKeys(bindings).All() }

// Close ends what is read.
func (p *Pane) Close() {
	p.cancel()
	p.view.Close()
}

// Title names the session.
func (p *Pane) Title() (name, info string) {
	return "conversation of session " + draw.ShortID(string(p.at.Session), 8), p.view.Title()
}

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	if cmd, r := p.view.Press(seq, n); r == keys.Done {
		return cmd, r
	}
	return p.keys.Press(p, seq, n)
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry { return append(p.keys.Entries(p), p.view.Entries()...) }

// late is a conversation that is found when it is read first.
type late struct {
	read func() (talk.Recorded, error)
}

func (l *late) Read(id versions.SessionID, from int64) (objects [][]byte, next int64, err error) {
	kept, err := l.read()
	if err != nil {
		return nil, 0, err
	}
	return kept.Read(id, from)
}

func (l *late) ReadBack(id versions.SessionID, before int64) (objects [][]byte, start int64, err error) {
	kept, err := l.read()
	if err != nil {
		return nil, 0, err
	}
	return kept.ReadBack(id, before)
}

// InStore names in the events of an agent that ran elsewhere what their calls did to memories of a store: made are the changes of
// its session. The paths of other calls stay those of the machine.
func InStore(events []agent.Event, store versions.StoreInfo, made []versions.Change) {
	by := map[string]versions.Change{}
	for _, c := range made {
		by[c.ToolUse] = c
	}
	for i := range events {
		ev := &events[i]
		if ev.ToolUse == "" || !filepath.IsAbs(ev.Path) {
			continue
		}
		if c, ok := by[ev.ToolUse]; ok {
			ev.Store, ev.Change = store.ID, c.Number
		}
		if p, ok := versions.PathInFolder(ev.Path, store.Folder); ok {
			ev.Store, ev.Path = store.ID, p.Tool()
		}
	}
}

// Told is a conversation whose events are known.
func Told(events []agent.Event) talk.Recorded {
	out := make(told, 0, len(events))
	for i, ev := range events {
		ev.Seq, ev.Index = int64(i+1), i // each is a block of its own
		object, err := json.Marshal(ev)
		if err != nil {
			panic(err) // events always marshal
		}
		out = append(out, object)
	}
	return out
}

type told [][]byte

func (t told) Read(_ versions.SessionID, from int64) (objects [][]byte, next int64, err error) {
	return t[min(int(from), len(t)):], int64(len(t)), nil
}

func (t told) ReadBack(versions.SessionID, int64) (objects [][]byte, start int64, err error) {
	return t, 0, nil
}
