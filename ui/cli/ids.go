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

// resolveID returns the id in store s that begins with prefix. An unknown id is returned
// unchanged: the command that needs it reports it. An id that exists only in another store is
// an error that names the store.
func resolveID[ID ~string](ctx context.Context, s *engine.Store, kind versions.IDKind, prefix ID) (ID, error) {
	if prefix == "" {
		return "", nil
	}
	all, err := history.IDs(ctx, s.Trail, kind, string(prefix))
	if err != nil {
		return "", err
	}
	inStore := slices.DeleteFunc(slices.Clone(all), func(k versions.Known) bool { return !slices.Contains(k.Stores, s.Info().ID) })
	if len(inStore) == 0 && len(all) == 1 && len(all[0].Stores) > 0 {
		return "", elsewhereError(ctx, s.Trail, kind, all[0])
	}
	return onlyID(inStore, prefix)
}

// onlyID returns the only one of some ids, or the one that is the whole prefix. Without any it returns prefix.
func onlyID[ID ~string](known []versions.Known, prefix ID) (ID, error) {
	switch {
	case len(known) == 0:
		return prefix, nil
	case len(known) == 1, known[0].ID == string(prefix), known[0].ID == sessionPrefix+string(prefix): // they are sorted
		return ID(known[0].ID), nil
	}
	var ids []string
	for _, k := range known {
		ids = append(ids, k.ID)
	}
	return "", &hinted{fmt.Errorf("id %s is ambiguous: %s", prefix, strings.Join(ids, ", ")), "write more characters"}
}

// elsewhereError returns an error that names the other stores in which an id exists.
func elsewhereError(ctx context.Context, t *engine.Trail, kind versions.IDKind, k versions.Known) error {
	stores, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, info := range stores {
		if slices.Contains(k.Stores, info.ID) {
			names = append(names, info.Name)
		}
	}
	none := map[versions.IDKind]error{versions.VersionIDs: versions.ErrNoVersion, versions.MemoryIDs: versions.ErrNoMemory,
		versions.SessionIDs: versions.ErrNoSession, versions.CallIDs: versions.ErrNoChange}[kind]
	return &hinted{fmt.Errorf("%w: %s", none, k.ID),
		fmt.Sprintf("it is in store %s: add -s %s", strings.Join(names, ", "), shellWord(names[0]))}
}

// sessionOf returns the session of a store whose id begins with prefix.
func sessionOf(ctx context.Context, s *engine.Store, prefix versions.SessionID) (versions.SessionID, error) {
	return resolveID(ctx, s, versions.SessionIDs, prefix)
}

// changedElsewhere returns an error that names the stores that a session changed, if this one is none of them.
func changedElsewhere(ctx context.Context, s *engine.Store, command string, id versions.SessionID) error {
	stores, err := s.Trail.Stores(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, info := range stores {
		found, _, err := history.HomeSessions(ctx, s.Trail, versions.SessionFilter{ID: id, Store: info.ID}, "", 1)
		if err != nil {
			return err
		}
		changed := len(found) > 0 && found[0].Changes > 0
		if changed && info.ID == s.Info().ID {
			return nil
		}
		if changed {
			names = append(names, info.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &hinted{changedNothing(command, id, s), fmt.Sprintf("it changed store %s: add -s %s", strings.Join(names, ", "), shellWord(names[0]))}
}

func changedNothing(command string, id versions.SessionID, s *engine.Store) error {
	return fmt.Errorf("%s: session %s changed nothing in store %s", command, id, s.Info().Name)
}

// homeSession returns the session of the home whose id begins with prefix.
func homeSession(ctx context.Context, t *engine.Trail, prefix versions.SessionID) (versions.SessionID, error) {
	if prefix == "" {
		return "", nil
	}
	known, err := history.IDs(ctx, t, versions.SessionIDs, string(prefix))
	if err != nil {
		return "", err
	}
	return onlyID(known, prefix)
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
func memoryArg(ctx context.Context, s *engine.Store, command, arg string) (versions.MemoryID, error) {
	if isID(arg, memoryPrefix) {
		return resolveID(ctx, s, versions.MemoryIDs, versions.MemoryID(arg))
	}
	path, err := pathArg(s, command, arg)
	if err != nil {
		return "", err
	}
	return history.MemoryAt(ctx, s, path)
}
