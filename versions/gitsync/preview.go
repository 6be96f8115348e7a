package gitsync

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Preview is what a Sync would do.
type Preview struct {
	Comes     []Commit
	Goes      int      // changes that would become commits
	Waiting   int      // changes that would become commits after decisions
	Conflicts []string // what would wait for a person because it conflicts: a path and how
	Held      []string // what would wait because the policy or a pin holds it, or a redaction: a path and why
	LeftOut   []string

	files map[string]versions.Incoming // by the path: what all commits together do to it
	waits []memfs.Path                 // of Conflicts
}

// Commit is a commit that would be taken in.
type Commit struct {
	ID      string         `json:"session_id"`
	By      versions.Actor `json:"created_by"`
	Subject string         `json:"subject"`
}

// Look fetches and says what Sync would do. It changes nothing in the store and nothing on the branch.
func Look(ctx context.Context, s *core.Store, by versions.By, b versions.Branch, o Options) (*Preview, error) {
	r, done, err := open(ctx, s, by, b, o)
	if err != nil {
		return nil, err
	}
	defer done()
	p := &Preview{files: map[string]versions.Incoming{}}
	if err := r.fetch(ctx); err != nil {
		return nil, err
	}
	if r.lost {
		r.stepBack(ctx)
	}
	if err := r.saw(ctx); err != nil {
		return nil, err
	}
	if goesOn, err := r.isAncestor(ctx, r.b.Remote, r.remote); err != nil {
		return nil, err
	} else if !goesOn {
		if _, _, err := r.rewritten(ctx); err != nil {
			return nil, err
		}
	}
	known, err := r.isAncestor(ctx, r.remote, r.b.Head)
	if err == nil && !known {
		err = p.takeIn(ctx, r)
	}
	if err == nil {
		err = p.send(ctx, r)
	}
	return p, err
}

// takeIn finds out what would come.
func (p *Preview) takeIn(ctx context.Context, r *run) error {
	base, err := r.base(ctx, r.b.Head, r.remote)
	if err == nil {
		err = r.walk(ctx, base, func(b *branch) {
			b.do = func(t *told) error {
				p.note(t)
				return nil
			}
		})
	}
	if err == nil {
		err = p.rehearse(ctx, r.s)
	}
	p.LeftOut = r.LeftOut
	return err
}

// send finds out what would go.
func (p *Preview) send(ctx context.Context, r *run) error {
	unsent, err := Unshared(ctx, r.s, r.b.Sent)
	if err != nil {
		return err
	}
	err = core.View(ctx, r.s.Trail, func(q tables.Reader) (err error) {
		p.Waiting, err = delayed(q, r.s.Row, r.b.Sent, p.waits...)
		return err
	})
	p.Goes = len(unsent) - p.Waiting
	return err
}

// note adds a commit to the preview.
func (p *Preview) note(t *told) {
	in := &t.in
	p.Comes = append(p.Comes, Commit{string(in.By.Session), in.By.Actor, t.subject})
	for _, f := range in.Files {
		was, again := p.files[f.Path.String()]
		if again {
			f.From, f.Before = was.Files[0].From, was.Files[0].Before
		}
		all := *in
		all.Hold = cmp.Or(in.Hold, was.Hold)
		all.Files = []versions.IncomingFile{f}
		p.files[f.Path.String()] = all
	}
}

// rehearse finds what would wait for a person.
func (p *Preview) rehearse(ctx context.Context, s *core.Store) error {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		in := p.files[path]
		if f := in.Files[0]; f.Before == nil && f.After == nil {
			continue
		}
		var held *versions.HeldError
		switch err := core.Rehearse(ctx, s, in.By, func(d *core.Mutation) error { return takeIn(d, &in) }); {
		case errors.As(err, &held):
			path := held.Path.Tool()
			p.waits = append(p.waits, held.Path)
			list := &p.Held
			if held.Conflicts {
				list = &p.Conflicts
			}
			*list = append(*list, path+": "+strings.TrimLeft(strings.TrimPrefix(held.Rule, path), ": "))
		case err != nil:
			return err
		}
	}
	return nil
}
