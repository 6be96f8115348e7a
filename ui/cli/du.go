package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) duCommand() *cobra.Command {
	depth := -1
	cmd := &cobra.Command{
		Use:   "du [PATH]",
		Short: "Show the disk space used by memories and their history",
		Long: `Show for each folder, including all folders below it, the size of its memories
and the size of their history in the home. The history of a deleted memory
counts where the memory was last. "memend status" shows the size of the whole
home.`,
		Example: `  memend du
  memend du -d 1 notes`,
		Args:              misused(cobra.MaximumNArgs(1)),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("depth") && depth < 0 {
				return misusef(cmd.CommandPath(), "--depth %d: must not be negative", depth)
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				in := workingPath(s)
				if len(args) > 0 {
					var err error
					if in, err = pathArg(s, cmd.CommandPath(), args[0]); err != nil {
						return err
					}
				}
				return p.du(cmd.Context(), s, in, depth)
			})
		},
	}
	cmd.Flags().IntVarP(&depth, "depth", "d", -1, "only folders up to `N` levels down")
	return cmd
}

type usageJSON struct {
	Path     string `json:"path"`
	Memories int    `json:"memories"`
	Bytes    int64  `json:"content_size_bytes"`
	Versions int    `json:"versions"`
	History  int64  `json:"history_size_bytes"`
}

func (p *printer) du(ctx context.Context, s *versions.Store, in memfs.Path, depth int) error {
	all, err := s.Usage(ctx)
	if err != nil {
		return err
	}
	sums := map[memfs.Path]*usageJSON{}
	if in.IsRoot() {
		sums[in] = &usageJSON{}
	}
	for _, u := range all {
		if !u.Path.In(in) {
			continue
		}
		for at := u.Path; ; at = at.Dir() {
			if (at != u.Path || at == in) && (depth < 0 || below(in, at) <= depth) { // a folder, or the memory asked for
				add(sums, at, u)
			}
			if at == in {
				break
			}
		}
	}
	if len(sums) == 0 {
		return fmt.Errorf("%w: %s", versions.ErrNoMemory, in.Tool())
	}
	var paths []memfs.Path
	for at := range sums {
		paths = append(paths, at)
	}
	// A folder comes after its content, as in du.
	slices.SortFunc(paths, func(a, b memfs.Path) int {
		return strings.Compare(a.Tool()+"/\xff", b.Tool()+"/\xff")
	})
	if !p.json {
		p.println("%8s  %8s  %8s  %8s  %s", "memories", "size", "versions", "history", "path")
	}
	for _, at := range paths {
		u := sums[at]
		u.Path = at.Tool()
		if p.json {
			p.emit(u)
			continue
		}
		p.println("%8d  %8s  %8d  %8s  %s", u.Memories, units.Bytes(u.Bytes), u.Versions, units.Bytes(u.History), p.safe(u.Path))
	}
	return nil
}

// below returns how many levels a path is below a folder that contains it.
func below(folder, at memfs.Path) (n int) {
	for ; at != folder; at = at.Dir() {
		n++
	}
	return n
}

func add(sums map[memfs.Path]*usageJSON, at memfs.Path, u versions.Usage) {
	sum := sums[at]
	if sum == nil {
		sum = &usageJSON{}
		sums[at] = sum
	}
	if u.Current {
		sum.Memories++
	}
	sum.Bytes += u.Bytes
	sum.Versions += u.Versions
	sum.History += u.History
}
