package gitsync

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/review"
)

// importAll takes in the whole branch at once, which is much faster, if the store has no change and nothing decides about
// its changes; false: it must be taken in change by change.
func (r *run) importAll(ctx context.Context) (all bool, err error) {
	last, err := r.s.LastChange(ctx)
	if err != nil || last > 0 {
		return false, err
	}
	governed, err := review.Governed(ctx, r.s.Trail, r.s.Opened.ID, "")
	if err != nil || governed {
		return false, err
	}
	got, err := exchange.Import(ctx, r.s, r.by, func(yield func(versions.Item, error) bool) {
		i := &importing{yield: yield, known: map[versions.Hash]bool{}, used: map[string]bool{}, live: map[memfs.Path]bool{}}
		err := r.walk(ctx, "", func(b *branch) { b.all, b.do = true, i.record })
		if err != nil && !errors.Is(err, errEnough) {
			yield(versions.Item{}, err)
		}
	})
	if errors.Is(err, versions.ErrUnsound) || errors.Is(err, memfs.ErrExist) { // it can't stand in the store as it is
		return false, nil
	}
	r.Imported = got.Changes
	return err == nil, err
}

// errEnough ends the walk when nobody reads on.
var errEnough = errors.New("enough")

// importing turns commits into what Store.Import takes.
type importing struct {
	yield func(versions.Item, error) bool
	known map[versions.Hash]bool
	used  map[string]bool // ids
	live  map[memfs.Path]bool
}

func (i *importing) record(t *told) error {
	in := &t.in
	if i.used[in.ID] { // see branch.known
		in.ID = in.Commit
	}
	i.used[in.ID] = true
	r := &versions.Record{Kind: versions.KindEdit, Path: in.Path(), By: in.By, Time: in.Time, Message: in.Message, Email: in.Email, Shared: []string{in.ID, in.Commit}}
	for _, f := range in.Files {
		v := versions.RecordVersion{Operation: versions.Modified, Path: f.Path, From: f.From}
		switch {
		case f.After == nil && !i.live[f.Path]:
			continue
		case f.After == nil:
			v.Operation = versions.Deleted
		case !f.From.IsRoot() && i.live[f.From], f.From.IsRoot() && i.live[f.Path]:
		default:
			v.Operation, v.From = versions.Created, memfs.Root
		}
		if f.After != nil {
			v.SHA256 = versions.Sum(f.After)
			if !i.known[v.SHA256] {
				i.known[v.SHA256] = true
				if !i.yield(versions.Item{Content: f.After}, nil) {
					return errEnough
				}
			}
		}
		r.Versions = append(r.Versions, v)
	}
	if len(r.Versions) == 0 {
		return nil
	}
	i.note(r)
	if !i.yield(versions.Item{Record: r}, nil) {
		return errEnough
	}
	return nil
}

// note notes which memories there are after a change, and names the change of one memory.
func (i *importing) note(r *versions.Record) {
	for _, v := range r.Versions {
		delete(i.live, v.From)
		if v.Operation == versions.Deleted {
			delete(i.live, v.Path)
		}
	}
	for _, v := range r.Versions {
		if v.Operation != versions.Deleted {
			i.live[v.Path] = true
		}
	}
	if v := r.Versions[0]; len(r.Versions) == 1 {
		r.Kind, r.Path = kinds[v.Operation], v.Path
		if !v.From.IsRoot() {
			r.Kind, r.Path, r.To = versions.KindRename, v.From, v.Path
		}
	}
}

var kinds = map[versions.Operation]versions.ChangeKind{versions.Created: versions.KindCreate, versions.Modified: versions.KindEdit, versions.Deleted: versions.KindDelete}
