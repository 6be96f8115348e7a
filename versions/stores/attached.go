package stores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// Attached is the set of stores attached to a session. A single store is mounted at
// /memories; several are folders in it, named after the stores.
type Attached struct {
	t       *core.Trail
	session versions.SessionID
	stores  []attachedStore
	lent    bool // someone else closes the stores

	keeping sync.WaitGroup // goroutines that update replicas during the session
	endKeep context.CancelFunc
}

type attachedStore struct {
	*core.Store
	at    versions.Attachment
	mount memfs.Path // its folder in the session's tree
}

// Close closes the stores that Attach opened.
func (a *Attached) Close() error {
	if a.lent {
		return nil
	}
	if a.endKeep != nil {
		a.endKeep()
		a.keeping.Wait()
	}
	var errs []error
	for _, s := range a.stores {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// keepUp updates the replicas of hosted stores from their services until Close, so that
// agents read recent memories.
func (a *Attached) keepUp(ctx context.Context) {
	ctx, a.endKeep = context.WithCancel(context.WithoutCancel(ctx))
	for _, s := range a.stores {
		if !s.Replica.Online() {
			continue
		}
		a.keeping.Add(1)
		a.t.Go(func() {
			defer a.keeping.Done()
			s.Replica.Poll(ctx, func(*versions.UpstreamState, error) {})
		})
	}
}

// Sync adopts what other programs did to the folders.
func (a *Attached) Sync(ctx context.Context) error {
	for _, s := range a.stores {
		if _, err := s.Sync(ctx); err != nil && !versions.IsUnwritable(err) {
			return err
		}
	}
	return nil
}

// mountPaths chooses the folder of each store; a single store gets the root. A name that
// isn't a valid file name, or that listings hide, is converted as the memory-stores API
// does for its mounts: to lower case, with a hyphen for each run of other characters.
func mountPaths(stores []versions.StoreInfo) []memfs.Path {
	paths := make([]memfs.Path, len(stores))
	if len(stores) == 1 {
		return paths
	}
	taken := map[string]bool{}
	for _, plain := range []bool{true, false} { // stores that can keep their names come first
		for i, info := range stores {
			p, err := memfs.Root.Join(info.Name)
			usable := err == nil && !p.Hidden()
			if usable != plain {
				continue
			}
			name := info.Name
			if !usable {
				name = freeName(slug(name), taken)
				p, _ = memfs.Root.Join(name) // only letters, digits and hyphens
			}
			taken[name] = true
			paths[i] = p
		}
	}
	return paths
}

const maxSlug = 64

func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	return s[:min(len(s), maxSlug)]
}

func freeName(name string, taken map[string]bool) string {
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// Mounts lists the stores in the order in which they were attached.
func (a *Attached) Mounts() []versions.Mount {
	var infos []versions.StoreInfo
	var as []versions.Attachment
	for _, s := range a.stores {
		infos, as = append(infos, s.Opened), append(as, s.at)
	}
	return MountsOf(infos, as)
}

// MountsOf returns where a session will find its attached stores. stores are those of the
// attachments, in the same order.
func MountsOf(stores []versions.StoreInfo, as []versions.Attachment) []versions.Mount {
	var out []versions.Mount
	for i, p := range mountPaths(stores) {
		access := as[i].Access
		if access == "" {
			access = versions.ReadWrite
		}
		out = append(out, versions.Mount{Path: p.Tool(), Name: stores[i].Name, Description: stores[i].Description, Access: access, Instructions: as[i].Instructions})
	}
	return out
}

// Prompt returns what the agent's system prompt should say about the stores.
func (a *Attached) Prompt() string { return PromptOf(a.Mounts()) }

// PromptOf returns what an agent should know about its stores.
func PromptOf(mounts []versions.Mount) string {
	var b strings.Builder
	b.WriteString("Memory stores attached to this session:\n")
	for _, m := range mounts {
		access := "you may read and write it"
		if m.Access == versions.ReadOnly {
			access = "you may read it, writing is refused"
		}
		fmt.Fprintf(&b, "\n%s (store %q; %s)\n", m.Path, m.Name, access)
		for _, text := range []string{m.Description, m.Instructions} {
			if text != "" {
				b.WriteString(text + "\n")
			}
		}
	}
	return b.String()
}

// Tool runs one command of the memory tool on the attached stores, as Store.Tool does on
// one. The session is the one they are attached to.
func (a *Attached) Tool(ctx context.Context, by versions.By, c memfs.Command, o memfs.Options) (memfs.Result, versions.Change, error) {
	by.Session = a.session
	if len(a.stores) == 1 {
		return a.stores[0].Tool(ctx, by, c, o)
	}
	paths, err := memfs.Paths(c)
	if err != nil {
		return memfs.ResultOf(err, c), versions.Change{}, nil
	}
	s := a.holding(paths[0])
	if _, ok := c.(memfs.View); ok {
		res, err := a.show(ctx, by, s, c, o)
		return res, versions.Change{}, err
	}
	for _, p := range paths {
		if s == nil || a.holding(p) != s || p == s.mount {
			res, err := a.refuse(c, paths, o)
			return res, versions.Change{}, err
		}
	}
	return core.RunTool(ctx, s.Store, by, c, o, s.mount, func(d *core.Mutation) memfs.Tree { return mounts{a.stores, s, d.Tree()} })
}

// holding returns the store whose folder is or contains p.
func (a *Attached) holding(p memfs.Path) *attachedStore {
	i := slices.IndexFunc(a.stores, func(s attachedStore) bool { return p.In(s.mount) })
	if i < 0 {
		return nil
	}
	return &a.stores[i]
}

func (a *Attached) show(ctx context.Context, by versions.By, s *attachedStore, c memfs.Command, o memfs.Options) (memfs.Result, error) {
	tree := mounts{stores: a.stores}
	if s != nil {
		return core.Show(ctx, s.Store, by, c, o, s.mount, tree)
	}
	_, res, err := memfs.Apply(tree, c, o)
	if err != nil {
		return core.Answer(c, err)
	}
	return res, nil
}

// refuse answers a command that concerns no store, a whole store, or two stores. Commands
// that the tool itself rejects get the tool's message.
func (a *Attached) refuse(c memfs.Command, paths []memfs.Path, o memfs.Options) (memfs.Result, error) {
	from := a.holding(paths[0])
	_, deletes := c.(memfs.Delete)
	if whole := from != nil && from.mount == paths[0]; whole && (deletes || len(paths) > 1) {
		return memfs.Refused(c, "it is the folder of an attached memory store"), nil
	}
	_, res, err := memfs.Apply(mounts{stores: a.stores}, c, o)
	switch {
	case err != nil:
		return core.Answer(c, err)
	case res.IsError:
		return res, nil
	case len(paths) > 1 && from != nil && a.holding(paths[1]) != nil:
		return memfs.Refused(c, "they lie in different memory stores; create the file in the other one, then delete it here"), nil
	}
	var folders []string
	for _, s := range a.stores {
		folders = append(folders, s.mount.Tool())
	}
	return memfs.Refused(c, "/memories holds the attached memory stores and nothing else; write below "+strings.Join(folders, " or ")), nil
}
