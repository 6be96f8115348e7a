package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) similarCommand() *cobra.Command {
	least, limit := 70, 0
	cmd := &cobra.Command{
		Use:         "similar [PATH]",
		Annotations: map[string]string{pages: ""},
		Short:       "List memories that say nearly the same",
		Long: `List pairs of memories, in all stores of this home, that say nearly the same,
the most similar first. With PATH, list only what is similar to that memory;
with --store, only pairs with a memory of that store.

Two memories are 90% similar if 90% of the sequences of three words in the
shorter one are in the longer one, too. Case, spaces and punctuation do not
count. Very short memories are compared as a whole. --min sets the least
similarity. A memory is listed with a few others only, however many are alike.

In the TUI, g s shows each pair side by side, opens either memory, and merges
them. "memend merge" merges two; "memend diff" shows the difference between two
memories of a store; "memend mv" and "memend cp" take them to another.`,
		Example: `  memend similar
  memend similar notes/plan.md --min 50
  memend similar -s work --json`,
		Args:              misused(cobra.MaximumNArgs(1)),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if least < 1 || least > 100 {
				return misusef(cmd.CommandPath(), "--min %d: must be from 1 to 100", least)
			}
			return p.withTrail(cmd.Context(), func(t *versions.Trail) error { return p.similar(cmd, t, args, least, limit) })
		},
	}
	cmd.Flags().IntVar(&least, "min", least, "the least similarity in `PERCENT`")
	limitFlag(cmd, &limit, "list at most `N`")
	return cmd
}

func (p *program) similar(cmd *cobra.Command, t *versions.Trail, args []string, least, limit int) error {
	ctx := cmd.Context()
	unread, err := p.syncAll(ctx, t)
	if err != nil {
		return err
	}
	var in versions.StoreInfo
	if len(args) > 0 || p.store != "" {
		if in, err = p.chooseStore(ctx, t); err != nil {
			return err
		}
	}
	memory := versions.MemoryID("")
	if len(args) > 0 {
		err := withOpen(ctx, t, in, func(s *versions.Store) error {
			at, err := pathArg(s, cmd.CommandPath(), args[0])
			if err == nil {
				var e versions.Entry
				e, err = s.Entry(ctx, at)
				memory = e.Memory
			}
			return inStore(in, err)
		})
		if err != nil {
			return err
		}
	}
	pairs, err := t.Similar(ctx, memory, float64(least)/100)
	if err != nil {
		return err
	}
	n := 0
	for _, pair := range pairs {
		if in.ID != "" && pair.A.Store != in.ID && pair.B.Store != in.ID {
			continue
		}
		if limit > 0 && n == limit {
			break
		}
		n++
		p.similarPair(pair)
	}
	switch {
	case unread > 0:
		return errReported
	case n == 0 && p.terminal && !p.json:
		fmt.Fprintf(p.err, "memend: no two memories are %d%% similar\n", least)
	}
	return nil
}

// syncAll scans the folders of all stores. It reports those that can't be scanned, and returns their number.
func (p *program) syncAll(ctx context.Context, t *versions.Trail) (unread int, err error) {
	stores, err := t.Stores(ctx)
	if err != nil {
		return 0, err
	}
	for _, info := range stores {
		err := withOpen(ctx, t, info, p.synced(ctx, func(*versions.Store) error { return nil }))
		if gone := (*versions.FolderError)(nil); errors.As(err, &gone) {
			fmt.Fprintf(p.err, "memend: not scanned: %s\n", text.Field(err.Error()))
			unread++
		} else if err != nil {
			return unread, err
		}
	}
	return unread, nil
}

type similarMemoryJSON struct {
	hitStoreJSON
	MemoryID  string `json:"memory_id"`
	VersionID string `json:"memory_version_id"`
	Path      string `json:"path"`
}

type similarJSON struct {
	Similarity float64           `json:"similarity"`
	One        similarMemoryJSON `json:"one"`
	Other      similarMemoryJSON `json:"other"`
}

func similarMemoryOf(m versions.SimilarMemory) similarMemoryJSON {
	return similarMemoryJSON{hitStoreJSON{string(m.Store), m.Name}, string(m.Memory), string(m.Version), m.Path.Tool()}
}

func (p *printer) similarPair(pair versions.SimilarPair) {
	if p.json {
		p.emit(similarJSON{math.Round(pair.Similarity*1000) / 1000, similarMemoryOf(pair.A), similarMemoryOf(pair.B)})
		return
	}
	name := func(m versions.SimilarMemory) string { return p.safe(m.Name + ":" + m.Path.Tool()) }
	p.println("%3d%%  %s  %s", int(pair.Similarity*100), name(pair.A), name(pair.B))
}
