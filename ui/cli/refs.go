package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// ref is a parsed argument of a command about the past: a change by its number or the tool
// call that made it, a version by its id or as PATH@N, or a memory by its path or id.
type ref struct {
	arg     string
	change  int64
	id      versions.VersionID
	memory  versions.MemoryID
	path    memfs.Path
	version int // 0: not given
}

func parseRef(ctx context.Context, s *engine.Store, command, arg string) (r ref, err error) {
	r.arg = arg
	switch {
	case strings.HasPrefix(arg, "memver_"), strings.HasPrefix(arg, "memver-"): // other services write the latter
		r.id, err = resolveID(ctx, s, versions.VersionIDs, versions.VersionID(arg))
		return r, err
	case isID(arg, memoryPrefix):
		r.memory, err = resolveID(ctx, s, versions.MemoryIDs, versions.MemoryID(arg))
		return r, err
	case isID(arg, callPrefix):
		r.change, err = changeOfCall(ctx, s, arg)
		return r, err
	}
	if n, err := strconv.ParseInt(arg, 10, 64); err == nil && n >= 0 {
		if n == 0 {
			return r, fmt.Errorf("%w: 0", versions.ErrNoChange)
		}
		r.change = n
		return r, nil
	}
	name, none := arg, false
	if i := strings.LastIndexByte(arg, '@'); i > 0 {
		if n, err := strconv.Atoi(arg[i+1:]); err == nil && n >= 0 {
			name, r.version, none = arg[:i], n, n == 0
		}
	}
	if r.path, err = pathArg(s, command, name); err == nil && none {
		err = fmt.Errorf("%w: %s has no version 0", versions.ErrNoVersion, r.path.Tool())
	}
	return r, err
}

// changeOfCall returns the number of the change that a tool call made.
func changeOfCall(ctx context.Context, s *engine.Store, arg string) (int64, error) {
	call, err := resolveID(ctx, s, versions.CallIDs, arg)
	if err != nil {
		return 0, err
	}
	made, err := history.CallChanges(ctx, s, call)
	switch {
	case err != nil:
		return 0, err
	case len(made) == 0:
		return 0, fmt.Errorf("%w: tool call %s made none", versions.ErrNoChange, arg)
	case len(made) > 1:
		return 0, &hinted{fmt.Errorf("tool call %s made several changes: %s", call, strings.Trim(fmt.Sprint(made), "[]")), "name one of them by its number"}
	}
	return made[0], nil
}

// one returns the version that the ref names; for a path alone, the newest one.
func (r ref) one(ctx context.Context, s *engine.Store) (versions.Version, error) {
	if r.change > 0 {
		return versions.Version{}, &hinted{fmt.Errorf("%s is a change, not a version", r.arg),
			fmt.Sprintf("`memend show %[1]d` shows the change, `memend diff --at %[1]d --to N` what differs between it and change N", r.change)}
	}
	if r.id != "" {
		return history.Version(ctx, s, r.id)
	}
	if r.memory != "" {
		vs, err := history.Of(ctx, s, r.memory, 0, 1)
		if err == nil && len(vs) == 0 {
			err = fmt.Errorf("%w: %s", versions.ErrNoMemory, r.memory)
		}
		if err != nil {
			return versions.Version{}, err
		}
		return vs[0], nil
	}
	return s.VersionAt(ctx, r.path, r.version)
}

// before returns the version before v of the same memory; ok is false if v is the first.
func before(ctx context.Context, s *engine.Store, v versions.Version) (prev versions.Version, ok bool, err error) {
	if v.Number <= 1 {
		return prev, false, nil
	}
	vs, err := history.Of(ctx, s, v.Memory, v.Number, 1)
	if err != nil || len(vs) == 0 {
		return prev, false, err
	}
	return vs[0], true, nil
}

// content returns the content of a version; a deletion has none.
func content(ctx context.Context, s *engine.Store, v versions.Version) ([]byte, error) {
	b, err := history.Content(ctx, s, v.ID)
	if errors.Is(err, versions.ErrDeletion) {
		return nil, nil
	}
	return b, err
}

// refCommand returns the RunE function of a command that takes refs.
func refCommand(p *storeOpener, do func(ctx context.Context, s *engine.Store, refs []ref) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return p.withPast(cmd.Context(), pathsOf(args...), func(s *engine.Store) error {
			var refs []ref
			for _, arg := range args {
				r, err := parseRef(cmd.Context(), s, cmd.CommandPath(), arg)
				if err != nil {
					return err
				}
				refs = append(refs, r)
			}
			return do(cmd.Context(), s, refs)
		})
	}
}
