package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

type storeJSON struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Folder       string            `json:"folder"`
	Files        []string          `json:"named_files,omitempty"` // patterns of the only files in the folder that are its memories
	Limits       limitsJSON        `json:"limits"`
	CreatedAt    stamp             `json:"created_at"`
	UpdatedAt    stamp             `json:"updated_at"`
	LastUsedAt   stamp             `json:"last_used_at"`
	ArchivedAt   stamp             `json:"archived_at,omitzero"`
	Title        string            `json:"title,omitempty"`         // its name in the memory-stores API
	Upstream     *upstreamJSON     `json:"upstream,omitempty"`      // the hosted store that this store is a replica of
	LeftUpstream int               `json:"upstream_left,omitempty"` // versions redacted here that the service still has to erase
}

// upstreamJSON identifies the hosted store that a local store is a replica of.
type upstreamJSON struct {
	URL string `json:"url"`
	ID  string `json:"memory_store_id"`
}

// limitsJSON are the limits in force; an absent field means no limit.
type limitsJSON struct {
	MaxBytes    *int64 `json:"max_bytes,omitempty"`
	MaxMemories *int64 `json:"max_memories,omitempty"`
	ViewChars   *int64 `json:"view_chars,omitempty"`
}

func storeOf(s versions.StoreInfo) storeJSON {
	j := storeJSON{string(s.ID), s.Name, s.Description, s.Metadata, s.Folder, s.Files.Patterns(), limitsOf(s.Limits), stamp(s.Created), stamp(s.Updated), stamp(s.LastUsed), stamp(s.Archived), s.Title, nil, s.LeftUpstream}
	if s.Hosted() {
		j.Upstream = &upstreamJSON{s.Upstream.URL, s.Upstream.Store}
	}
	return j
}

func limitsOf(l versions.Limits) limitsJSON {
	l = l.Effective()
	some := func(n int64) *int64 {
		if n == versions.NoLimit {
			return nil
		}
		return &n
	}
	return limitsJSON{some(l.Bytes), some(l.Memories), some(l.ViewChars)}
}

// description holds the changes that stores describe is asked to make.
type description struct {
	name, title                      string
	metadata, files                  []string
	maxBytes, maxMemories, viewChars string
	forget                           bool
}

