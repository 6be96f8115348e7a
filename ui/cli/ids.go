package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// resolveID returns the id with a prefix, in store s, or in the home if s is nil. An unknown
// id is returned unchanged: the command that needs it reports it. An id that exists only in
// another store is an error that names the store.
func resolveID(ctx context.Context, p *program, s *engine.Store, kind versions.IDKind, begun string) (string, error) {
	if begun == "" {
		return "", nil
	}
	all, err := history.IDs(ctx, p.trail, kind, begun)
	if err != nil {
		return "", err
	}
	here := all
	if s != nil {
		here = slices.DeleteFunc(slices.Clone(all), func(k versions.Known) bool { return !slices.Contains(k.Stores, s.Info().ID) })
	}
	switch {
	case len(here) == 1, len(here) > 1 && here[0].ID == begun: // they are sorted
		return here[0].ID, nil
	case len(here) > 1:
		var ids []string
		for _, k := range here {
			ids = append(ids, k.ID)
		}
		return "", &hinted{fmt.Errorf("id prefix %s is ambiguous: %s", begun, strings.Join(ids, ", ")), "write more characters"}
	case len(all) == 1 && len(all[0].Stores) > 0:
		return "", elsewhereError(ctx, p, kind, all[0])
	}
	return begun, nil
}

// elsewhereError returns an error that names the other stores in which an id exists.
func elsewhereError(ctx context.Context, p *program, kind versions.IDKind, k versions.Known) error {
	stores, err := p.trail.Stores(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, info := range stores {
		if slices.Contains(k.Stores, info.ID) {
			names = append(names, p.safe(info.Name))
		}
	}
	none := map[versions.IDKind]error{versions.VersionIDs: versions.ErrNoVersion, versions.MemoryIDs: versions.ErrNoMemory,
		versions.SessionIDs: versions.ErrNoSession, versions.CallIDs: versions.ErrNoChange}[kind]
	return &hinted{fmt.Errorf("%w: %s", none, k.ID),
		fmt.Sprintf("it is in store %s: add -s %s", strings.Join(names, ", "), shellWord(names[0]))}
}

// sessionOf resolves the value of --session among the sessions of a store, or of the home.
func sessionOf(ctx context.Context, p *program, s *engine.Store, id versions.SessionID) (versions.SessionID, error) {
	whole, err := resolveID(ctx, p, s, versions.SessionIDs, string(id))
	return versions.SessionID(whole), err
}

// isID reports whether an argument is written as an id, not as a path.
func isID(arg string, kinds ...string) bool {
	for _, kind := range kinds {
		if strings.HasPrefix(arg, kind) && len(arg) > len(kind) && !strings.ContainsAny(arg, "/.@") {
			return true
		}
	}
	return false
}

const (
	memoryPrefix = "mem_"
	callPrefix   = "toolu_"
)

// memoryArg returns the id of the memory that is named by path or id, current or deleted.
func memoryArg(ctx context.Context, p *program, s *engine.Store, command, arg string) (versions.MemoryID, error) {
	if isID(arg, memoryPrefix) {
		id, err := resolveID(ctx, p, s, versions.MemoryIDs, arg)
		return versions.MemoryID(id), err
	}
	path, err := pathArg(s, command, arg)
	if err != nil {
		return "", err
	}
	return history.MemoryAt(ctx, s, path)
}
