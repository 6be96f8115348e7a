// Package rules handles the requests that change who may change what: the policy of the store or of a
// session, and pins. It keeps no state.
package rules

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/textscreen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/policy"
)

// Store is the part of a store that has policies and pins.
type Store interface {
	Policies(ctx context.Context) ([]versions.PolicySet, error)
	SetPolicy(ctx context.Context, by versions.By, session versions.SessionID, text string) error
	DropPolicy(ctx context.Context, by versions.By, session versions.SessionID) error
	Pin(ctx context.Context, by versions.By, p memfs.Path, whom versions.PinFor) error
	Unpin(ctx context.Context, by versions.By, p memfs.Path) error
}

// Room handles the requests.
type Room struct {
	env   screen.Env
	store Store
	name  string // of the store
	by    versions.By
}

// New returns a room for a person and a store with a name.
func New(env screen.Env, store Store, name string, by versions.By) *Room {
	return &Room{env: env, store: store, name: name, by: by}
}

func (r *Room) say(text string, bad bool) tea.Cmd {
	return r.env.Do(screen.Notice{Text: text, Bad: bad})
}

// change runs a change and says what was done, or why not.
func (r *Room) change(doing, did string, do func(context.Context) error) tea.Cmd {
	return r.env.Do(screen.Work{Doing: doing, Do: func(ctx context.Context) (tea.Msg, error) {
		if err := do(ctx); err != nil {
			return screen.Notice{Text: doing + ": " + wording.Why(err), Bad: true}, err
		}
		return screen.Then(func() tea.Cmd {
			r.env.Do(screen.Decided{})
			return r.say(did, false)
		}), nil
	}})
}

func (r *Room) Pin(req screen.Pin) tea.Cmd {
	store, by := r.store, r.by
	whom := map[versions.PinFor]string{versions.PinAgents: "for agents", versions.PinAll: "for everybody"}[req.For]
	return r.change("pin "+req.Path.String(), "pinned "+req.Path.String()+": read-only "+whom, func(ctx context.Context) error {
		return store.Pin(ctx, by, req.Path, req.For)
	})
}

// Unpin makes a memory or a folder writable again.
func (r *Room) Unpin(p memfs.Path) tea.Cmd {
	store, by := r.store, r.by
	return r.change("unpin "+p.String(), "unpinned "+p.String(), func(ctx context.Context) error {
		return store.Unpin(ctx, by, p)
	})
}

// Name names a policy: that of a preset, or "own rules".
func Name(p policy.Policy) string {
	if strings.TrimSpace(p.String()) == "" {
		return policy.Presets[0].Name
	}
	if name := policy.NameOf(p.String()); name != "" {
		return name
	}
	return "own rules"
}

// Short names a policy in the status line. It is empty for the one that allows everything.
func Short(p policy.Policy) string {
	if name := Name(p); name != policy.Presets[0].Name {
		return name
	}
	return ""
}

// target is what a policy holds for.
type target struct {
	session versions.SessionID // empty: the store
	hasOwn  bool               // the session has its own
	now     policy.Policy
}

// Policy asks for whom to choose a policy, if a session is selected, and then for the policy.
func (r *Room) Policy(session versions.SessionID) tea.Cmd {
	ctx, store := r.env.Ctx, r.store
	return screen.Run(func() (sets found) {
		sets.list, sets.err = store.Policies(ctx)
		return sets
	}, func(sets found) tea.Cmd {
		if sets.err != nil {
			return r.say("policy: "+wording.Why(sets.err), true)
		}
		whole := target{now: sets.list[0].Policy}
		if session == "" {
			return r.choose(whole)
		}
		one := target{session: session, now: whole.now}
		if i := slices.IndexFunc(sets.list, func(s versions.PolicySet) bool { return s.Session == session }); i > 0 {
			one.now, one.hasOwn = sets.list[i].Policy, true
		}
		now := "as the store"
		if one.hasOwn {
			now = Name(one.now)
		}
		return r.env.Do(screen.Choose{Title: "policy", Text: "Whose policy?", First: true, Options: []screen.Option{
			{Key: "a", Label: "all of " + r.name + ": " + Name(whole.now), Then: func() tea.Cmd { return r.choose(whole) }},
			{Key: "s", Label: "session " + draw.ShortID(string(session), 8) + ": " + now, Then: func() tea.Cmd { return r.choose(one) }},
			{Key: "n", Label: "neither"},
		}})
	})
}

type found struct {
	list []versions.PolicySet
	err  error
}

// choose asks for the policy of a target.
func (r *Room) choose(t target) tea.Cmd {
	name := Name(t.now)
	text := "Now " + described(t.now) + "."
	if t.session != "" && !t.hasOwn {
		text = "Now that of the store, " + described(t.now) + "."
	}
	var options []screen.Option
	for _, p := range policy.Presets {
		label, about := p.Name, p.Name+": "+p.Summary+"."
		if p.Name == name {
			label, about = label+"  (now)", "" // the text says it
		}
		options = append(options, screen.Option{Key: p.Name[:1], Label: label, About: about, Then: func() tea.Cmd { return r.set(t, p.Name, p.Text) }})
	}
	options = append(options, screen.Option{Key: "e", Label: "edit its rules", About: "Opens the rules as text.", Then: func() tea.Cmd { return r.edit(t) }})
	if t.hasOwn {
		options = append(options, screen.Option{Key: "s", Label: "that of the store", Then: func() tea.Cmd { return r.drop(t) }})
	}
	return r.env.Do(screen.Choose{Title: "policy of " + r.of(t), Text: text, Options: append(options, screen.Option{Key: "n", Label: "leave it"})})
}

// described names a policy and says what it does.
func described(p policy.Policy) string {
	name := Name(p)
	if preset, ok := policy.ByName(name); ok {
		name += ": " + preset.Summary
	}
	return name
}

// of names a target.
func (r *Room) of(t target) string {
	if t.session != "" {
		return "session " + draw.ShortID(string(t.session), 8)
	}
	return r.name
}

func (r *Room) set(t target, name, text string) tea.Cmd {
	store, by := r.store, r.by
	return r.change("set the policy of "+r.of(t), "policy of "+r.of(t)+": "+name, func(ctx context.Context) error {
		return store.SetPolicy(ctx, by, t.session, text)
	})
}

func (r *Room) drop(t target) tea.Cmd {
	store, by := r.store, r.by
	return r.change("drop the policy of "+r.of(t), r.of(t)+" has the policy of the store again", func(ctx context.Context) error {
		return store.DropPolicy(ctx, by, t.session)
	})
}

// edit opens the rules as text.
func (r *Room) edit(t target) tea.Cmd {
	env, store, by, of := r.env, r.store, r.by, r.of(t)
	return r.env.Do(screen.Show{Pane: textscreen.New(env, textscreen.Config{
		Title: "policy of " + of,
		Note:  "One rule a line, the first that matches decides: allow, hold or deny, then conditions such as actor:agent path:/team/** verb:delete after:web finding:secret.",
		Text:  []byte(t.now.String()),
		Save: func(p *textscreen.Pane, text []byte) tea.Cmd {
			return screen.Run(func() error { return store.SetPolicy(env.Ctx, by, t.session, string(text)) }, func(err error) tea.Cmd {
				var bad *policy.SyntaxError
				switch {
				case errors.As(err, &bad):
					return p.Refuse("Not saved: "+bad.Error(), bad.Line, bad.Column)
				case err != nil:
					return p.Refuse("Not saved: "+err.Error(), 0, 0)
				}
				r.env.Do(screen.Decided{})
				r.say("saved the policy of "+of, false)
				return p.Done()
			})
		},
	})})
}
