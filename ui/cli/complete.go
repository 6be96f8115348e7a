package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// Completion runs at each key press in a shell: it creates nothing, changes nothing, does
// not scan for outside changes, and prints nothing on failure.

type completions = []cobra.Completion

// complete sets the function that completes a flag.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // no such flag: a programming error
	}
}

// peekTrail opens the trail if it exists.
func (p *environment) peekTrail(ctx context.Context) (*engine.Trail, error) {
	home, err := p.homeFolder()
	if err != nil {
		return nil, err
	}
	if engine.IsNew(home) {
		return nil, versions.ErrNoTrail
	}
	return engine.Open(ctx, home, versions.Options{})
}

// peek runs do with the store that commands would use, if it already exists.
func (p *storeOpener) peek(ctx context.Context, do func(*engine.Store) error) error {
	t, err := p.peekTrail(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	info, err := p.chooseStore(ctx, t)
	if err != nil {
		return err
	}
	return withOpen(ctx, t, info, do)
}

func (p *environment) completeStores(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	t, err := p.peekTrail(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	defer t.Close()
	all, err := t.Stores(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var out completions
	for _, s := range all {
		if strings.HasPrefix(s.Name, typed) {
			out = append(out, cobra.CompletionWithDesc(s.Name, text.Field(s.Folder)))
		}
	}
	return out, cobra.ShellCompDirectiveDefault // folders too
}

// completePaths completes memories, one folder level at a time, in the notation that was
// typed.
func (p *storeOpener) completePaths(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	out, folders := memoryPaths(cmd.Context(), p, typed)
	if folders {
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func memoryPaths(ctx context.Context, p *storeOpener, typed string) (out completions, folders bool) {
	seen := map[string]bool{}
	_ = p.peek(ctx, func(s *engine.Store) error {
		spell, within := spelling(s, typed)
		entries, err := history.Tree(ctx, s)
		for _, e := range entries {
			if !e.Path.In(within) || e.Path == within {
				continue
			}
			name := spell(e.Path)
			if !strings.HasPrefix(name, typed) {
				continue
			}
			if i := strings.IndexByte(name[len(typed):], '/'); i >= 0 {
				name, folders = name[:len(typed)+i+1], true
			}
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
		return err
	})
	return out, folders
}

// spelling returns a function that writes paths in the notation of the typed text, and the
// folder that paths are relative to.
func spelling(s *engine.Store, typed string) (func(memfs.Path) string, memfs.Path) {
	switch {
	case strings.HasPrefix(typed, "/memories"):
		return memfs.Path.Tool, memfs.Root
	case strings.HasPrefix(typed, "/"):
		return memfs.Path.String, memfs.Root
	}
	folder := workingPath(s)
	if folder.IsRoot() {
		return memfs.Path.Rel, folder
	}
	return func(p memfs.Path) string { return strings.TrimPrefix(p.Rel(), folder.Rel()+"/") }, folder
}

// completeVersions completes paths, and PATH@ to the versions of the memory.
func (p *storeOpener) completeVersions(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	i := strings.LastIndexByte(typed, '@')
	if i < 0 {
		out, _ := memoryPaths(cmd.Context(), p, typed)
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	var out completions
	_ = p.peek(cmd.Context(), func(s *engine.Store) error {
		path, err := pathIn(s, typed[:i])
		if err != nil {
			return err
		}
		memory, err := history.MemoryAt(cmd.Context(), s, path)
		if err != nil {
			return err
		}
		vs, err := history.Of(cmd.Context(), s, memory, 0, 50)
		for _, v := range vs {
			name := fmt.Sprintf("%s@%d", typed[:i], v.Number)
			if strings.HasPrefix(name, typed) {
				out = append(out, cobra.CompletionWithDesc(name, fmt.Sprintf("%s %s by %s", when(v.Time), v.Operation, text.Field(actors.Name(v.Actor)))))
			}
		}
		return err
	})
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeSessions completes the sessions of this home, newest first.
func (p *environment) completeSessions(cmd *cobra.Command, _ []string, typed string) (completions, cobra.ShellCompDirective) {
	var out completions
	for _, s := range newestSessions(cmd.Context(), p) {
		if id := string(s.ID); strings.HasPrefix(id, typed) {
			out = append(out, cobra.CompletionWithDesc(id, fmt.Sprintf("%s %s, %s", when(s.Started), text.Field(actors.Name(s.Actor)), plural(s.Changes, "change"))))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeActors completes the recorded actors, by kind and name.
func (p *environment) completeActors(cmd *cobra.Command, _ []string, typed string) (completions, cobra.ShellCompDirective) {
	known := map[string]bool{}
	for _, s := range newestSessions(cmd.Context(), p) {
		if s.Actor.Name != "" {
			known[string(s.Actor.Kind)+":"+s.Actor.Name] = true
		}
	}
	for _, k := range []versions.ActorKind{versions.Person, versions.Agent, versions.APIKey} {
		known[string(k)+":"] = true
	}
	var out completions
	for name := range known {
		if strings.HasPrefix(name, typed) && text.Field(name) == name {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// newestSessions returns the newest sessions.
func newestSessions(ctx context.Context, p *environment) []versions.Session {
	t, err := p.peekTrail(ctx)
	if err != nil {
		return nil
	}
	defer t.Close()
	list, _, _ := history.HomeSessions(ctx, t, versions.SessionFilter{}, "", 100)
	return list
}

func (p *storeOpener) completeChanges(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	var out completions
	_ = p.peek(cmd.Context(), func(s *engine.Store) error {
		cs, err := history.Changes(cmd.Context(), s, versions.Filter{}, 0, 50)
		for _, c := range cs {
			if n := fmt.Sprint(c.Number); strings.HasPrefix(n, typed) {
				out = append(out, cobra.CompletionWithDesc(n, fmt.Sprintf("%s %s", when(c.Time), describeChange(&p.console, c))))
			}
		}
		return err
	})
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