func storesDescribeCommand(p *program) *cobra.Command {
	var d description
	cmd := &cobra.Command{
		Use:               "describe STORE [TEXT]",
		Annotations:       map[string]string{changes: always},
		Short:             "Show a store, or change its description, metadata, files and limits",
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := d.update(args[1:], cmd.Flags().Changed("name"))
			files, ferr := namesOf(d.files)
			switch err = cmp.Or(err, ferr); {
			case err != nil:
				return &misuse{err, cmd.CommandPath()}
			case d.forget && files.All():
				return misusef(cmd.CommandPath(), "--forget needs --files: the patterns of the files that are still followed")
			}
			return onStore(&p.homeOpener, cmd, args[0], func(t *engine.Trail, info versions.StoreInfo) (err error) {
				if !files.All() {
					if info, err = nameFiles(cmd.Context(), &p.caller, t, info, files, d.forget); err != nil {
						return err
					}
				}
				return describeStore(cmd.Context(), &p.caller, t, info, d, u)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&d.name, "name", "", "its new `NAME`")
	flags.StringVar(&d.title, "title", "", "its name in the memory-stores API (`TEXT`)")
	flags.StringArrayVar(&d.metadata, "metadata", nil, "a `KEY=VALUE` of its metadata, or KEY= to remove it; may be repeated")
	flags.StringArrayVar(&d.files, "files", nil, "a `PATTERN` of its files, instead of the present ones; may be repeated")
	flags.BoolVar(&d.forget, "forget", false, "with --files: stop following memories that match no pattern; their files stay as they are")
	flags.StringVar(&d.maxBytes, "max-bytes", "", fmt.Sprintf("maximum bytes of a memory (`N`; default %d)", versions.DefaultBytes))
	flags.StringVar(&d.maxMemories, "max-memories", "", fmt.Sprintf("maximum number of memories (`N`; default %d)", versions.DefaultMemories))
	flags.StringVar(&d.viewChars, "view-chars", "", "maximum characters of a view by the memory tool (`N`; default none)")
	return cmd
}

func (d description) update(text []string, named bool) (u versions.StoreUpdate, err error) {
	if named {
		u.Name = &d.name
	}
	if d.title != "" {
		u.Title = &d.title
	}
	if len(text) > 0 {
		u.Description = &text[0]
	}
	u.Metadata, err = metadataOf(d.metadata)
	_, lerr := d.limits(versions.Limits{})
	return u, cmp.Or(err, u.Check(), lerr)
}

// metadataOf parses KEY=VALUE flags; KEY= removes a key.
func metadataOf(set []string) (map[string]*string, error) {
	out := map[string]*string{}
	for _, pair := range set {
		k, v, ok := strings.Cut(pair, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--metadata %s: write KEY=VALUE", pair)
		}
		if out[k] = &v; v == "" {
			out[k] = nil
		}
	}
	return out, nil
}

// limits returns l changed by the flags.
func (d description) limits(l versions.Limits) (versions.Limits, error) {
	for _, f := range []struct {
		flag, value string
		limit       *int64
	}{{"max-bytes", d.maxBytes, &l.Bytes}, {"max-memories", d.maxMemories, &l.Memories}, {"view-chars", d.viewChars, &l.ViewChars}} {
		switch f.value {
		case "":
		case "default":
			*f.limit = 0
		case "none", "0":
			*f.limit = versions.NoLimit
		default:
			n, ok := units.ParseSize(f.value)
			if !ok || n < 1 {
				return l, fmt.Errorf("--%s %s: write a number such as 20000 or 100k, none or default", f.flag, f.value)
			}
			*f.limit = n
		}
	}
	return l, nil
}

func describeStore(ctx context.Context, p *caller, t *engine.Trail, info versions.StoreInfo, d description, u versions.StoreUpdate) (err error) {
	given := len(d.files) > 0 || u.Name != nil || u.Title != nil || u.Description != nil || len(u.Metadata) > 0
	if given {
		if info, err = stores.Update(ctx, t, p.by, info.ID, u); err != nil {
			return err
		}
	}
	l, err := d.limits(info.Limits)
	if err != nil {
		return err
	}
	if l != info.Limits {
		given = true
		if err := stores.SetLimits(ctx, t, p.by, info.ID, l); err != nil {
			return err
		}
		if info, err = t.FindStore(ctx, string(info.ID)); err != nil {
			return err
		}
	}
	if given {
		reportStore(&p.console, info, "described store %s", info.Name)
	} else {
		printStore(&p.console, info)
	}
	return nil
}

// nameFiles replaces the patterns of a store's files. It scans the folder before, because a memory may have been deleted
// there, and after, to adopt what is named now.
func nameFiles(ctx context.Context, p *caller, t *engine.Trail, info versions.StoreInfo, files memfs.Names, forget bool) (versions.StoreInfo, error) {
	err := withOpen(ctx, t, info, synced(ctx, &p.console, func(s *engine.Store) error {
		c, err := stores.SetFiles(ctx, s, p.by, files, forget)
		if err != nil {
			return err
		}
		if c.Number > 0 && !p.json {
			p.println("change %d: %s; what is on disk stays", c.Number, describeChange(&p.console, c))
		}
		_, err = s.Sync(ctx)
		return err
	}))
	if err != nil {
		return info, err
	}
	return t.FindStore(ctx, string(info.ID))
}

// printStore prints everything about a store.
func printStore(p *console, s versions.StoreInfo) {
	if p.json {
		p.emit(storeOf(s))
		return
	}
	row := func(what, value string) { p.println("%-13s %s", what, p.safe(value)) }
	row("name", s.Name)
	row("id", string(s.ID))
	if s.Title != "" {
		row("title", s.Title)
	}
	if s.Hosted() {
		row("hosted at", s.Upstream.URL)
		row("id there", s.Upstream.Store)
	}
	row("folder", s.Folder)
	for _, pattern := range s.Files.Patterns() {
		row("file", pattern)
	}
	if s.Description != "" {
		row("description", s.Description)
	}
	for _, k := range slices.Sorted(maps.Keys(s.Metadata)) {
		row("metadata", k+"="+s.Metadata[k])
	}
	row("created", when(s.Created))
	row("updated", when(s.Updated))
	row("last opened", when(s.LastUsed))
	l := s.Limits.Effective()
	row("max bytes", limitText(l.Bytes))
	row("max memories", limitText(l.Memories))
	row("view chars", limitText(l.ViewChars))
}

func limitText(n int64) string {
	if n == versions.NoLimit {
		return "none"
	}
	return strconv.FormatInt(n, 10)
}

// limitHint says how to raise a limit, if it can be raised.
func limitHint(e *versions.LimitError) string {
	if e.Bytes > 0 && e.Limit >= versions.DefaultMaxBytes {
		return "nothing was written; only texts up to 8 MiB are kept as memories"
	}
	flag := "--max-memories"
	if e.Bytes > 0 {
		flag = "--max-bytes"
	}
	return fmt.Sprintf("nothing was written; `memend stores describe STORE %s N` changes the limit", flag)
}
