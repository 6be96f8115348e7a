package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// discovery holds the flags of stores discover.
type discovery struct {
	add   []string
	empty bool
}

func storesDiscoverCommand(p *program) *cobra.Command {
	var d discovery
	cmd := &cobra.Command{
		Use:         "discover [DIR...]",
		Annotations: map[string]string{changes: "add"},
		Short:       "Find folders in which other tools keep memories, and add them",
		RunE:        func(cmd *cobra.Command, args []string) error { return discoverFolders(&p.homeOpener, cmd, args, d) },
	}
	cmd.Flags().StringArrayVar(&d.add, "add", nil, "create stores in these: numbers of the list, a `FOLDER`, or all; may be repeated")
	cmd.Flags().BoolVar(&d.empty, "empty", false, "list folders without a memory too")
	return cmd
}

func discoverFolders(p *homeOpener, cmd *cobra.Command, dirs []string, d discovery) error {
	for _, dir := range dirs {
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
			return &hinted{fmt.Errorf("no such folder: %s", dir), "name a project, or a folder that holds projects"}
		}
	}
	ctx := cmd.Context()
	t, err := p.openTrail(ctx)
	if err != nil && len(d.add) > 0 {
		return err
	}
	if err != nil { // discovery itself needs no trail
		fmt.Fprintf(p.err, "memend: can't tell which of them are stores: %s\n", text.Field(err.Error()))
		return discoverPlaces(ctx, &p.caller, nil, dirs, d)
	}
	return errors.Join(discoverPlaces(ctx, &p.caller, t, dirs, d), t.Close())
}

// discoverPlaces lists the folders found, and adds the chosen ones. The trail may be nil.
func discoverPlaces(ctx context.Context, p *caller, t *engine.Trail, dirs []string, d discovery) error {
	roots, err := places.Here(dirs...)
	if err != nil {
		reportSkippedFolder(&p.console, err)
	}
	found, err := findPlaces(ctx, t, roots)
	if err != nil {
		return err
	}
	for _, err := range found.Problems {
		reportSkippedFolder(&p.console, err)
	}
	if found.Cut {
		fmt.Fprintln(p.err, "memend: there are more folders than are searched; name the one that you mean")
	}
	if len(d.add) > 0 {
		chosen, err := choosePlaces(found.Places, d.add, d.empty, func(folder string) ([]places.Place, error) {
			roots.Dirs = []string{folder}
			found, err := findPlaces(ctx, t, roots)
			return found.Places, err
		})
		if err != nil {
			return err
		}
		if len(chosen) == 0 {
			fmt.Fprintln(p.err, "memend: no folder to add")
		}
		return addPlaces(ctx, p, t, chosen)
	}
	return listPlaces(ctx, p, t, found.Places, d.empty, roots.Home)
}

// Discover finds folders in which other tools keep memories, including those around the
// working directory.
func (h *homeStores) Discover(ctx context.Context) (places.Found, error) {
	if h.demo {
		return places.Found{Problems: []error{errDemo}}, nil
	}
	roots, err := places.Here()
	found, failed := findPlaces(ctx, h.Trail, roots)
	if err != nil {
		found.Problems = append(found.Problems, err)
	}
	return found, failed
}

// AddPlace creates a store for a discovered folder.
func (h *homeStores) AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error) {
	if err := h.Make(ctx); err != nil { // the first screen of a new home adds one after the other
		return versions.StoreInfo{}, err
	}
	return places.Add(ctx, h.Trail, h.by, p)
}

func reportSkippedFolder(p *console, err error) {
	fmt.Fprintf(p.err, "memend: skipped: %s\n", text.Field(err.Error()))
}

// findPlaces returns the places found, empty ones last: they are counted, but listed only
// with --empty. The trail may be nil.
func findPlaces(ctx context.Context, t *engine.Trail, roots places.Roots) (places.Found, error) {
	var all []versions.StoreInfo
	if t != nil {
		var err error
		if all, err = t.Stores(ctx); err != nil {
			return places.Found{}, err
		}
	}
	found, err := places.Discover(ctx, roots, all)
	if err != nil {
		return places.Found{}, err
	}
	slices.SortStableFunc(found.Places, func(a, b places.Place) int { return emptiness(a) - emptiness(b) })
	return found, nil
}

func emptiness(p places.Place) int {
	if p.IsEmpty() && !p.IsStore() {
		return 1
	}
	return 0
}
