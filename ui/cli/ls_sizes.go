package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

type usageJSON struct {
	Path     string `json:"path"`
	Memories int    `json:"memories"`
	Bytes    int64  `json:"content_size_bytes"`
	Versions int    `json:"versions"`
	History  int64  `json:"history_size_bytes"`
}

// printSizes prints the space that each folder takes with all folders below it.
func printSizes(ctx context.Context, p *console, s *engine.Store, in memfs.Path) error {
	all, err := history.Usage(ctx, s)
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
			if at != u.Path || at == in { // a folder, or the memory asked for
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
		p.answer(u, "%8d  %8s  %8d  %8s  %s", u.Memories, units.Bytes(u.Bytes), u.Versions, units.Bytes(u.History), p.safe(u.Path))
	}
	return nil
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
